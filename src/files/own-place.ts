import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isBelowAgent } from "./agent-process.ts";
import { commandPlaceOf, noteCommandFolders } from "./command-folders.ts";
import { openPrivateCopy, stampOf } from "./private-copy.ts";
import { stateFolder } from "./state-folder.ts";

/** The package this code lies in; null where it was not built, or was built into another program. */
const ROOT = ((): string | null => {
  const folder = dirname(fileURLToPath(import.meta.url));
  return /\/dist\/(?:cli|lib)$/.test(folder) ? dirname(dirname(folder)) : null;
})();

let copy: string | null = null;
/** The package as it is installed, where commands may write it. */
let installed: Installed | null = null;
let secured: Promise<void> | null = null;
let loadLate: () => Promise<unknown> = () => Promise.resolve();

export interface Installed {
  readonly root: string;
  /** All its files, and those of the packages that were copied with it. */
  readonly watched: readonly string[];
}

/** Told by a process that was started from the private copy. */
export function setInstalled(place: Installed): void {
  installed = place;
}

export interface OwnMark {
  readonly root: string;
  readonly mark: string;
}

/** What the installed files are now: another mark says that somebody changed them. Null where no command can. */
export const ownMark = (): OwnMark | null =>
  installed && { root: installed.root, mark: installed.watched.map((path) => `${path} ${stampOf(path)}`).join("\n") };

/** What is to be loaded before commands can change it. */
export function setLateModules(load: () => Promise<unknown>): void {
  loadLate = load;
}

/**
 * To be called when it is known which folders a model may write. Where the package lies in one of them, programs and threads come from a private copy
 * from then on, and everything that would be read later is read now. Throws a CopyError where the package is not what it was.
 */
export function beginSecuring(folders: readonly string[]): void {
  noteCommandFolders(folders);
  if (secured !== null || ROOT === null || commandPlaceOf(ROOT) === null) return;
  const state = stateFolder();
  const opened = openPrivateCopy({ root: ROOT, state, isBelowAgent: () => isBelowAgent(process.pid, join(state, "audit.jsonl")) });
  copy = opened?.copy ?? null;
  installed = opened && { root: ROOT, watched: opened.watched };
  secured = loadLate().then(() => {});
  secured.catch(() => {});
}

/** To be awaited before anything of a model writes these folders. */
export async function secureOwnPlace(folders: readonly string[]): Promise<void> {
  beginSecuring(folders);
  await secured;
}

/** Where the code of a thread or a helper process lies that is named beside the code which starts it. */
export const ownFile = (url: URL): URL => (copy === null ? url : pathToFileURL(join(copy, "dist/cli", basename(fileURLToPath(url)))));

/** ripgrep in the private copy; null where the one that is installed may be started. */
export const copiedRipgrep = (): string | null =>
  copy && join(copy, "node_modules/@vscode", `ripgrep-${process.platform}-${process.arch}`, "bin/rg");
