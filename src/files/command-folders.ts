import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { attempt } from "../text/attempt.ts";
import { followLinks } from "./follow-links.ts";
import { lastingIdentity, statEntry } from "./stat.ts";

/** Folders that commands of this process may write, as they really lie, with device and number. */
const folders = new Map<string, string | null>();
/** As they were named: to ask the system again for each command would cost it time. */
const named = new Set<string>();
const MOST_FOLDERS = 4096;

/**
 * Notes folders that commands may write. They stay noted when their session is over: what a command left there stays too.
 * The root and the home are left out: no walls open them whole, and without walls every place of the person is open.
 */
export function noteCommandFolders(paths: readonly string[]): void {
  for (const path of paths) {
    if (named.has(path)) continue;
    const real = realOf(path);
    if (folders.size >= MOST_FOLDERS) forgetGone();
    named.add(path);
    if (folders.has(real) || isNeverOpened(real)) continue;
    folders.set(real, identityOf(real));
  }
}

/**
 * Where the way to this path enters a folder that commands may write, by the path itself or by a link on the way; null where it does not.
 * `more` are such folders besides those that were noted. Where none is known the working folder counts.
 */
export function commandPlaceOf(path: string, more: readonly string[] = []): string | null {
  if (!path.startsWith("/")) return path === "" ? "." : path;
  const others = more.filter((folder) => !isNeverOpened(folder));
  const known = [...folders.keys(), ...others];
  const roots = known.length > 0 ? known : startFolder();
  const marks = [...folders.values(), ...(known.length > 0 ? others : roots).map(identityOf)];
  const found = followLinks(path, roots, new Set(marks.filter((mark) => mark !== null)));
  return found?.isSteered ? found.path : null;
}

/** A PATH without the folders that commands may write, and those. Relative ones and empty ones are such folders: they mean wherever a command led. */
export function splitPath(path: string, more: readonly string[] = []): { readonly path: string; readonly dropped: readonly string[] } {
  const entries = path.split(":");
  const dropped = path === "" ? [] : entries.filter((entry) => commandPlaceOf(entry, more) !== null);
  return { path: entries.filter((entry) => entry !== "" && !dropped.includes(entry)).join(":"), dropped: [...new Set(dropped)] };
}

const realOf = (path: string): string => attempt(() => realpathSync.native(path), resolve(path));

const identityOf = (path: string): string | null => {
  const stats = statEntry(path);
  return stats && lastingIdentity(stats);
};

const isNeverOpened = (real: string): boolean =>
  real === "/" || real === realOf(process.env.HOME || homedir()) || real === realOf(homedir());

const startFolder = (): readonly string[] => {
  const cwd = attempt(() => realOf(process.cwd()), null);
  return cwd === null || isNeverOpened(cwd) ? [] : [cwd];
};

/** What is gone holds nothing. */
function forgetGone(): void {
  named.clear();
  for (const path of folders.keys()) if (statEntry(path) === null) folders.delete(path);
}
