import { accessSync, closeSync, constants } from "node:fs";
import { ToolError } from "../../core/error.ts";
import type { GrepQuery, Search } from "../../core/ports/host.ts";
import { createPace } from "../../text/pace.ts";
import { display } from "../../text/path.ts";
import { isProcessFile, type PathRules } from "../files/paths.ts";
import { actOnPath, canPin, openFile, type Pinned, pinDirectory, withPinnedAsync } from "../files/pin.ts";
import { nameAsText, type OpenText, PinnedTree } from "../files/pinned-tree.ts";
import { hitKind, holdsLine, parseEngineLine } from "./engine-lines.ts";
import { Matches, SortedRuns } from "./results.ts";
import { type RipgrepRun, runRipgrep } from "./ripgrep.ts";
import { type SearchPlace, searchSafely } from "./safe-search.ts";

const MAX_COLUMNS = 500;
const MAX_PATHS = 100_000;

/** ripgrep over the allowed folders: linear-time patterns, ignore files respected, and off this process's thread. It walks by name, so
 * nothing it says about a folder is shown before `Below` has found the same. */
export const createLocalSearch = (rules: PathRules): Search => ({
  grep: (_permit, query, signal) =>
    actOnPath(rules, { kind: "path", access: "read", path: query.path }, async (canonical) => {
      const matches = await withTarget(
        rules,
        canonical,
        (fd) => grepFile(rules, fd, query, signal, display(canonical, rules.cwd)),
        (dir) => {
          const place = placeOf(writableBy(rules), dir, canonical);
          return searchSafely(place, signal, (args, until) => grepFolder(rules, place, query, args, until));
        },
      );
      // Said of every search inside a read sandbox: whether such a file matched must not show.
      return { ...matches.found(), limited: rules.limitsReads };
    }),

  find: (_permit, { path, pattern, limit }, signal) =>
    actOnPath(rules, { kind: "path", access: "read", path }, async (canonical) => {
      const below = { folder: canonical, writable: writableBy(rules), pattern: relativePattern(pattern, canonical) };
      const names = await findBelow(below, limit, signal);
      return { items: names.slice(0, limit).map((name) => display(joined(canonical, name), rules.cwd)), more: names.length > limit };
    }),
});

/** The names of the files in a folder that its ignore files do not leave out, for a person who types one. No program but the search engine is started. */
export const listFiles = async (folder: string, limit: number, signal: AbortSignal): Promise<string[]> =>
  (await findBelow({ folder, writable: [folder], pattern: undefined }, limit, signal)).slice(0, limit);

interface Below {
  readonly folder: string;
  readonly writable: readonly string[];
  readonly pattern: string | undefined;
}

const findBelow = ({ folder, writable, pattern }: Below, limit: number, signal: AbortSignal): Promise<string[]> =>
  withPinnedAsync(pinDirectory(folder), (dir) => {
    const place = placeOf(writable, dir, folder);
    return searchSafely(place, signal, (more, until) => {
      const args = [...more, "--files", "--null", ...everywhere(pattern, folder), "."];
      return findNames({ args, cwd: place.cwd, writable, stdin: "ignore", ends: "\0" }, place, limit, until);
    });
  });

/** The first names in order that lie where the engine says, and one more if there is one. */
async function findNames(run: RipgrepRun, { dir, root }: SearchPlace, limit: number, signal: AbortSignal): Promise<string[]> {
  const below = new PinnedTree(dir);
  const pace = createPace(signal);
  const said = new SortedRuns();
  const looked = new Map<string, boolean>();
  const isThere = (name: string) => !isProcessFile(joined(root, nameAsText(name))) && below.hasFile(name);
  try {
    for await (const records of runRipgrep(run, signal)) {
      for (const record of records) {
        const name = record.toString("latin1", 2);
        said.add(name);
        // While all may be shown, each is looked at while the engine is still busy.
        if (said.count <= limit) looked.set(name, isThere(name));
        await pace.step();
      }
      if (said.count >= MAX_PATHS) break;
    }
    const shown: string[] = [];
    for (const name of said.inOrder()) {
      await pace.step();
      if (looked.get(name) ?? isThere(name)) shown.push(nameAsText(name));
      if (shown.length > limit) break;
    }
    return shown;
  } finally {
    below.close();
  }
}

/** The descriptor was judged, so what is found through it needs no second look. */
async function grepFile(rules: PathRules, fd: number, query: GrepQuery, signal: AbortSignal, path: string): Promise<Matches> {
  const matches = new Matches(query.limit);
  const args = [...grepArgs(query), "--no-filename", "-"];
  for await (const records of runRipgrep({ args, cwd: "/", writable: writableBy(rules), stdin: fd, ends: "\n" }, signal))
    for (const record of records) {
      const head = /^(\d+)([:-])/.exec(record.toString("latin1", 0, 24));
      if (head && !matches.add(path, { line: Number(head[1]), kind: hitKind(head[2]!), text: record.subarray(head[0].length) }))
        return matches;
    }
  return matches;
}

async function grepFolder(
  rules: PathRules,
  { dir, root, cwd, writable }: SearchPlace,
  query: GrepQuery,
  more: readonly string[],
  signal: AbortSignal,
): Promise<Matches> {
  const matches = new Matches(query.limit);
  const args = [...more, ...grepArgs(query), "--byte-offset", "--with-filename", ...everywhere(query.glob, root), "."];
  const mayShow = (path: string) => !isProcessFile(path) && rules.mayRead(path) === null;
  const below = new PinnedTree(dir);
  const pace = createPace(signal);
  let at: { readonly name: string; readonly path: string; readonly content: OpenText | null } | undefined;
  try {
    for await (const records of runRipgrep({ args, cwd, writable, stdin: "ignore", ends: "name, line" }, signal))
      for (const record of records) {
        const said = parseEngineLine(record);
        if (!said) continue;
        const name = said.names.length === 1 ? said.names[0]! : (said.names.find((name) => below.hasFile(name)) ?? "");
        if (name === "") continue;
        if (name !== at?.name) {
          at?.content?.close();
          const path = joined(root, nameAsText(name));
          const content = mayShow(path) ? below.open(name) : null;
          at = { name, path: display(path, rules.cwd), content };
          // Another name of a file that may not be read.
          if (content && content.stats.nlink > 1 && (await rules.mayReadOpen(path, content.stats))) {
            content.close();
            at = { ...at, content: null };
          }
        }
        await pace.step();
        if (at.content && (await holdsLine(at.content, said, pace)) && !matches.add(at.path, said)) return matches;
      }
    return matches;
  } finally {
    at?.content?.close();
    below.close();
  }
}

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
async function withTarget<T>(
  rules: PathRules,
  canonical: string,
  inFile: (fd: number) => Promise<T>,
  inFolder: (dir: Pinned) => Promise<T>,
): Promise<T> {
  let dir: Pinned;
  try {
    dir = pinDirectory(canonical);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw error;
    const { fd, stats } = openFile(canonical);
    try {
      const refusal = await rules.mayReadOpen(canonical, stats);
      if (refusal) throw new ToolError("policy_blocked", refusal.why);
      return await inFile(fd);
    } finally {
      closeSync(fd);
    }
  }
  return withPinnedAsync(dir, inFolder);
}

/** Where the engine is to run. That the folder may be entered and listed is asked here: the engine would keep silent, or be blamed itself. */
function placeOf(writable: readonly string[], dir: Pinned, root: string): SearchPlace {
  // Its entry ".": Deno looks at the name itself, and that of a descriptor is a link nobody may read.
  accessSync(`${dir.here}/.`, constants.R_OK | constants.X_OK);
  // The one who goes there is a copy of us that has not become another program yet. Of us it may know nothing, where we gave up being root.
  return { dir, root, cwd: canPin ? `/proc/self/fd/${dir.fd}` : root, writable };
}

const writableBy = ({ cwd, roots }: PathRules): string[] => [cwd, ...roots];
