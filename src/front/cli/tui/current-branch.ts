import { dirname, join, resolve } from "node:path";
import { readOwnText } from "../../../files/own-file.ts";

const LIMIT = { maxBytes: 4096 };
const MOST_FOLDERS = 64;

/** The branch of the repository around a folder, or the beginning of the commit that is checked out. Read, not asked of git: nobody waits for a process. */
export function currentBranch(cwd: string): string | undefined {
  for (let folder = cwd, n = 0; n < MOST_FOLDERS; n++, folder = dirname(folder)) {
    const head = readHead(join(folder, ".git"));
    if (head !== null) return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? /^[\da-f]{7}/.exec(head)?.[0];
    if (folder === dirname(folder)) return undefined;
  }
  return undefined;
}

/** Of a folder, or of the folder that a worktree's or submodule's file names. */
function readHead(git: string): string | null {
  const named = readOwnText(git, LIMIT);
  const elsewhere = /^gitdir: (.+)$/m.exec(named ?? "")?.[1];
  return readOwnText(join(elsewhere === undefined ? git : resolve(dirname(git), elsewhere), "HEAD"), LIMIT);
}
