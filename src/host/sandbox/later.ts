import { lstatSync, readdirSync } from "node:fs";
import { realDisk } from "./disk.ts";
import type { Policy } from "./policy.ts";
import { GIT_PARTS, gitFolders, READ_LATER } from "./protect.ts";

/**
 * What mounts cannot prevent: new files that something outside the walls runs later. Take a `Before`, run the command, ask
 * `laterExecuted`, and tell the person.
 */
export interface Before {
  readonly roots: readonly string[];
  readonly seen: ReadonlyMap<string, string>;
}

export const beforeCommand = ({ write }: Pick<Policy, "write">): Before => ({ roots: write, seen: look(write) });

export interface Later {
  readonly path: string;
  readonly how: "appeared" | "changed";
}

export const laterExecuted = (before: Before): Later[] => compared(before, look(before.roots));

/** The same for a program that runs for long: each time, what is so since the time before. */
export function laterSince({ write }: Pick<Policy, "write">): () => Later[] {
  let before = beforeCommand({ write });
  return () => {
    const seen = look(before.roots);
    const found = compared(before, seen);
    before = { ...before, seen };
    return found;
  };
}

function compared({ seen }: Before, now: ReadonlyMap<string, string>): Later[] {
  const found = [...now].flatMap(([path, mark]): Later[] => {
    const old = seen.get(path);
    if (old === mark) return [];
    return [{ path, how: old === undefined ? "appeared" : "changed" }];
  });
  // Another repository in the place of the old one says it all.
  const whole = found.filter(({ path }) => path.endsWith("/.git")).map(({ path }) => `${path}/`);
  return found.filter(({ path }) => !whole.some((folder) => path.startsWith(folder)));
}

/** Not read-only to commands, because ordinary work changes them; worth a word all the same. */
const WORTH_A_WORD = [".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml"];
/** A repository below the workspace has hooks of its own; direct children are enough to notice. */
const MAX_CHILDREN = 512;

function look(roots: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const note = (path: string) => {
    const mark = markOf(path);
    if (mark !== null) found.set(path, mark);
  };
  const noteRepository = (root: string) => {
    note(`${root}/.git`);
    if (!found.has(`${root}/.git`)) return;
    for (const folder of gitFolders(`${root}/.git`, realDisk)) {
      for (const part of GIT_PARTS) note(`${folder}/${part}`);
      for (const hook of names(`${folder}/hooks`)) note(`${folder}/hooks/${hook}`);
    }
  };
  for (const root of roots) {
    for (const name of [...READ_LATER, ...WORTH_A_WORD]) note(`${root}/${name}`);
    for (const name of WORTH_A_WORD) for (const inner of names(`${root}/${name}`)) note(`${root}/${name}/${inner}`);
    noteRepository(root);
    for (const child of names(root)) if (child !== ".git") noteRepository(`${root}/${child}`);
  }
  return found;
}

/** A folder changes with every file in it, so only its identity counts; a file and a link count with their content. */
function markOf(path: string): string | null {
  try {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (!stats) return null;
    return stats.isDirectory() ? `folder ${stats.ino}` : `${stats.mode} ${stats.ino} ${stats.size} ${stats.mtimeNs}`;
  } catch {
    return null;
  }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder).slice(0, MAX_CHILDREN);
  } catch {
    return [];
  }
}
