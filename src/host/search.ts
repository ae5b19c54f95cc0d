import { closeSync } from "node:fs";
import type { Found, Match, Search } from "../core/host.ts";
import { display, isWithin } from "../core/path.ts";
import type { PathRules } from "./paths.ts";
import { actingAsync, canPin, openFile, type Pinned, pinDirectory, withPinnedAsync } from "./pin.ts";
import { type Run, ripgrep } from "./ripgrep.ts";

const MAX_COLUMNS = 500;
const MAX_PATHS = 100_000;

/** ripgrep over the allowed folders: linear-time patterns, ignore files respected, and off this process's thread. */
export const localSearch = (rules: PathRules): Search => ({
  grep: (_permit, query, signal) =>
    actingAsync(rules, { kind: "path", access: "read", path: query.path }, async (canonical) => {
      const found = new Matches(rules, query.limit);
      const args = [
        "--line-number",
        "--no-heading",
        "--null",
        `--max-columns=${MAX_COLUMNS}`,
        "--max-columns-preview",
        query.caseSensitive ? "--case-sensitive" : "--ignore-case",
        ...(query.context > 0 ? [`--context=${query.context}`] : []),
        `--regexp=${query.pattern}`,
      ];
      await withTarget(canonical, async (target) => {
        const scope = target.kind === "file" ? ["--no-filename", "-"] : ["--with-filename", ...everywhere(query.glob), "."];
        const onRecord = (line: string) => found.add(line, canonical, target.kind);
        await ripgrep({ ...target.run, args: [...args, ...scope], separator: "\n", onRecord }, signal);
      });
      return found.result();
    }),

  find: (_permit, query, signal) =>
    actingAsync(rules, { kind: "path", access: "read", path: query.path }, async (canonical) => {
      const paths: string[] = [];
      let hidden = 0;
      await withPinnedAsync(pinDirectory(canonical), (dir) => {
        const args = ["--files", "--null", ...everywhere(relativePattern(query.pattern, canonical)), "."];
        const onRecord = (name: string) => {
          const path = inside(rules, canonical, name);
          if (path) paths.push(path);
          else hidden++;
          return paths.length < MAX_PATHS;
        };
        return ripgrep({ args, cwd: placeOf(dir, canonical), stdin: "ignore", separator: "\0", onRecord }, signal);
      });
      const items = paths.map((path) => display(path, rules.cwd)).sort();
      return { items: items.slice(0, query.limit), more: items.length > query.limit, hidden } satisfies Found<string>;
    }),
});

/** Collects matches up to a limit and drops those in files that may not be read. */
class Matches {
  readonly #rules: PathRules;
  readonly #limit: number;
  readonly #items: Match[] = [];
  readonly #files = new Map<string, string | null>();
  #matches = 0;
  #hidden = 0;
  #more = false;

  constructor(rules: PathRules, limit: number) {
    this.#rules = rules;
    this.#limit = limit;
  }

  /** False when there is no room for more. */
  add(record: string, root: string, kind: "file" | "folder"): boolean {
    const split = kind === "file" ? -1 : record.indexOf("\0");
    if (kind === "folder" && split === -1) return true; // a separator between groups, or a note on a binary file
    const parsed = /^(\d+)([:-])(.*)$/s.exec(record.slice(split + 1));
    if (!parsed) return true;
    const path = kind === "file" ? display(root, this.#rules.cwd) : this.#shown(root, record.slice(0, split));
    const isMatch = parsed[2] === ":";
    if (path === null) {
      if (isMatch) this.#hidden++;
      return true;
    }
    if (isMatch && ++this.#matches > this.#limit) {
      this.#more = true;
      return false;
    }
    const text = parsed[3]!.endsWith("\r") ? parsed[3]!.slice(0, -1) : parsed[3]!;
    this.#items.push({ path, line: Number(parsed[1]), text, kind: isMatch ? "match" : "context" });
    return true;
  }

  result(): Found<Match> {
    const order = new Map([...new Set(this.#items.map(({ path }) => path))].sort().map((path, n) => [path, n]));
    const items = [...this.#items].sort((a, b) => order.get(a.path)! - order.get(b.path)! || a.line - b.line);
    return { items, more: this.#more, hidden: this.#hidden };
  }

  #shown(root: string, name: string): string | null {
    let shown = this.#files.get(name);
    if (shown === undefined) {
      const path = inside(this.#rules, root, name);
      shown = path !== null && this.#rules.mayRead(path) === null ? display(path, this.#rules.cwd) : null;
      this.#files.set(name, shown);
    }
    return shown;
  }
}

/** The real path of a hit; null when it is not where the search was allowed to look. */
function inside(rules: PathRules, root: string, name: string): string | null {
  const path = `${root === "/" ? "" : root}/${name.replace(/^\.\//, "")}`;
  const canonical = rules.canonical(path);
  return rules.roots.some((allowed) => isWithin(allowed, canonical)) ? path : null;
}

/** Dot files are searched too, but never the insides of .git. */
const everywhere = (glob: string | undefined) => [
  "--hidden",
  ...(glob === undefined ? [] : [`--glob=${glob.replace(/^!/, "\\!")}`]),
  "--glob=!**/.git/**",
];

/** The engine matches below the folder that is searched, so a pattern may also begin with that folder's own path. */
function relativePattern(pattern: string, root: string): string {
  const relative = pattern.startsWith(`${root}/`) ? pattern.slice(root.length + 1) : pattern.replace(/^\.\//, "");
  return relative.endsWith("/") ? `${relative}**` : relative;
}

interface Target {
  readonly kind: "file" | "folder";
  readonly run: Pick<Run, "cwd" | "stdin">;
}

/** A folder is searched from inside, a file through its open descriptor: neither is looked up by name a second time. */
async function withTarget(canonical: string, search: (target: Target) => Promise<void>): Promise<void> {
  let dir: Pinned;
  try {
    dir = pinDirectory(canonical);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw error;
    const { fd } = openFile(canonical);
    try {
      return await search({ kind: "file", run: { cwd: "/", stdin: fd } });
    } finally {
      closeSync(fd);
    }
  }
  await withPinnedAsync(dir, (dir) => search({ kind: "folder", run: { cwd: placeOf(dir, canonical), stdin: "ignore" } }));
}

const placeOf = ({ fd }: Pinned, canonical: string) => (canPin ? `/proc/${process.pid}/fd/${fd}` : canonical);
