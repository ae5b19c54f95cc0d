import { createHash } from "node:crypto";
import { readdirSync, readlinkSync, statSync } from "node:fs";
import type { Facts } from "../../core/ports/facts.ts";
import type { Look, Watch, WatchReach } from "../../core/ports/watch.ts";
import { statExact } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { createPace } from "../../text/pace.ts";
import { excludesOf, IGNORE_FILES, ignoresAbove, systemHome } from "../search/ignore-files.ts";
import { type Clocks, Fingerprint } from "./fingerprint.ts";
import { absolutePath } from "./paths.ts";

/** Looks at files by identity, size and both times. A change of content moves the second time, and nobody can set that one back. */
export function createLocalWatch(facts: Pick<Facts, "cwd" | "home" | "canonical">, searchHome = systemHome()): Watch {
  const addIgnores = (stamps: Fingerprint, root: string): boolean => {
    const { files, repositories } = ignoresAbove(root, searchHome);
    stamps.note(`in ${repositories.join(" ")}`);
    return files.every((file) => addRules(stamps, file));
  };
  return {
    async target(paths, reach, most) {
      const stamps = new Fingerprint(new Map());
      let isTree = false;
      for (const { path } of paths) {
        const canonical = resolved(facts, path);
        const stats = canonical === null ? null : statExact(canonical);
        if (canonical === null || stats === null) return null;
        stamps.note(canonical);
        const isWalked = stats.isDirectory() && reach !== "entries";
        isTree ||= isWalked;
        const isAdded = isWalked
          ? addIgnores(stamps, canonical) && (await addTree(stamps, canonical, reach, most))
          : (stats.isFile() || stats.isDirectory()) && stamps.add(canonical, stats);
        if (!isAdded) return null;
      }
      return { isTree, ...digested(stamps.look()) };
    },
    way(paths, reach) {
      const clocks: Clocks = new Map();
      const steps: (readonly Look[])[] = [];
      for (const { path } of paths) {
        const canonical = resolved(facts, path);
        if (canonical === null || !addSteps(steps, absolutePath(path, facts.cwd, facts.home), clocks)) return null;
        if (reach === "entries" || !statExact(canonical)?.isDirectory()) continue;
        const rules = new Fingerprint(clocks);
        if (!addIgnores(rules, canonical)) return null;
        steps.push([rules.look()]);
      }
      return steps;
    },
  };
}

/** Null when it cannot be resolved: running the call will say why. */
const resolved = (facts: Pick<Facts, "canonical">, path: string): string | null => attempt(() => facts.canonical(path), null);

/** Every folder below, with the files whose contents count. Not the insides of .git. */
async function addTree(stamps: Fingerprint, root: string, reach: WatchReach, most: number): Promise<boolean> {
  const pace = createPace();
  const folders = [root];
  const files: string[] = [];
  const rules: string[] = [];
  let room = most;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    // Looked at before it is listed: what comes in between shows the next time.
    const stats = statExact(folder);
    if (!stats?.isDirectory() || !stamps.add(folder, stats)) return false;
    const entries = listed(folder);
    if (entries === null || entries.length > room) return false;
    room -= entries.length;
    for (const entry of entries) {
      const path = `${folder === "/" ? "" : folder}/${entry.name}`;
      if (entry.name === ".git") rules.push(...excludesOf(path));
      else if (entry.isDirectory()) folders.push(path);
      else if (IGNORE_FILES.includes(entry.name)) rules.push(path);
      else if (reach === "contents") files.push(path);
    }
    await pace.step();
  }
  for (const file of files) {
    const stats = statExact(file);
    if (stats === null || !stamps.add(file, stats)) return false;
    await pace.step();
  }
  return rules.every((file) => addRules(stamps, file));
}

/** A list of what to leave out, which may be a link to one, or not be there. */
function addRules(stamps: Fingerprint, path: string): boolean {
  const stats = statExact(path);
  if (stats === null) {
    stamps.note(`no ${path}`);
    return true;
  }
  if (!stamps.add(path, stats)) return false;
  if (!stats.isSymbolicLink()) return true;
  const target = statExact(path, statSync);
  return target === null || stamps.add(path, target);
}

/** A folder that may not be listed has nothing to show, and its own time moves when that changes. Null when it is gone. */
function listed(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EACCES" ? [] : null;
  }
}

const MAX_LINKS = 40;

/** The entries a path leads through, each with the folder around it: others come and go in a busy folder, and a busy entry may lie in a quiet one. */
function addSteps(steps: (readonly Look[])[], path: string, clocks: Clocks): boolean {
  const pending = path.split("/");
  let at = "";
  let around = lookOf("/", clocks);
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = at.slice(0, Math.max(0, at.lastIndexOf("/")));
      around = lookOf(at || "/", clocks);
      continue;
    }
    const next = `${at}/${name}`;
    const entry = lookOf(next, clocks);
    if (entry === null || around === null) return false;
    steps.push([entry.look, around.look]);
    if (!entry.isLink) {
      at = next;
      around = entry;
      continue;
    }
    const target = linkTarget(next);
    if (target === null || ++links > MAX_LINKS) return false;
    if (target.startsWith("/")) {
      at = "";
      around = lookOf("/", clocks);
    }
    pending.unshift(...target.split("/"));
  }
  return true;
}

function lookOf(path: string, clocks: Clocks): { readonly look: Look; readonly isLink: boolean } | null {
  const stats = statExact(path);
  const stamps = new Fingerprint(clocks);
  return stats !== null && stamps.add(path, stats) ? { look: stamps.look(), isLink: stats.isSymbolicLink() } : null;
}

const linkTarget = (path: string): string | null => attempt(() => readlinkSync(path), null);

/** What is kept of a tree is as short as what is kept of a file. */
const digested = (look: Look): Look =>
  look.state.length < 500 ? look : { ...look, state: createHash("sha256").update(look.state).digest("base64url") };
