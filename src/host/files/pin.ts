import { chmodSync, closeSync, constants, existsSync, fstatSync, lstatSync, mkdirSync, openSync, readlinkSync, type Stats } from "node:fs";
import { fromErrno, ToolError } from "../../core/error.ts";
import type { PathTouch } from "../../core/touch.ts";
import { keepIf } from "../../files/descriptor.ts";
import { attempt } from "../../text/attempt.ts";
import { display, nameOf, parentOf } from "../../text/path.ts";
import type { PathRules } from "./paths.ts";

/** The path changed between judging and opening. The act is tried again from the start, because the new path may be allowed or not. */
export class Moved extends Error {
  override readonly name = "Moved";
}

const TRIES = 5;

/** Judges a touch and acts on its canonical path; judged anew whenever the path moved under the act. */
export async function actOnPath<T>(rules: PathRules, touch: PathTouch, act: (canonical: string) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const canonical = judgePath(rules, touch);
    try {
      return await act(canonical);
    } catch (error) {
      if (!(error instanceof Moved)) throw fromErrno(error, display(canonical, rules.cwd)) ?? error;
      if (tries === TRIES) throw moving(touch.path);
    }
  }
}

/** Resolved once: what is judged is what is acted on. */
export function judgePath(rules: PathRules, touch: PathTouch): string {
  const canonical = rules.resolve(touch);
  const refusal = rules.judge(touch, canonical);
  if (refusal) throw new ToolError("policy_blocked", refusal.why);
  return canonical;
}

const moving = (path: string) =>
  new ToolError("policy_blocked", `${path} keeps being moved or replaced by a link while it is opened. Nothing was done.`);

/** Linux shows what a descriptor really is. Elsewhere the guarantee is weaker: the path is checked, then used. */
const DESCRIPTORS = "/proc/self/fd";
export const canPin = process.platform === "linux" && existsSync(DESCRIPTORS);
const O_PATH = canPin ? 0o10000000 : 0;
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_DIRECTORY } = constants;

/** The name of one entry. Bytes where it came from a listing: not every name is text. */
export type EntryName = string | Buffer;

/** A directory that was opened and verified. Names are looked up in it, wherever its path leads by now. */
export interface Pinned {
  readonly fd: number;
  /** The directory itself, as a path for this process. */
  readonly here: string;
  /** An entry of it. The name is one segment: text, or the bytes of one that may be none. */
  at(name: string): string;
  at(name: Buffer): Buffer;
  at(name: EntryName): EntryName;
  close(): void;
}

export function pinDirectory(canonical: string): Pinned {
  return verified(canonical, open(canonical, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK));
}

/**
 * The folder that these names lead to. Each is opened in the one before, and a link is refused, so the way may be longer than the system takes as a
 * path. A folder of ours that is closed to us is opened until this one is closed; `rights` are what the owner needs in the last (see `unlock`).
 */
export function pinBelow(root: string, names: readonly EntryName[], rights: number): Pinned {
  const undo: (() => void)[] = [];
  const close = () => {
    for (const one of undo.splice(0).reverse()) one();
  };
  const hold = (dir: Pinned, needs: number) => {
    undo.push(dir.close);
    const shut = unlock(dir, needs);
    if (shut) undo.push(shut);
    return dir;
  };
  try {
    let dir = hold(pinDirectory(root), names.length > 0 ? 0o100 : rights);
    for (const [n, name] of names.entries()) dir = hold(pinInside(dir, name), n < names.length - 1 ? 0o100 : rights);
    return { ...dir, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Gives the owner of a folder these rights in it for as long as an act takes, where it is ours and its mode denies them. Root needs none. */
export function whileOpen<T>(dir: Pinned, rights: number, act: () => T): T {
  const shut = unlock(dir, rights);
  try {
    return act();
  } finally {
    shut?.();
  }
}

/** Opens a folder of ours to us. Returns what puts its mode back; null where there was nothing to do, or nothing could be done. */
export function unlock(dir: Pinned, rights: number): (() => void) | null {
  const user = process.geteuid?.();
  if (!canPin || user === 0) return null;
  const { mode, uid } = fstatSync(dir.fd);
  if (uid !== user || (mode & rights) === rights) return null;
  const change = (to: number) => attempt(() => chmodSync(dir.here, to & 0o7777), undefined);
  change(mode | rights);
  return () => change(mode);
}

/** A directory inside a pinned one. A link in its place is refused. */
export function pinInside(parent: Pinned, name: EntryName): Pinned {
  return pinned(open(parent.at(name), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK), parent.at(name).toString());
}

/** Pins a directory, making it and its parents where they are missing. Each step starts from a verified parent. */
export function pinOrMake(canonical: string, mode = 0o777): Pinned {
  const missing: string[] = [];
  let existing = canonical;
  while (existing !== "/" && !lstatSync(existing, { throwIfNoEntry: false })) {
    missing.unshift(nameOf(existing));
    existing = parentOf(existing);
  }
  let here = pinDirectory(existing);
  for (const name of missing) {
    try {
      makeUnlessThere(here.at(name), mode);
      const next = pinInside(here, name);
      here.close();
      here = next;
    } catch (error) {
      here.close();
      throw error;
    }
  }
  return here;
}

export function withPinned<T>(dir: Pinned, act: (dir: Pinned) => T): T {
  try {
    return act(dir);
  } finally {
    dir.close();
  }
}

export async function withPinnedAsync<T>(dir: Pinned, act: (dir: Pinned) => Promise<T>): Promise<T> {
  try {
    return await act(dir);
  } finally {
    dir.close();
  }
}

export interface OpenFile {
  readonly fd: number;
  readonly stats: Stats;
}

/** A regular file, opened without following a link and compared with what was judged. The caller closes it. */
export function openFile(canonical: string): OpenFile {
  // Looked at first: opening a device can already do something.
  assertRegular(lstatSync(canonical), canonical);
  return keepIf(open(canonical, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), (fd) => {
    if (canPin && readlinkSync(`${DESCRIPTORS}/${fd}`) !== canonical) throw new Moved();
    return regularFile(fd, canonical);
  });
}

/** A regular file inside a pinned directory. */
export const openFileInside = (parent: Pinned, name: EntryName): OpenFile =>
  keepIf(open(parent.at(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK), (fd) => regularFile(fd, name.toString()));

function regularFile(fd: number, path: string): OpenFile {
  const stats = fstatSync(fd);
  assertRegular(stats, path);
  return { fd, stats };
}

export function assertRegular(stats: Stats, path: string): void {
  if (stats.isFile()) return;
  if (stats.isSymbolicLink()) throw new Moved();
  const kind = kindOf(stats);
  const hint = stats.isDirectory() ? " Use list_directory." : " It is not opened.";
  throw new ToolError("permanent_failure", `${path} is ${kind}, not a regular file.${hint}`);
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return "a directory";
  if (stats.isFIFO()) return "a named pipe";
  if (stats.isSocket()) return "a socket";
  return "a device";
}

function open(path: EntryName, flags: number): number {
  try {
    return openSync(path, flags);
  } catch (error) {
    // A link where none was a moment ago: no-follow says ELOOP, or ENOTDIR when a directory was wanted.
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ELOOP") throw new Moved();
    if (code === "ENOTDIR" && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Moved();
    throw error;
  }
}

const verified = (canonical: string, fd: number): Pinned =>
  keepIf(fd, () => {
    if (canPin && readlinkSync(`${DESCRIPTORS}/${fd}`) !== canonical) throw new Moved();
    return pinned(fd, canonical);
  });

function pinned(fd: number, path: string): Pinned {
  const here = canPin ? `${DESCRIPTORS}/${fd}` : path;
  return {
    fd,
    here,
    at: ((name: EntryName) => (typeof name === "string" ? `${here}/${name}` : bytesAt(here, name))) as Pinned["at"],
    close: () => closeSync(fd),
  };
}

const bytesAt = (here: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${here}/`), name]);

/** Where a pinned directory is by now; where it was pinned, when the system does not say. */
export const whereIs = ({ fd, here }: Pinned): string => (canPin ? readlinkSync(`${DESCRIPTORS}/${fd}`) : here);

/** An open file as a path for this process, whatever its name leads to by now. */
export const descriptorPath = (fd: number, otherwise: EntryName): EntryName => (canPin ? `${DESCRIPTORS}/${fd}` : otherwise);

function makeUnlessThere(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
