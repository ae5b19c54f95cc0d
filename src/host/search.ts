import { accessSync, closeSync, constants } from "node:fs";
import type { Found, GrepQuery, Match, Search } from "../core/host.ts";
import { display } from "../core/path.ts";
import { Below, type Content, Turns } from "./below.ts";
import { isProcessFile, type PathRules } from "./paths.ts";
import { actingAsync, canPin, openFile, type Pinned, pinDirectory, withPinnedAsync } from "./pin.ts";
import { type Run, ripgrep } from "./ripgrep.ts";

const MAX_COLUMNS = 500;
const MAX_PATHS = 100_000;
/** More text than anybody reads. Beyond it the limit counts as reached. */
const MAX_TEXT = 4 * 1024 * 1024;
const RUN_OF_PATHS = 4096;

/** ripgrep over the allowed folders: linear-time patterns, ignore files respected, and off this process's thread. It walks by name, so
 * nothing it says about a folder is shown before `Below` has found the same. */
export const localSearch = (rules: PathRules): Search => ({
  grep: (_permit, query, signal) =>
    actingAsync(rules, { kind: "path", access: "read", path: query.path }, async (canonical) => {
      const matches = new Matches(query.limit);
      await withTarget(
        canonical,
        (fd) => grepFile(fd, query, signal, (hit) => matches.add(display(canonical, rules.cwd), hit)),
        (dir) => grepFolder(rules, dir, canonical, query, signal, (path, hit) => matches.add(path, hit)),
      );
      // Said of every search inside a read sandbox: whether such a file matched must not show.
      return { ...matches.found(), limited: rules.limitsReads };
    }),

  find: (_permit, { path, pattern, limit }, signal) =>
    actingAsync(rules, { kind: "path", access: "read", path }, (canonical) =>
      withPinnedAsync(pinDirectory(canonical), async (dir) => {
        const args = ["--files", "--null", ...everywhere(relativePattern(pattern, canonical), canonical), "."];
        const run = { args, cwd: placeOf(dir, canonical), stdin: "ignore", separator: "\0" } as const;
        const names = await findNames(run, dir, canonical, limit, signal);
        return { items: names.slice(0, limit).map((name) => display(joined(canonical, name), rules.cwd)), more: names.length > limit };
      }),
    ),
});

/** The first names in order that lie where the engine says, and one more if there is one. */
async function findNames(run: Run, dir: Pinned, root: string, limit: number, signal: AbortSignal): Promise<string[]> {
  const below = new Below(dir);
  const turns = new Turns(signal);
  const said = new SortedRuns();
  const looked = new Map<string, boolean>();
  const isThere = (name: string) => !isProcessFile(joined(root, name)) && below.hasFile(name);
  try {
    for await (const records of ripgrep(run, signal)) {
      for (const record of records) {
        const name = record.toString("utf8", 2);
        said.add(name);
        // While all may be shown, each is looked at while the engine is still busy.
        if (said.count <= limit) looked.set(name, isThere(name));
        if (turns.due) await turns.next();
      }
      if (said.count >= MAX_PATHS) break;
    }
    const shown: string[] = [];
    for (const name of said.inOrder()) {
      if (turns.due) await turns.next();
      if (looked.get(name) ?? isThere(name)) shown.push(name);
      if (shown.length > limit) break;
    }
    return shown;
  } finally {
    below.close();
  }
}

interface Hit {
  readonly line: number;
  readonly kind: Match["kind"];
  readonly text: Buffer;
}
/** False when there is no room for more. */
type Keep<T extends unknown[]> = (...hit: T) => boolean;

/** The descriptor was judged, so what is found through it needs no second look. */
async function grepFile(fd: number, query: GrepQuery, signal: AbortSignal, keep: Keep<[Hit]>): Promise<void> {
  const args = [...grepArgs(query), "--no-filename", "-"];
  for await (const records of ripgrep({ args, cwd: "/", stdin: fd, separator: "\n" }, signal))
    for (const record of records) {
      const head = /^(\d+)([:-])/.exec(record.toString("latin1", 0, 24));
      if (head && !keep({ line: Number(head[1]), kind: kindOf(head[2]!), text: record.subarray(head[0].length) })) return;
    }
}

async function grepFolder(
  rules: PathRules,
  dir: Pinned,
  root: string,
  query: GrepQuery,
  signal: AbortSignal,
  keep: Keep<[string, Hit]>,
): Promise<void> {
  const args = [...grepArgs(query), "--byte-offset", "--with-filename", ...everywhere(query.glob, root), "."];
  const mayShow = (path: string) => !isProcessFile(path) && rules.mayRead(path) === null;
  const below = new Below(dir);
  const turns = new Turns(signal);
  let at: { readonly name: string; readonly path: string; readonly content: Content | null } | undefined;
  try {
    for await (const records of ripgrep({ args, cwd: placeOf(dir, root), stdin: "ignore", separator: "\n" }, signal))
      for (const record of records) {
        const said = parsed(record);
        if (!said) continue;
        if (said.name !== at?.name) {
          at?.content?.close();
          const path = joined(root, said.name);
          at = { name: said.name, path: display(path, rules.cwd), content: mayShow(path) ? below.open(said.name) : null };
        }
        if (turns.due) await turns.next();
        if (at.content && (await holds(at.content, said, turns)) && !keep(at.path, said)) return;
      }
  } finally {
    at?.content?.close();
    below.close();
  }
}

interface Said extends Hit {
  readonly name: string;
  readonly offset: number;
}

/** `./name NUL line:offset:text`. Null for a note on a binary file, and for a part of a name that holds a line break. */
function parsed(record: Buffer): Said | null {
  const end = record.indexOf(0);
  if (end < 3 || record.toString("latin1", 0, 2) !== "./") return null;
  const head = /^(\d+)([:-])(\d+)\2/.exec(record.toString("latin1", end + 1, end + 48));
  if (!head) return null;
  const text = record.subarray(end + 1 + head[0].length);
  return { name: record.toString("utf8", 2, end), line: Number(head[1]), kind: kindOf(head[2]!), offset: Number(head[3]), text };
}

const LINE_END = 0x0a;
const CUT = Buffer.from(" [... omitted end of long line]");

/** Whether the file really has this line there. */
async function holds(content: Content, { offset, text }: Said, turns: Turns): Promise<boolean> {
  const before = offset === 0 ? 0 : 1;
  const answer = content.bytes(offset - before, before + text.length + 1, turns);
  const bytes = answer instanceof Promise ? await answer : answer;
  if (before === 1 && bytes[0] !== LINE_END) return false;
  const line = bytes.subarray(before);
  if (startsWith(line, text) && (line.length === text.length || line[text.length] === LINE_END)) return true;
  return text.subarray(-CUT.length).equals(CUT) && startsWith(line, text.subarray(0, -CUT.length));
}

const startsWith = (bytes: Buffer, start: Buffer) => bytes.subarray(0, start.length).equals(start);

/** Collects matches up to a limit, file by file. */
class Matches {
  readonly #limit: number;
  readonly #files = new Map<string, Match[]>();
  #count = 0;
  #size = 0;
  #more = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** False when there is no room for more. */
  add(path: string, { line, kind, text }: Hit): boolean {
    this.#size += path.length + text.length;
    if ((kind === "match" && ++this.#count > this.#limit) || this.#size > MAX_TEXT) {
      this.#more = true;
      return false;
    }
    const lines = this.#files.get(path) ?? [];
    if (lines.length === 0) this.#files.set(path, lines);
    lines.push({ path, line, text: text.toString("utf8", 0, text.at(-1) === 0x0d ? text.length - 1 : text.length), kind });
    return true;
  }

  found(): Found<Match> {
    const paths = [...this.#files.keys()].sort();
    return { items: paths.flatMap((path) => this.#files.get(path)!), more: this.#more };
  }
}

/** Names in order, sorted a run at a time: to sort all of them at once would hold up everybody else. */
class SortedRuns {
  readonly #runs: string[][] = [];
  #open: string[] = [];
  count = 0;

  add(name: string): void {
    this.count++;
    if (this.#open.push(name) === RUN_OF_PATHS) this.#close();
  }

  *inOrder(): Generator<string> {
    this.#close();
    const next = this.#runs.map(() => 0);
    for (;;) {
      let least = -1;
      for (const [n, run] of this.#runs.entries())
        if (next[n]! < run.length && (least === -1 || run[next[n]!]! < this.#runs[least]![next[least]!]!)) least = n;
      if (least === -1) return;
      yield this.#runs[least]![next[least]!++]!;
    }
  }

  #close(): void {
    this.#runs.push(this.#open.sort());
    this.#open = [];
  }
}

const kindOf = (mark: string): Match["kind"] => (mark === ":" ? "match" : "context");
const joined = (root: string, name: string) => `${root === "/" ? "" : root}/${name}`;

const grepArgs = ({ pattern, caseSensitive, context }: GrepQuery) => [
  "--line-number",
  "--no-heading",
  "--null",
  "--no-context-separator",
  `--max-columns=${MAX_COLUMNS}`,
  "--max-columns-preview",
  caseSensitive ? "--case-sensitive" : "--ignore-case",
  ...(context > 0 ? [`--context=${context}`] : []),
  `--regexp=${pattern}`,
];

/** Dot files are searched too, but never the insides of .git or of running processes. */
const everywhere = (glob: string | undefined, root: string) => [
  "--hidden",
  ...(glob === undefined ? [] : [`--glob=${glob.replace(/^!/, "\\!")}`]),
  "--glob=!.git/",
  ...(root === "/" ? ["--glob=!/proc/[0-9]*"] : []),
  ...(root === "/proc" ? ["--glob=!/[0-9]*"] : []),
];

/** The engine matches below the folder that is searched, so a pattern may also begin with that folder's own path. */
function relativePattern(pattern: string, root: string): string {
  const relative = pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern.replace(/^\.\//, "");
  return relative.endsWith("/") ? `${relative}**` : relative;
}

/** A folder is searched from inside, a file through its open descriptor: neither is looked up by name a second time. */
async function withTarget(
  canonical: string,
  inFile: (fd: number) => Promise<void>,
  inFolder: (dir: Pinned) => Promise<void>,
): Promise<void> {
  let dir: Pinned;
  try {
    dir = pinDirectory(canonical);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw error;
    const { fd } = openFile(canonical);
    try {
      return await inFile(fd);
    } finally {
      closeSync(fd);
    }
  }
  await withPinnedAsync(dir, inFolder);
}

/** Where the engine is to run. That the folder may be entered and listed is asked here: the engine would keep silent, or be blamed itself. */
function placeOf({ fd, here }: Pinned, canonical: string): string {
  accessSync(here, constants.R_OK | constants.X_OK);
  return canPin ? `/proc/${process.pid}/fd/${fd}` : canonical;
}
