// What the scripted model asks for, and what a result has to show so that the call counts as made.
import { dataLine } from "./race-work.mjs";

/** The same for every client: calls of one kind, no two of them alike, for some clients end a run that repeats itself. */
export const sameCalls = (kind, count, work) => Array.from({ length: count }, (_, n) => CALLS[kind](n + 1, work));

const CALLS = {
  read: (n, work) => ({
    kind: "read",
    path: `${work}/data.txt`,
    offset: n,
    limit: 100,
    // All hundred lines, the one in the middle where it belongs.
    shows: (text) => text.includes(dataLine(n + 49)) && text.split("of a file that somebody wrote").length - 1 >= 100,
  }),
  grep: (n, work) => ({ kind: "grep", pattern: `needle${n} `, path: `${work}/tree`, shows: showing(`needle${n} is here`) }),
  bash: (n) => ({
    kind: "bash",
    command: `echo ${40_000 + n}`,
    // What was echoed, not the command in some message about it.
    shows: (text) => new RegExp(`(?<!echo )\\b${40_000 + n}\\b`).test(text),
  }),
};

export const KINDS = Object.keys(CALLS);

const showing =
  (...wanted) =>
  (text) =>
    wanted.every((one) => text.includes(one));

/**
 * A bug hunt of twenty calls: where is it, what does it say, what do the tests print, and does the change help.
 * What a result has to show stands in no command, for a message about a call that was refused may repeat it.
 */
export function taskCalls(work) {
  const app = `${work}/app`;
  const bash = (command, ...wanted) => ({ kind: "bash", command: `cd ${app} && ${command}`, shows: showing(...wanted) });
  const grep = (pattern, where, ...wanted) => ({ kind: "grep", pattern, path: `${app}/${where}`, shows: showing(...wanted) });
  const read = (path, [offset, limit], ...wanted) => ({ kind: "read", path: `${app}/${path}`, offset, limit, shows: showing(...wanted) });
  return [
    bash("ls -la", "package.json", "test.mjs"),
    bash("git log --stat -5", "A server and its log"),
    grep("parseHeader\\(", "src", "export function parseHeader"),
    read("src/header.js", [1, 400], "value.trim()", "HEADER_179 "),
    read("src/request.js", [1, 400], "readRequest219 "),
    bash("cat package.json", "module"),
    bash("node test.mjs", "a header without a value", "TypeError", "1 failed"),
    grep("TypeError", "logs", "TypeError"),
    read("logs/server.log", [1, 300], "request 0 took", "request 299 took"),
    read("logs/server.log", [301, 300], "request 300 took", "request 599 took"),
    read("test.mjs", [1, 100], 'parseHeader("Host")'),
    grep("readRequest21", "src", "readRequest219"),
    bash("wc -l src/*.js", "221"),
    bash("git status", "nothing to commit"),
    bash("sed -i 's/value[.]trim()/(value ?? \"\").trim()/' src/header.js && git diff --stat", "1 file changed"),
    bash("git diff", "+  return"),
    read("src/header.js", [1, 20], '(value ?? "").trim()'),
    bash("node test.mjs", "301 passed"),
    grep("value \\?\\?", "src", "header.js"),
    bash("git status --short", "header.js"),
  ];
}

/** The call of a step: the client's own tool for the purpose, or else its shell; null when nothing that is offered can do it. */
export function chooseCall(step, tools) {
  const own = findTool(step.kind, tools);
  if (own) return { name: own.name, args: argumentsFor(step, own.schema) };
  const shell = findTool("bash", tools);
  return shell ? { name: shell.name, args: argumentsFor({ kind: "bash", command: inShell(step) }, shell.schema) } : null;
}

export const isShell = (name) => NAMES.bash.includes(name);

const NAMES = {
  read: ["read", "Read", "read_file", "view"],
  grep: ["grep", "Grep", "grep_search", "search_file_content"],
  bash: ["bash", "Bash", "run_shell_command", "shell_command", "exec_command", "shell", "execute_command", "local_shell"],
};

const findTool = (kind, tools) => NAMES[kind].map((name) => tools.find((tool) => tool.name === name)).find((tool) => tool);

/** With programs that every shell finds: a login shell may forget the PATH it was given. */
const inShell = ({ kind, path, offset, limit, pattern }) =>
  kind === "read" ? `sed -n '${offset},${offset + limit - 1}p' ${path}` : `grep -rnE '${pattern}' ${path}`;

const FIELDS = [
  [/^(?:command|cmd)$/i, ({ command }, { type }) => (type === "array" ? ["bash", "-c", command] : command)],
  [/^(?:file_?path|path|absolute_path|dir_path)$/i, ({ path }) => path],
  [/^(?:offset|start_line)$/, ({ offset }) => offset],
  [/^limit$/, ({ kind, limit }) => (kind === "read" ? limit : undefined)],
  [/^end_line$/, ({ offset, limit }) => offset + limit - 1],
  [/^pattern$/, ({ pattern }) => pattern],
  [/^output_mode$/, () => "content"],
];

function argumentsFor(step, schema) {
  const { properties = {}, required = [] } = schema ?? {};
  const args = {};
  for (const [name, property] of Object.entries(properties)) {
    const value = FIELDS.find(([field]) => field.test(name))?.[1](step, property);
    if (value !== undefined && !Number.isNaN(value)) args[name] = value;
    else if (required.includes(name)) args[name] = anything(property);
  }
  return args;
}

const anything = ({ type, enum: choices }) =>
  choices?.[0] ?? { boolean: false, number: 1, integer: 1, array: [], object: {} }[String(type).toLowerCase()] ?? "x";
