import { isRecord } from "../../text/json.ts";
import type { OfferedTool, WantedCall } from "./wire/model-wire.ts";

/** What a scripted model wants done, whatever its client calls the tool for it. */
export type ScriptedStep =
  | { readonly kind: "bash"; readonly command: string }
  | { readonly kind: "write"; readonly path: string; readonly content: string }
  | { readonly kind: "read"; readonly path: string };

/** The client's own tool for a step, with the arguments that its schema wants. Null when nothing that is offered can do it. */
export function chooseTool(step: ScriptedStep, offered: readonly OfferedTool[]): WantedCall | null {
  const tool = NAMES[step.kind]
    .map((name) => offered.find((one) => one.name === name && one.namespace === undefined))
    .find((one) => one !== undefined);
  if (tool) return { name: tool.name, args: argumentsFor(step, tool.schema) };
  // A client that writes files by patches takes them in its shell.
  return step.kind === "write" ? chooseTool({ kind: "bash", command: patchOf(step) }, offered) : null;
}

const NAMES: Readonly<Record<ScriptedStep["kind"], readonly string[]>> = {
  bash: ["bash", "Bash", "run_shell_command", "exec_command", "shell_command", "shell"],
  write: ["write", "Write", "write_file", "create"],
  read: ["read", "Read", "read_file", "view"],
};

const patchOf = ({ path, content }: { readonly path: string; readonly content: string }): string =>
  `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${path}\n+${content}\n*** End Patch\nEOF`;

type Field = (step: Readonly<Record<string, unknown>>, property: Readonly<Record<string, unknown>>) => unknown;

const FIELDS: readonly (readonly [RegExp, Field])[] = [
  [/^(?:command|cmd)$/, ({ command }, { type }) => (type === "array" ? ["bash", "-c", command] : command)],
  [/^(?:file_?path|path|absolute_path)$/i, ({ path }) => path],
  [/^(?:content|file_text)$/, ({ content }) => content],
];

function argumentsFor(step: ScriptedStep, { properties, required }: OfferedTool["schema"]): Record<string, unknown> {
  const args: Record<string, unknown> = {};
  const wanted: readonly unknown[] = Array.isArray(required) ? required : [];
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    const about = isRecord(property) ? property : {};
    const value = FIELDS.find(([field]) => field.test(name))?.[1](step, about);
    if (value !== undefined) args[name] = value;
    else if (wanted.includes(name)) args[name] = anything(about);
  }
  return args;
}

const ANY: Readonly<Record<string, unknown>> = { boolean: false, number: 1, integer: 1, array: [], object: {} };

const anything = ({ type, enum: choices }: Readonly<Record<string, unknown>>): unknown =>
  (Array.isArray(choices) ? choices[0] : undefined) ?? ANY[String(type).toLowerCase()] ?? "x";
