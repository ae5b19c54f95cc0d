// What the scripted model calls: the client's own tool for a purpose, with the arguments that its schema wants.

/** A step is `{ tool, namespace?, args | input }`, or `{ kind, command | path, content }`. Null when nothing that is offered can do it. */
export function chooseCall(step, offered) {
  if (step.tool) return { name: step.tool, namespace: step.namespace, input: step.input, args: step.args ?? {} };
  const tool = NAMES[step.kind].map((name) => offered.find((one) => one.name === name)).find((one) => one);
  if (tool) return { name: tool.name, args: argumentsFor(step, tool.schema) };
  // A client that writes files by patches takes them in its shell.
  return step.kind === "write" ? chooseCall({ kind: "bash", command: patchOf(step) }, offered) : null;
}

const NAMES = {
  bash: ["bash", "Bash", "run_shell_command", "exec_command", "shell_command", "shell"],
  write: ["write", "Write", "write_file", "create"],
  read: ["read", "Read", "read_file", "view"],
};

const patchOf = ({ path, content }) => `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+${content}\n*** End Patch\nEOF`;

const FIELDS = [
  [/^(?:command|cmd)$/, ({ command }, { type }) => (type === "array" ? ["bash", "-c", command] : command)],
  [/^(?:file_?path|path|absolute_path)$/i, ({ path }) => path],
  [/^(?:content|file_text)$/, ({ content }) => content],
];

function argumentsFor(step, { properties = {}, required = [] }) {
  const args = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = FIELDS.find(([field]) => field.test(name))?.[1](step, property);
    if (value !== undefined) args[name] = value;
    else if (required.includes(name)) args[name] = anything(property);
  }
  return args;
}

const anything = ({ type, enum: choices }) =>
  choices?.[0] ?? { boolean: false, number: 1, integer: 1, array: [], object: {} }[String(type).toLowerCase()] ?? "x";
