import {
  chmodSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { closeAfter } from "../../files/descriptor.ts";
import { OwnFileError, readOwnFile } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { FileRefused } from "./edit-text.ts";

/** A file of a client's settings, and the folder that it must really lie in. */
export interface ClientFile {
  readonly path: string;
  readonly inside: string;
}

const MOST_BYTES = 4 * 1024 * 1024;
const OWNER_WRITES = 0o200;

/** The text; null where there is no file. Throws a FileRefused for what is not to be edited. */
export function readClientFile({ path, inside }: ClientFile): string | null {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    assertInside(path, inside);
    return null;
  }
  try {
    const { bytes } = readOwnFile(path, { maxBytes: MOST_BYTES, inside });
    const text = bytes.toString("utf8");
    if (!Buffer.from(text).equals(bytes)) throw new FileRefused("This file is no UTF-8. Nothing was written.");
    if (text.startsWith("\ufeff"))
      throw new FileRefused("This file begins with a byte order mark, which not every client reads. Nothing was written.");
    return text;
  } catch (error) {
    if (error instanceof OwnFileError) throw new FileRefused(`${error.message} Nothing was written.`);
    throw error;
  }
}

/** Whether the file may be replaced, asked before anybody is. A rename would not be held back by the file's own mode. */
export function assertWritable({ path }: ClientFile): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats !== undefined && (stats.mode & OWNER_WRITES) === 0) throw new FileRefused("This file is read-only. Nothing was written.");
}

/**
 * Writes the whole file or nothing; `before` is what was shown to the person, and where something else stands by now nothing is written. Null removes
 * the file. Returns the folders that were made for it, the outermost first.
 */
export function replaceClientFile(file: ClientFile, before: string | null, after: string | null): readonly string[] {
  assertWritable(file);
  if (readClientFile(file) !== before) throw new FileRefused("Something else changed this file just now. Nothing was written; try again.");
  if (after === null) {
    rmSync(file.path, { force: true });
    return [];
  }
  const made = makeFolders(dirname(file.path));
  assertInside(file.path, file.inside);
  const target = existsSync(file.path) ? realpathSync(file.path) : file.path;
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? 0o600;
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.zeph`);
  const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  try {
    closeAfter(fd, () => {
      writeFileSync(fd, after);
      fchmodSync(fd, mode & 0o7777);
      fsyncSync(fd);
    });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  return made;
}

export const backupOf = (path: string): string => `${path}.zeph-backup`;

/** A copy beside the file, once: a second installation would copy our own entries. */
export function backUpOnce({ path }: ClientFile, text: string | null): boolean {
  const copy = backupOf(path);
  if (text === null || lstatSync(copy, { throwIfNoEntry: false }) !== undefined) return false;
  const fd = openSync(copy, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW, 0o600);
  closeAfter(fd, () => writeFileSync(fd, text));
  chmodSync(copy, statSync(path).mode & 0o777);
  return true;
}

/** The copy has done its service where the file is the same again. Returns the copy that stays. */
export function dropBackup(file: ClientFile): string | null {
  const copy = backupOf(file.path);
  if (lstatSync(copy, { throwIfNoEntry: false }) === undefined) return null;
  const isSame = attempt(() => readClientFile({ ...file, path: copy }) === readClientFile(file), false);
  if (!isSame) return copy;
  rmSync(copy);
  return null;
}

/** Folders that were made for a file, and hold nothing now. */
export function dropFolders(folders: readonly string[]): void {
  for (const folder of [...folders].reverse()) attempt(() => rmdirSync(folder), null);
}

function makeFolders(folder: string): readonly string[] {
  if (existsSync(folder)) return [];
  const above = makeFolders(dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
  return [...above, folder];
}

/** Where the file lies, or would, once every link is followed. */
function assertInside(path: string, inside: string): void {
  if (!isWithin(realOf(inside), realOf(path)))
    throw new FileRefused(`This is a link, or lies behind one, that leads out of ${inside}. Nothing was written.`);
}

const realOf = (path: string): string => (existsSync(path) ? realpathSync(path) : join(realOf(dirname(path)), basename(path)));
