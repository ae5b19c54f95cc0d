import { realpathSync, statSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { createPace, type Pace } from "../../text/pace.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import { type Pinned, pinInside, withPinnedAsync } from "../files/pin.ts";
import { createTemporary } from "../temporary.ts";
import { excludesOf, IGNORE_FILES, ignoresAbove, mayIgnoreEverywhere, systemHome } from "./ignore-files.ts";
import { IgnoreRules, isInRepository, MAX_RULES } from "./ignore-rules.ts";
import { runRipgrep } from "./ripgrep.ts";
import { isSmallTree } from "./tree-size.ts";

export interface SearchPlace {
  readonly dir: Pinned;
  /** Where it was found. */
  readonly root: string;
  /** The same for the engine's process. */
  readonly cwd: string;
  /** Folders that commands can write. */
  readonly writable: readonly string[];
}
/** Searches with these arguments besides its own. */
type SearchWith<T> = (args: readonly string[], signal: AbortSignal) => Promise<T>;

/** A search that is done sooner needs no second look at the tree. */
const PATIENCE_MS = 250;

/**
 * The engine opens ignore files by itself, and would wait for ever for the writer of a pipe, or read a device to no end. Where one of them is
 * nothing a search may open, the search begins again with rules that were read here, and the engine opens none.
 */
export async function searchSafely<T>(place: SearchPlace, signal: AbortSignal, search: SearchWith<T>): Promise<T> {
  if (!around(place.root).some((file) => isOdd(file, null)) && !inFolder(place.root).some((file) => isOdd(file, place.root))) {
    const watch = watchIgnores(place);
    try {
      return await search(plainArgs(place), AbortSignal.any([signal, watch.signal]));
    } catch (error) {
      if (!watch.signal.aborted || signal.aborted) throw error;
    } finally {
      await watch.stop();
    }
  }
  return withOwnRules(place, signal, search);
}

/** What makes the start of the engine shorter and changes nothing of what it finds. */
const plainArgs = ({ dir, root }: SearchPlace): string[] => [
  ...(mayIgnoreEverywhere(systemHome()) ? [] : ["--no-ignore-global"]),
  ...(isSmallTree(dir.here, root) ? ["--threads=1"] : []),
];

const around = (root: string): string[] => ignoresAbove(root, systemHome()).files;
const inFolder = (folder: string): string[] => [...IGNORE_FILES.map((name) => `${folder}/${name}`), ...excludesOf(`${folder}/.git`)];

/** Neither absent nor a regular file of a sensible size; inside a folder that is searched, also a link that leads out of it. */
function isOdd(file: string, within: string | null): boolean {
  const stats = statExact(file);
  if (stats === null || stats.isDirectory()) return false;
  if (!stats.isSymbolicLink()) return !stats.isFile() || stats.size > MAX_RULES;
  const target = statExact(file, statSync);
  if (target === null || target.isDirectory()) return false;
  return !target.isFile() || target.size > MAX_RULES || (within !== null && !leadsInside(file, within));
}

const leadsInside = (file: string, within: string): boolean => attempt(() => isWithin(within, realpathSync.native(file)), false);

const MAX_DEPTH = 200;

/** Aborts its signal when an odd ignore file lies anywhere below the folder. Looks only at searches that take their time. */
function watchIgnores({ dir, root }: SearchPlace): { readonly signal: AbortSignal; stop(): Promise<void> } {
  const stop = new AbortController();
  const found = new AbortController();
  const look = async (folder: Pinned, depth: number, pace: Pace): Promise<void> => {
    if (inFolder(folder.here).some((file) => isOdd(file, root))) return found.abort();
    if (depth > MAX_DEPTH) return;
    for (const entry of await readdir(folder.here, { withFileTypes: true, encoding: "buffer" })) {
      if (found.signal.aborted) return;
      await pace.step();
      if (entry.isDirectory() && entry.name.toString() !== ".git")
        await withPinnedAsync(pinInside(folder, entry.name), (inner) => look(inner, depth + 1, pace)).catch(passOver);
    }
  };
  // A folder that went or may not be entered is passed over, as by the engine.
  const passOver = () => stop.signal.throwIfAborted();
  let looking = Promise.resolve();
  const timer = setTimeout(() => {
    looking = look(dir, 0, createPace(stop.signal)).catch(() => {});
  }, PATIENCE_MS);
  return {
    signal: found.signal,
    // The folder is let go after this, so nobody may be looking any more.
    async stop() {
      clearTimeout(timer);
      stop.abort();
      await looking;
    },
  };
}

const MOST_FOLDERS = 5000;

async function withOwnRules<T>({ dir, root, cwd, writable }: SearchPlace, signal: AbortSignal, search: SearchWith<T>): Promise<T> {
  const folder = createTemporary({ kind: "search" });
  const given = (name: string, rules: IgnoreRules) => {
    const file = join(folder.path, name);
    writeFileSync(file, rules.text(), { mode: 0o600, flag: "wx" });
    return ["--no-ignore", `--ignore-file=${file}`];
  };
  try {
    const rules = new IgnoreRules();
    for (const file of around(root).reverse()) rules.addAbove(file, isInRepository(root));
    rules.addFolder({ folder: dir.here, below: "", inside: root, isRepository: isInRepository(root) });
    const wanted = IGNORE_FILES.map((name) => `--glob=${name}`);
    const args = ["--files", "--null", "--hidden", ...given("first", rules), ...wanted, "--glob=!.git/", "."];
    const folders = new Set<string>();
    for await (const records of runRipgrep({ args, cwd, writable, stdin: "ignore", ends: "\0" }, signal)) {
      for (const record of records) folders.add(parentOf(record.toString("utf8", 1)));
      if (folders.size >= MOST_FOLDERS) break;
    }
    // Outer folders come first: of two rules the later one counts.
    for (const below of [...folders].filter((path) => path !== "/").sort((a, b) => a.split("/").length - b.split("/").length)) {
      const isRepository = isInRepository(root) || isInRepository(`${dir.here}${below}`, dir.here);
      rules.addFolder({ folder: `${dir.here}${below}`, below, inside: root, isRepository });
    }
    return await search(given("all", rules), signal);
  } finally {
    folder.remove();
  }
}
