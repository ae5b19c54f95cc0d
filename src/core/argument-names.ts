import { quoteShell } from "../text/quote-shell.ts";

/**
 * What arguments of Zeph's own tools are called elsewhere. Models that learned to work with other agents use those names, and a refusal costs a round.
 * A name stands for one argument, so what is judged, kept and logged has the tool's own names only.
 */
const PATH = ["file_path", "filePath", "absolute_path", "filename", "file", "target_file", "relative_workspace_path"];
const FOLDER = ["dir_path", "directory", "folder", "dir", "target_directory"];
const MOST = ["head_limit", "max_results", "maxResults", "max_count", "total_max_matches"];

type Names = { readonly [argument: string]: readonly string[] };

const OF_FIND_PATH: Names = { pattern: ["glob", "file_pattern", "query", "name"], path: FOLDER, limit: MOST };

/** `workdir`, `end_line`, `view_range`, `literal`, `before` and `after` are no arguments either: `TOGETHER` knows what they come to. */
const OTHER_NAMES: { readonly [tool: string]: Names } = {
  bash: {
    command: ["cmd", "script"],
    timeout: ["timeout_seconds", "timeout_secs"],
    background: ["run_in_background", "is_background"],
    workdir: ["cwd", "working_directory", ...FOLDER],
  },
  background: { run_id: ["id", "bash_id", "shell_id", "task_id"], seconds: ["timeout"] },
  read: {
    path: PATH,
    paths: ["file_paths", "files"],
    offset: ["start_line", "line_start", "startLine", "start_line_one_indexed"],
    end_line: ["line_end", "endLine", "end_line_one_indexed_inclusive"],
    limit: ["line_count", "num_lines"],
  },
  write: { path: PATH, content: ["file_text", "contents", "text"] },
  edit: {
    path: PATH,
    old_string: ["old_str", "oldString", "old_text", "oldText"],
    new_string: ["new_str", "newString", "new_text", "newText"],
    replace_all: ["replaceAll", "allow_multiple"],
  },
  grep: {
    pattern: ["regex", "query"],
    path: [...PATH, ...FOLDER],
    glob: ["include", "file_pattern", "include_pattern", "includePattern"],
    context: ["-C", "context_lines"],
    before: ["-B", "before_context"],
    after: ["-A", "after_context"],
    limit: MOST,
    literal: ["fixed_strings"],
  },
  search_code: { query: ["pattern", "search"], path: [...PATH, ...FOLDER], limit: MOST },
  find_path: OF_FIND_PATH,
  glob: OF_FIND_PATH,
  list_directory: { path: FOLDER },
  create_directory: { path: FOLDER },
  delete_path: { path: [...PATH, ...FOLDER] },
  move_path: { source: ["from", "src", "old_path", "source_path"], destination: ["to", "dest", "new_path", "destination_path"] },
  copy_path: { source: ["from", "src", "source_path"], destination: ["to", "dest", "destination_path"] },
  read_overflow: { id: ["overflow_id", "handle"] },
  fetch: { url: ["uri", "link"] },
  web_scrape: { url: ["uri", "link"], select: ["selector", "css"] },
};

/** What says nothing that is not so without it. */
const NOT_GIVEN = Symbol("not given");

/** Names, and values, that say the same in another way. */
const CONVERTED: {
  readonly [tool: string]: { readonly [name: string]: readonly [argument: string, convert: (value: unknown) => unknown] };
} = {
  bash: {
    command: ["command", asLine],
    cmd: ["command", asLine],
    timeout_ms: ["timeout", inSeconds],
    dangerouslyDisableSandbox: ["dangerouslyDisableSandbox", unless(false)],
    with_escalated_permissions: ["with_escalated_permissions", unless(false)],
  },
  background: { timeout_ms: ["seconds", inSeconds] },
  read: { offset: ["offset", unless(0)] },
  edit: { expected_replacements: ["expected_replacements", unless(1)] },
  grep: {
    "-i": ["case_sensitive", inverse],
    ignore_case: ["case_sensitive", inverse],
    ignoreCase: ["case_sensitive", inverse],
    case_insensitive: ["case_sensitive", inverse],
    isRegexp: ["literal", inverse],
    "-n": ["-n", () => NOT_GIVEN],
    output_mode: ["output_mode", unless("content")],
    multiline: ["multiline", unless(false)],
    head_limit: ["limit", unless(0)],
    offset: ["offset", unless(0)],
  },
};

function inSeconds(value: unknown): unknown {
  return typeof value === "number" ? value / 1000 : value;
}

function inverse(value: unknown): unknown {
  return typeof value === "boolean" ? !value : value;
}

function unless(usual: unknown): (value: unknown) => unknown {
  return (value) => (value === usual ? NOT_GIVEN : value);
}

/** A command that comes word by word, as to `execve`; of a shell's, the text it is given. */
function asLine(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === "string")) return value;
  const [program, flag, text, ...rest] = value as string[];
  const isScript = /(?:^|\/)(?:ba|z|da)?sh$/.test(program!) && /^-l?c$/.test(flag ?? "") && text !== undefined && rest.length === 0;
  return isScript ? text : value.map(quoteShell).join(" ");
}

/** Arguments that say something only together with another one. What cannot be read is left as it is, and refused as no argument. */
const TOGETHER: { readonly [tool: string]: (args: Map<string, unknown>) => void } = {
  bash: inFolder,
  read: untilLine,
  grep: (args) => {
    literally(args);
    mergeContextLines(args);
  },
};

/** For this command alone, as `workdir` is elsewhere: a `cd` would stay for those after it. */
function inFolder(args: Map<string, unknown>): void {
  const [folder, command] = [args.get("workdir"), args.get("command")];
  if (typeof folder !== "string" || typeof command !== "string") return;
  args.delete("workdir");
  if (folder === "" || folder === "." || folder === "./") return;
  args.set("command", `(cd ${quoteShell(folder.startsWith("-") ? `./${folder}` : folder)} && {\n${command}\n})`);
}

function untilLine(args: Map<string, unknown>): void {
  const range = args.get("view_range");
  if (Array.isArray(range) && range.length === 2 && !args.has("offset") && !args.has("end_line")) {
    args.delete("view_range");
    args.set("offset", range[0]).set("end_line", range[1]);
  }
  const [first, last, limit] = [args.get("offset") ?? 1, args.get("end_line"), args.get("limit") ?? Number.POSITIVE_INFINITY];
  if (typeof first !== "number" || typeof last !== "number" || typeof limit !== "number" || (last !== -1 && last < first)) return;
  args.delete("end_line");
  if (last !== -1) args.set("limit", Math.min(limit, last - first + 1));
}

function literally(args: Map<string, unknown>): void {
  const [literal, pattern] = [args.get("literal"), args.get("pattern")];
  if (typeof literal !== "boolean" || typeof pattern !== "string") return;
  args.delete("literal");
  if (literal) args.set("pattern", pattern.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
}

function mergeContextLines(args: Map<string, unknown>): void {
  const lines = ["context", "before", "after"].flatMap((name) => args.get(name) ?? []);
  if (lines.length === 0 || !lines.every((count) => typeof count === "number")) return;
  args.delete("before");
  args.delete("after");
  args.set("context", Math.max(...lines));
}

const same = (value: unknown): unknown => value;

type Argument = readonly [name: string, value: unknown];
type Meaning = readonly [argument: string, convert: (value: unknown) => unknown];

const MEANINGS: ReadonlyMap<string, ReadonlyMap<string, Meaning>> = new Map(
  Object.entries(OTHER_NAMES).map(([tool, names]) => [
    tool,
    new Map<string, Meaning>([
      ...Object.entries(names).flatMap(([argument, others]) => others.map((other): [string, Meaning] => [other, [argument, same]])),
      ...Object.entries(CONVERTED[tool] ?? {}),
    ]),
  ]),
);

/**
 * Arguments under the tool's own names; or why they cannot be: one is there twice, and nobody can say which was meant. Null is how some models leave an
 * argument out.
 */
export function ownNames(tool: string, args: readonly Argument[]): readonly Argument[] | string {
  const meanings = MEANINGS.get(tool);
  if (!meanings) return args;
  const given = new Map<string, string>();
  const named = new Map<string, unknown>();
  for (const [name, value] of args) {
    const [argument, convert] = meanings.get(name) ?? [name, same];
    const own = value === null ? NOT_GIVEN : convert(value);
    if (own === NOT_GIVEN) continue;
    const before = given.get(argument);
    if (before !== undefined) return `"${before}" and "${name}" are the same argument of ${tool}. Give it once.`;
    given.set(argument, name);
    named.set(argument, own);
  }
  TOGETHER[tool]?.(named);
  return [...named];
}
