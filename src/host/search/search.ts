import { accessSync, closeSync, constants } from "node:fs";
import { ToolError } from "../../core/error.ts";
import type { GrepQuery, Search, SearchResult } from "../../core/ports/host.ts";
import { createPace } from "../../text/pace.ts";
import { display } from "../../text/path.ts";
import { isProcessFile, type PathRules } from "../files/paths.ts";
import { actOnPath, canPin, openFile, type Pinned, pinDirectory, withPinnedAsync } from "../files/pin.ts";
import { contentOf, nameAsText, type OpenText, PinnedTree } from "../files/pinned-tree.ts";
import { findBinaryFiles, isBinaryNote } from "./binary-files.ts";
import { engineGlobs } from "./engine-globs.ts";
import { holdsLine, MAX_COLUMNS, parseEngineLine, parsePlacedLine, shownText } from "./engine-lines.ts";
import { countFiles } from "./file-counts.ts";
import { Matches, SortedRuns } from "./results.ts";
import { type RipgrepRun, runRipgrep } from "./ripgrep.ts";
import { type SearchPlace, searchSafely } from "./safe-search.ts";

const MAX_PATHS = 100_000;

/** ripgrep over the allowed folders: linear-time patterns, ignore files respected, and off this process's thread. It walks by name, so
 * nothing it says about a folder is shown before `Below` has found the same. */
export const createLocalSearch = (rules: PathRules): Search => ({
  grep: (_permit, query, signal) =>
    actOnPath(rules, { kind: "path", access: "read", path: query.path }, (canonical) =>
      withTarget(
        rules,
        canonical,
        async (fd) => {
          const path = display(canonical, rules.cwd);
          const { matches, isBinary } = await grepFile(rules, fd, query, signal, path);
          return { ...matches.found(), ...(isBinary && { binary: { paths: [path], more: false } }), limited: rules.limitsReads };
        },
        async (dir) => {
          const place = placeOf(writableBy(rules), dir, canonical);
          const globs = query.glob === undefined ? [] : engineGlobs(query.glob, canonical, rules.cwd);
          const mayLook = rules.limitsReads ? (name: string) => rules.mayRead(joined(canonical, name)) === null : null;
          const found = await orWhy({ place, globs, workspace: rules.cwd, mayLook }, signal, async (args, until) => {
            const all = [...args, ...everywhere(globs, canonical)];
            const found = (await grepFolder(rules, place, query, all, until)).found();
            return found.items.length > 0 ? found : { ...found, ...(await binaryIn(rules, place, query, all, until)) };
          });
          // Said of every search inside a read sandbox: whether such a file matched must not show.
          return { ...found, limited: rules.limitsReads };
        },
      ),
    ),

  find: (_permit, { path, pattern, limit }, signal) =>
    actOnPath(rules, { kind: "path", access: "read", path }, (canonical) =>
      withPinnedAsync(pinDirectory(canonical), (dir) => {
        const place = placeOf(writableBy(rules), dir, canonical);
        const globs = engineGlobs(pattern, canonical, rules.cwd);
        return orWhy({ place, globs, workspace: rules.cwd, mayLook: null }, signal, async (args, until) => {
          const names = await findNames([...args, ...everywhere(globs, canonical)], place, limit, until);
          return { items: names.slice(0, limit).map((name) => display(joined(canonical, name), rules.cwd)), more: names.length > limit };
        });
      }),
    ),
});

interface Scope {
  readonly place: SearchPlace;
  readonly globs: readonly string[];
  readonly workspace: string;
  /** Which files are searched, by their names below the folder; null for all. */
  readonly mayLook: ((name: string) => boolean) | null;
}

/** Where nothing is found, the reason. A folder that the ignore files above leave out is searched all the same where somebody names it. */
async function orWhy<T>(
  { place, globs, workspace, mayLook }: Scope,
  signal: AbortSignal,
  search: (args: readonly string[], until: AbortSignal) => Promise<SearchResult<T>>,
): Promise<SearchResult<T>> {
  const found = await searchSafely(place, signal, search);
  if (isSomething(found)) return found;
  const counted = (globs: readonly string[], more: readonly string[]) =>
    searchSafely(place, signal, (args, until) => countFiles(place, [...args, ...more, ...everywhere(globs, place.root)], mayLook, until));
  const named = place.root === workspace ? [] : ["--no-ignore-parent"];
  const [searched, all, unignored] = await Promise.all([
    counted(globs, []),
    globs.length === 0 ? null : counted([], []),
    counted(globs, ["--no-ignore", "--no-ignore-files"]),
  ]);
  if (named.length > 0 && (all ?? searched) === 0 && unignored > 0) {
    const inside = await searchSafely(place, signal, (args, until) => search([...args, ...named], until));
    if (isSomething(inside)) return { ...inside, isIgnoredFolder: true };
  }
  return {
    ...found,
    files: { searched, leftByGlob: all === null ? 0 : Math.max(0, all - searched), leftByIgnore: Math.max(0, unignored - searched) },
  };
}

const isSomething = ({ items, binary }: SearchResult<unknown>): boolean => items.length > 0 || binary !== undefined;

/** The names of the files in a folder that its ignore files do not leave out, for a person who types one. No program but the search engine is started. */
export const listFiles = (folder: string, limit: number, signal: AbortSignal): Promise<string[]> =>
  withPinnedAsync(pinDirectory(folder), async (dir) => {
    const place = placeOf([folder], dir, folder);
    const names = await searchSafely(place, signal, (more, until) => findNames([...more, ...everywhere([], folder)], place, limit, until));
    return names.slice(0, limit);
  });

/** The first names in order that lie where the engine says, and one more if there is one. */
async function findNames(more: readonly string[], { dir, root, cwd, writable }: SearchPlace, limit: number, signal: AbortSignal) {
  const run: RipgrepRun = { args: [...more, "--files", "--null", "."], cwd, writable, stdin: "ignore", ends: "\0" };
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
async function grepFile(rules: PathRules, fd: number, query: GrepQuery, signal: AbortSignal, path: string) {
  let isBinary = false;
  const matches = new Matches(query.limit);
  const args = [...grepArgs(query), "--no-filename", "-"];
  const content = contentOf(fd);
  const pace = createPace(signal);
  for await (const records of runRipgrep({ args, cwd: "/", writable: writableBy(rules), stdin: fd, ends: "\n" }, signal))
    for (const record of records) {
      if (isBinaryNote(record)) isBinary = true;
      const said = parsePlacedLine(record);
      if (said && !matches.add(path, { ...said, text: await shownText(said, content.bytes, pace) })) return { matches, isBinary };
    }
  return { matches, isBinary };
}

/** The binary files of a folder that match; nothing where there are none. */
async function binaryIn(
  rules: PathRules,
  { dir, root, cwd, writable }: SearchPlace,
  query: GrepQuery,
  more: readonly string[],
  signal: AbortSignal,
): Promise<Pick<SearchResult<never>, "binary">> {
  const below = new PinnedTree(dir);
  const confirm = async (name: string) => {
    const path = joined(root, nameAsText(name));
    const content = isProcessFile(path) || rules.mayRead(path) !== null ? null : below.open(name);
    if (content === null) return null;
    try {
      if (content.stats.nlink > 1 && (await rules.mayReadOpen(path, content.stats))) return null;
      const shown = display(path, rules.cwd);
      return (await grepFile(rules, content.fd, { ...query, limit: 1 }, signal, shown)).isBinary ? shown : null;
    } finally {
      content.close();
    }
  };
  try {
    const binary = await findBinaryFiles({ args: [...more, ...whatOf(query), "."], cwd, writable, confirm }, signal);
    return binary.more || binary.paths.length > 0 ? { binary } : {};
  } finally {
    below.close();
  }
}

async function grepFolder(
  rules: PathRules,
  { dir, root, cwd, writable }: SearchPlace,
  query: GrepQuery,
  more: readonly string[],
  signal: AbortSignal,
): Promise<Matches> {
  const matches = new Matches(query.limit);
  const args = [...more, ...grepArgs(query), "--with-filename", "."];
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
        if (!at.content || !(await holdsLine(at.content, said, pace))) continue;
        if (!matches.add(at.path, { ...said, text: await shownText(said, at.content.bytes, pace) })) return matches;
      }
    return matches;
  } finally {
    at?.content?.close();
    below.close();
  }
}

const joined = (root: string, name: string) => `${root === "/" ? "" : root}/${name}`;

const grepArgs = ({ context, ...what }: GrepQuery) => [
  "--line-number",
  "--column",
  "--byte-offset",
  "--no-heading",
  "--null",
  "--no-context-separator",
  `--max-columns=${MAX_COLUMNS}`,
  "--max-columns-preview",
  ...(context > 0 ? [`--context=${context}`] : []),
  ...whatOf(what),
];

const whatOf = ({ pattern, caseSensitive }: Pick<GrepQuery, "pattern" | "caseSensitive">) => [
  caseSensitive ? "--case-sensitive" : "--ignore-case",
  // `$` stands before either end of a line. The engine takes no pattern that names a carriage return then.
  ...(NAMES_RETURN.test(pattern) ? [] : ["--crlf"]),
  `--regexp=${pattern}`,
];
const NAMES_RETURN = /\r|\\(?:r|[xu]\{?0*d)/i;

/** Dot files are searched too, but never the insides of .git or of running processes. */
const everywhere = (globs: readonly string[], root: string) => [
  "--hidden",
  ...globs.map((glob) => `--glob=${glob}`),
  "--glob=!.git/",
  ...(root === "/" ? ["--glob=!/proc/[0-9]*"] : []),
  ...(root === "/proc" ? ["--glob=!/[0-9]*"] : []),
];

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
