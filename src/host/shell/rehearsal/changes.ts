import { chmodSync, closeSync, constants, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import { readdir } from "node:fs/promises";
import type { Change } from "../../../core/ports/shell.ts";
import { statEntry } from "../../../files/stat.ts";
import { createPace } from "../../../text/pace.ts";
import { openFileInside, type Pinned, pinInside } from "../../files/pin.ts";

/** What a command did to a folder, as two trees that are both held open. */
export interface RehearsedTrees {
  readonly root: string;
  /** Of the folders, only these entries. */
  readonly only?: readonly string[];
  readonly before: Pinned;
  readonly after: Pinned;
  /**
   * `layer`: `after` holds only what was changed, and `opaque` names the folders that hide what lay below them. `copy`: it holds everything, and
   * `marks` tells what each file was when it was copied. Names are bytes, each a character, from the root on.
   */
  readonly kind:
    | { readonly is: "layer"; readonly opaque: ReadonlySet<string> }
    | { readonly is: "copy"; readonly marks: ReadonlyMap<string, string>; readonly skipped: ReadonlyMap<string, string> };
}

export interface RehearsedChanges {
  readonly list: readonly Change[];
  /** How many more there are. */
  readonly unlisted: number;
  /** Whether everything was looked at. */
  readonly isComplete: boolean;
}

const MOST_CHANGES = 1000;
const MOST_ENTRIES = 200_000;
const MOST_DEEP = 200;
const MOST_TEXT = 256 * 1024;
const MOST_TEXTS = 4 * 1024 * 1024;
/** What is compared byte by byte. A file beyond it that was opened for writing counts as changed. */
const MOST_COMPARED = 512 * 1024 * 1024;
const CHUNK = 256 * 1024;

/** The content counts, the kind and the mode; never a time. */
export async function findChanges(all: readonly RehearsedTrees[]): Promise<RehearsedChanges> {
  const found = new Found();
  for (const trees of all) await found.compareFolders(trees, trees.before, trees.after, "", 0);
  return { list: found.list, unlisted: found.unlisted, isComplete: found.isComplete };
}

class Found {
  readonly list: Change[] = [];
  unlisted = 0;
  isComplete = true;
  readonly #pace = createPace();
  #entries = 0;
  #texts = 0;
  #compared = 0;

  /** Whether anything below was found. One of the two may be missing. */
  async compareFolders(trees: RehearsedTrees, before: Pinned | null, after: Pinned | null, at: string, depth: number): Promise<boolean> {
    if (depth > MOST_DEEP) this.isComplete = false;
    if (depth > MOST_DEEP) return false;
    const { kind } = trees;
    const isWhole = kind.is === "copy" || before === null || after === null || kind.opaque.has(`${at}/`);
    const names = new Set(
      depth === 0 && trees.only
        ? trees.only
        : [...(await this.#namesIn(after, "ours")), ...(isWhole ? await this.#namesIn(before, "theirs") : [])],
    );
    let any = false;
    for (const name of [...names].sort()) {
      if (++this.#entries > MOST_ENTRIES) this.isComplete = false;
      if (this.#entries > MOST_ENTRIES) return any;
      await this.#pace.step();
      const path = `${at}/${name}`;
      if (kind.is === "copy" && kind.skipped.has(path)) continue;
      // What is below a folder that hides everything is compared with everything.
      const inside = isWhole && kind.is === "layer" ? { ...trees, kind: WHOLE } : trees;
      if (await this.#compareEntry(inside, before, after, path, Buffer.from(name, "latin1"), depth)) any = true;
    }
    return any;
  }

  async #compareEntry(trees: RehearsedTrees, before: Pinned | null, after: Pinned | null, path: string, name: Buffer, depth: number) {
    const old = before && statEntry(before.at(name));
    const now = after && shownIn(statEntry(after.at(name)));
    if (!old && !now) return false;
    if (old?.isDirectory() || now?.isDirectory()) {
      const wasFolder = old?.isDirectory() ? pinInside(before!, name) : null;
      const isFolder = now?.isDirectory() ? pinInside(after!, name) : null;
      try {
        const any = await this.compareFolders(trees, wasFolder, isFolder, path, depth + 1);
        if (wasFolder && isFolder) return this.#noteMode(trees, path, old!, now!) || any;
        // A folder is told of by what is in it; by itself when that is nothing, or when something else is in its place.
        if (any && (!old || !now)) return true;
      } finally {
        wasFolder?.close();
        isFolder?.close();
      }
    } else if (old && now && this.#isSame(trees, before!, after!, path, name, old, now)) return false;
    this.#note(trees, path, name, before, after, old ?? null, now ?? null);
    return true;
  }

  #isSame({ kind }: RehearsedTrees, before: Pinned, after: Pinned, path: string, name: Buffer, old: Stats, now: Stats): boolean {
    if (kind.is === "copy" && kind.marks.get(path) === entryMark(now)) return true;
    if (kindOf(old) !== kindOf(now)) return false;
    if (old.isSymbolicLink()) return readlinkSync(before.at(name), "buffer").equals(readlinkSync(after.at(name), "buffer"));
    if (!old.isFile()) return true;
    if (old.size !== now.size || modeOf(old) !== modeOf(now)) return false;
    this.#compared += old.size;
    return this.#compared <= MOST_COMPARED && hasSameBytes(before, after, name);
  }

  #noteMode(trees: RehearsedTrees, path: string, old: Stats, now: Stats): boolean {
    if (modeOf(old) === modeOf(now)) return false;
    this.#add({ path: shownPath(trees.root, path), kind: "changed", detail: modes(old, now) });
    return true;
  }

  #note(
    trees: RehearsedTrees,
    path: string,
    name: Buffer,
    before: Pinned | null,
    after: Pinned | null,
    old: Stats | null,
    now: Stats | null,
  ): void {
    if (this.list.length >= MOST_CHANGES) return void this.unlisted++;
    const kind = old === null ? "created" : now === null ? "deleted" : "changed";
    const [was, is] = [this.#textOf(before, name, old, "theirs"), this.#textOf(after, name, now, "ours")];
    const detail = old && now && kindOf(old) === kindOf(now) && modeOf(old) !== modeOf(now) ? modes(old, now) : undefined;
    this.#add({
      path: shownPath(trees.root, path),
      kind,
      ...(was !== undefined && { before: was }),
      ...(is !== undefined && { after: is }),
      ...(detail !== undefined && { detail }),
    });
  }

  #add(change: Change): void {
    if (this.list.length < MOST_CHANGES) this.list.push(change);
    else this.unlisted++;
  }

  /** The text of a short text file; an empty one where there is none. */
  #textOf(dir: Pinned | null, name: Buffer, stats: Stats | null, whose: Whose): string | undefined {
    if (stats === null) return "";
    if (dir === null || !stats.isFile() || stats.size > MOST_TEXT || this.#texts > MOST_TEXTS) return undefined;
    try {
      const bytes = readAll(dir, name, stats, whose);
      this.#texts += bytes.length;
      return bytes.includes(0) ? undefined : bytes.toString("utf8");
    } catch {
      return undefined;
    }
  }

  async #namesIn(dir: Pinned | null, whose: Whose): Promise<string[]> {
    if (dir === null) return [];
    const list = () => readdir(dir.here, { encoding: "latin1" });
    try {
      return await list().catch((error) => {
        // A command may close the folders it makes, to us as well. They are ours to open.
        if (whose === "theirs" || error.code !== "EACCES") throw error;
        chmodSync(dir.here, 0o700);
        return list();
      });
    } catch {
      this.isComplete = false;
      return [];
    }
  }
}

type Whose = "ours" | "theirs";
const WHOLE: RehearsedTrees["kind"] = { is: "copy", marks: new Map(), skipped: new Map() };

/** In a layer, a device with the number 0 says that something was removed. */
const shownIn = (stats: Stats | null): Stats | null => (stats?.isCharacterDevice() && stats.rdev === 0 ? null : stats);

/** Everything that changes when a file is written, by whomever; no command can set the time of the last change back. */
export const entryMark = ({ ino, size, mode, ctimeMs }: Stats): string => `${ino} ${size} ${mode} ${ctimeMs}`;

const kindOf = (stats: Stats): number => stats.mode & constants.S_IFMT;
const modeOf = (stats: Stats): number => stats.mode & 0o7777;
const modes = (old: Stats, now: Stats): string => `mode ${modeOf(old).toString(8)} → ${modeOf(now).toString(8)}`;

function hasSameBytes(before: Pinned, after: Pinned, name: Buffer): boolean {
  let first: number | undefined;
  let second: number | undefined;
  try {
    first = openFileInside(before, name).fd;
    second = openFileInside(after, name).fd;
    const [a, b] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
    for (;;) {
      const [m, n] = [readSync(first, a), readSync(second, b)];
      if (m !== n || !a.subarray(0, m).equals(b.subarray(0, n))) return false;
      if (m === 0) return true;
    }
  } catch {
    return false;
  } finally {
    for (const fd of [first, second]) if (fd !== undefined) closeSync(fd);
  }
}

function readAll(dir: Pinned, name: Buffer, stats: Stats, whose: Whose): Buffer {
  if (whose === "ours" && (stats.mode & 0o400) === 0) unlockFile(dir, name);
  const { fd } = openFileInside(dir, name);
  try {
    const bytes = Buffer.allocUnsafe(MOST_TEXT + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < bytes.length; length += count)
      count = readSync(fd, bytes, length, bytes.length - length, null);
    if (length > MOST_TEXT) throw new Error("It grew.");
    return bytes.subarray(0, length);
  } finally {
    closeSync(fd);
  }
}

const O_PATH = 0o10000000;

function unlockFile(dir: Pinned, name: Buffer): void {
  const fd = openSync(dir.at(name), O_PATH | constants.O_NOFOLLOW);
  try {
    chmodSync(`/proc/self/fd/${fd}`, 0o600);
  } finally {
    closeSync(fd);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** As people can read it on one line: what is no text, and what a terminal would obey, is written as its number. */
export function shownPath(root: string, path: string): string {
  const shown = path.split("/").map((name) => {
    try {
      return escapeControls(decoder.decode(Buffer.from(name, "latin1")));
    } catch {
      return escapeControls(name.replace(/[\x80-\xff]/g, byteAs));
    }
  });
  return `${root === "/" ? "" : root}${shown.join("/")}`;
}

const byteAs = (char: string): string => `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const escapeControls = (text: string): string => text.replace(/[\x00-\x1f\x7f]/g, byteAs);
