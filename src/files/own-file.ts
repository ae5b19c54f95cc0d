import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { isWithin } from "../text/path.ts";

export interface OwnFileOptions {
  readonly maxBytes: number;
  /** The file must lie in this folder once every link is resolved: a stranger's project must not show a file from elsewhere. */
  readonly inside?: string;
  /** Wherever it leads, the name itself may be no link; or no folder on the way to it either. */
  readonly links?: "refuse" | "refuse on the way";
}

export interface OwnFile {
  readonly bytes: Buffer;
  readonly stats: Stats;
}

type Reason = "missing" | "dangling" | "link" | "outside" | "directory" | "not regular" | "too large" | "unreadable";

/** Why a file was not read. The message is a sentence about the file, without its name. */
export class OwnFileError extends Error {
  override readonly name = "OwnFileError";
  readonly reason: Reason;
  /** The system's word for it; the reason, where it was not the system that refused. */
  readonly code: string;

  constructor(reason: Reason, message: string, code: string = reason) {
    super(message);
    this.reason = reason;
    this.code = code;
  }
}

/**
 * The only opener of files that Zeph reads for itself: settings, rules, skills, git's own files. A regular file, never waited for, never more
 * than its limit, and the file whose place was judged. Throws an OwnFileError.
 */
export function readOwnFile(path: string, options: OwnFileOptions): OwnFile {
  for (let tries = 1; ; tries++) {
    const file = tryOnce(path, options);
    if (file !== "moved") return file;
    if (tries === TRIES) throw new OwnFileError("unreadable", "This file keeps being replaced while it is opened.");
  }
}

/** The text of such a file; null when there is none, or it is not to be read. Bytes that are no UTF-8 become the replacement character. */
export function readOwnText(path: string, options: OwnFileOptions): string | null {
  try {
    return readOwnFile(path, options).bytes.toString("utf8");
  } catch (error) {
    if (error instanceof OwnFileError) return null;
    throw error;
  }
}

const TRIES = 5;
const DESCRIPTORS = "/proc/self/fd";
const showsDescriptors = process.platform === "linux" && existsSync(DESCRIPTORS);
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

function tryOnce(path: string, { maxBytes, inside, links }: OwnFileOptions): OwnFile | "moved" {
  const named = bySystem(() => lstatSync(path));
  if (links !== undefined && named.isSymbolicLink()) throw new OwnFileError("link", "This is a link; only the file itself is read.");
  const canonical = bySystem(() => realpathSync.native(path), named);
  if (
    inside !== undefined &&
    !isWithin(
      bySystem(() => realpathSync.native(inside)),
      canonical,
    )
  )
    throw new OwnFileError("outside", `This is a link, or lies behind one, that leads out of ${inside}. It is not read.`);
  if (links === "refuse on the way" && canonical !== path)
    throw new OwnFileError("link", "A link leads to this file; only the file itself is read.");
  // Looked at before it is opened: to open a device can already do something.
  const before = lstatSync(canonical, { throwIfNoEntry: false });
  if (!before || before.isSymbolicLink()) return "moved";
  // A link may have been put in its place since the name was looked at.
  if (links !== undefined && (before.ino !== named.ino || before.dev !== named.dev)) return "moved";
  assertRegular(before);
  const fd = open(canonical);
  if (fd === "moved") return fd;
  try {
    if (!isThatFile(fd, canonical)) return "moved";
    const stats = fstatSync(fd);
    assertRegular(stats);
    return { bytes: readBytes(fd, stats, maxBytes), stats };
  } finally {
    closeSync(fd);
  }
}

/** Non-blocking: a pipe that is put there in the last moment must not make us wait for its writer. */
function open(canonical: string): number | "moved" {
  try {
    return openSync(canonical, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP" || code === "ENOENT" || code === "ENOTDIR") return "moved";
    throw refusalOf(error);
  }
}

/** Whether what was opened is what was judged. Where the system does not say, the name must still lead to it. */
function isThatFile(fd: number, canonical: string): boolean {
  if (showsDescriptors) return readlinkSync(`${DESCRIPTORS}/${fd}`) === canonical;
  const [opened, there] = [fstatSync(fd), lstatSync(canonical, { throwIfNoEntry: false })];
  return opened.ino === there?.ino && opened.dev === there.dev;
}

function assertRegular(stats: Stats): void {
  if (stats.isDirectory()) throw new OwnFileError("directory", "This is a directory, not a regular file.", "no regular file");
  if (!stats.isFile()) throw new OwnFileError("not regular", "This is not a regular file. It is not opened.", "no regular file");
}

function readBytes(fd: number, { size }: Stats, maxBytes: number): Buffer {
  const tooLarge = () => new OwnFileError("too large", `This file is larger than ${maxBytes} bytes.`);
  if (size > maxBytes) throw tooLarge();
  // One byte more than expected, so that a full buffer means the file grew.
  let bytes = Buffer.allocUnsafe(size + 1);
  let length = 0;
  for (;;) {
    const got = bySystem(() => readSync(fd, bytes, length, bytes.length - length, null));
    if (got === 0) return bytes.subarray(0, length);
    length += got;
    if (length > maxBytes) throw tooLarge();
    if (length === bytes.length) bytes = Buffer.concat([bytes], Math.min(bytes.length * 2 + 4096, maxBytes + 1));
  }
}

function bySystem<T>(look: () => T, named?: Stats): T {
  try {
    return look();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal.reason === "missing" && named?.isSymbolicLink()) throw new OwnFileError("dangling", "This link points to nothing.");
    throw refusal;
  }
}

function refusalOf(error: unknown): OwnFileError {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code === "ENOENT" || code === "ENOTDIR") return new OwnFileError("missing", "This file does not exist.", code);
  if (code === "EACCES" || code === "EPERM") return new OwnFileError("unreadable", "You have no permission to read this file.", code);
  return new OwnFileError("unreadable", `This file cannot be opened (${code}).`, code);
}
