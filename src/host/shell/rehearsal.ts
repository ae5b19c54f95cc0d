import { constants } from "node:fs";
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, utimes } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolError } from "../../core/error.ts";
import type { Change } from "../../core/shell.ts";

/** A copy of the folders a command may change. It works on the copy; what it changed is read off, and the copy is dropped. */
export interface Rehearsal {
  /** Folder → its copy. */
  readonly standIns: ReadonlyMap<string, string>;
  changes(): Promise<readonly Change[]>;
  drop(): Promise<void>;
}

const MAX_FILES = 100_000;
const MAX_BYTES = 2 * 1024 ** 3;

export async function rehearse(roots: readonly string[]): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), "zeph-rehearsal-"));
  const drop = () => rm(folder, { recursive: true, force: true });
  const standIns = new Map(roots.map((root, n) => [root, join(folder, String(n))]));
  const budget = { files: 0, bytes: 0 };
  try {
    for (const [root, copy] of standIns) await copyTree(root, copy, budget);
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    standIns,
    drop,
    async changes() {
      const found: Change[] = [];
      for (const [root, copy] of standIns) await compare(root, copy, found);
      return found;
    },
  };
}

/** Clones where the file system can, so that a large workspace costs little. Times are kept: that is how changes are found. */
async function copyTree(from: string, to: string, budget: { files: number; bytes: number }): Promise<void> {
  const stats = await lstat(from);
  if (++budget.files > MAX_FILES) throw tooLarge(`more than ${MAX_FILES} files`);
  if (stats.isSymbolicLink()) return symlink(await readlink(from), to);
  if (stats.isDirectory()) {
    await mkdir(to);
    for (const name of await readdir(from)) await copyTree(join(from, name), join(to, name), budget);
  } else if (stats.isFile()) {
    budget.bytes += stats.size;
    if (budget.bytes > MAX_BYTES) throw tooLarge(`more than ${MAX_BYTES} bytes`);
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } else return;
  await chmod(to, stats.mode & 0o7777);
  await utimes(to, stats.atime, stats.mtime);
}

const tooLarge = (what: string) =>
  new ToolError("permanent_failure", `The workspace holds ${what}; that is too much to rehearse a command on a copy.`);

async function compare(original: string, copy: string, found: Change[]): Promise<void> {
  const [before, after] = await Promise.all([look(original), look(copy)]);
  if (before === null && after === null) return;
  if (before?.kind === "folder" && after?.kind === "folder") {
    const names = new Set([...(await readdir(original)), ...(await readdir(copy))]);
    for (const name of [...names].sort()) await compare(join(original, name), join(copy, name), found);
  } else if (before === null || after === null || before.mark !== after.mark) found.push(await change(original, copy, before, after));
}

interface Look {
  readonly kind: "folder" | "file" | "link" | "other";
  readonly mark: string;
}

async function look(path: string): Promise<Look | null> {
  const stats = await lstat(path).catch(() => null);
  if (!stats) return null;
  if (stats.isDirectory()) return { kind: "folder", mark: "" };
  if (stats.isSymbolicLink()) return { kind: "link", mark: await readlink(path) };
  // Whole seconds: not every file system keeps more when times are set.
  return { kind: stats.isFile() ? "file" : "other", mark: `${stats.size} ${Math.floor(stats.mtimeMs / 1000)} ${stats.mode & 0o777}` };
}

const MAX_TEXT = 256 * 1024;

async function change(path: string, copy: string, before: Look | null, after: Look | null): Promise<Change> {
  const kind = before === null ? "created" : after === null ? "deleted" : "changed";
  const [old, fresh] = await Promise.all([textOf(path, before), textOf(copy, after)]);
  return { path, kind, ...(old !== undefined && { before: old }), ...(fresh !== undefined && { after: fresh }) };
}

/** The text of a short text file; an empty one where there is none. */
async function textOf(path: string, seen: Look | null): Promise<string | undefined> {
  if (seen === null) return "";
  if (seen.kind !== "file") return undefined;
  const bytes = await readFile(path);
  return bytes.length > MAX_TEXT || bytes.includes(0) ? undefined : bytes.toString("utf8");
}
