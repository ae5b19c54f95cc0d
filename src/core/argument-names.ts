/**
 * What arguments of Zeph's own tools are called elsewhere. Models that learned to work with other agents use those names, and a refusal costs a round.
 * A name stands for one argument, so what is judged, kept and logged has the tool's own names only.
 */
const PATH = ["file_path", "filePath", "absolute_path", "filename", "file", "target_file"];
const FOLDER = ["dir_path", "directory", "folder", "dir", "target_directory"];
const MOST = ["head_limit", "max_results", "max_count"];

type Names = { readonly [argument: string]: readonly string[] };

const OF_FIND_PATH: Names = { pattern: ["glob", "file_pattern", "query"], path: FOLDER, limit: MOST };

const OTHER_NAMES: { readonly [tool: string]: Names } = {
  bash: { command: ["cmd", "script"], timeout: ["timeout_seconds", "timeout_secs"], background: ["run_in_background", "is_background"] },
  background: { run_id: ["id", "bash_id", "shell_id", "task_id"], seconds: ["timeout"] },
  read: { path: PATH, paths: ["file_paths", "files"], offset: ["start_line", "line_start"], limit: ["line_count", "num_lines"] },
  write: { path: PATH, content: ["file_text", "contents", "text"] },
  edit: {
    path: PATH,
    old_string: ["old_str", "oldString", "old_text", "oldText"],
    new_string: ["new_str", "newString", "new_text", "newText"],
    replace_all: ["replaceAll"],
  },
  grep: {
    pattern: ["regex", "query"],
    path: [...PATH, ...FOLDER],
    glob: ["include", "file_pattern"],
    context: ["-C", "context_lines"],
    limit: MOST,
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

/** Names that say the same in another way. */
const CONVERTED: {
  readonly [tool: string]: { readonly [name: string]: readonly [argument: string, convert: (value: unknown) => unknown] };
} = {
  bash: { timeout_ms: ["timeout", inSeconds] },
  grep: { "-i": ["case_sensitive", inverse], ignore_case: ["case_sensitive", inverse], case_insensitive: ["case_sensitive", inverse] },
};

function inSeconds(value: unknown): unknown {
  return typeof value === "number" ? value / 1000 : value;
}

function inverse(value: unknown): unknown {
  return typeof value === "boolean" ? !value : value;
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

/** Arguments under the tool's own names; or why they cannot be: one is there twice, and nobody can say which was meant. */
export function ownNames(tool: string, args: readonly Argument[]): readonly Argument[] | string {
  const meanings = MEANINGS.get(tool);
  if (!meanings) return args;
  const given = new Map<string, string>();
  const named: Argument[] = [];
  for (const [name, value] of args) {
    const [argument, convert] = meanings.get(name) ?? [name, same];
    const before = given.get(argument);
    if (before !== undefined) return `"${before}" and "${name}" are the same argument of ${tool}. Give it once.`;
    given.set(argument, name);
    named.push([argument, convert(value)]);
  }
  return named;
}
