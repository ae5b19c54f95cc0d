import { closeSync, lstatSync, readlinkSync, readSync } from "node:fs";
import type { Preimage } from "../../core/ports/preimage.ts";
import type { PathTouch, Touch } from "../../core/touch.ts";
import { entryIdentity, statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import type { PathRules } from "../files/paths.ts";
import { Moved, openFileInside, type Pinned, pinDirectory, withPinnedAsync } from "../files/pin.ts";
import { isSecretName } from "../workday/private-places.ts";
import { type PreimageStore, preimageHash } from "./preimage-store.ts";

/** A call, and the turn it belongs to. */
export interface KeptFor {
  readonly turn: string;
  readonly call: string;
  readonly conversation?: string;
}

/** Keeps what calls are about to change. */
export interface PreimageKeeper {
  /** Whether what a touch would change will be kept, as far as a look tells. What is not there needs no keeping. */
  wouldKeep(touch: PathTouch): boolean;
  /** Keeps what these touches would change where the file tools work. Returns the files that are not kept, each with the reason. */
  keep(touches: readonly Touch[], by: KeptFor): Promise<readonly Unkept[]>;
  /** The call is over: writes down how it left what it could change, so that a change by somebody else can be told from its own. */
  settle(by: KeptFor): Promise<void>;
  /** The turn is over: what it used up is given back. */
  endTurn(turn: string): void;
}

export interface Unkept {
  readonly path: string;
  readonly why: string;
}

/** Most that is kept of one file, and of one turn. */
export interface KeeperBounds {
  readonly fileBytes: number;
  readonly turnFiles: number;
  readonly turnBytes: number;
}
const BOUNDS: KeeperBounds = { fileBytes: 8 * 1024 * 1024, turnFiles: 500, turnBytes: 128 * 1024 * 1024 };
const MOST_TURNS = 64;

interface Used {
  files: number;
  bytes: number;
  /** What was kept last of each path: the same once more says nothing new. */
  readonly last: Map<string, string>;
}

export function createPreimageKeeper(rules: PathRules, store: PreimageStore, bounds: KeeperBounds = BOUNDS): PreimageKeeper {
  const turns = new Map<string, Used>();
  /** What calls under way may change. */
  const open = new Map<string, readonly string[]>();
  const usedBy = (turn: string): Used => {
    const used = turns.get(turn) ?? { files: 0, bytes: 0, last: new Map() };
    turns.set(turn, used);
    if (turns.size > MOST_TURNS) turns.delete(turns.keys().next().value!);
    return used;
  };

  const keepOne = async (path: string, by: KeptFor): Promise<string | null> => {
    const used = usedBy(by.turn);
    const isFull = used.files >= bounds.turnFiles;
    const seen = await lookAt(rules, path, isFull ? 0 : Math.min(bounds.fileBytes, bounds.turnBytes - used.bytes));
    if ("why" in seen && (seen.why === FOLDER || !isFull)) return seen.why;
    if ("why" in seen || isFull) return `${bounds.turnFiles} files were kept in this turn already`;
    const { content = null, ...was } = seen;
    const mark = stateMark(was);
    if (used.last.get(path) === mark) return null;
    store.add({ ...by, at: Date.now(), path, ...was }, content);
    used.last.set(path, mark);
    used.files++;
    used.bytes += content?.length ?? 0;
    return null;
  };

  return {
    wouldKeep(touch) {
      const path = placeOf(rules, touch);
      if (path === null) return false;
      const stats = statEntry(path);
      if (stats === null || stats.isSymbolicLink()) return true;
      return stats.isFile() && stats.size <= bounds.fileBytes && refusal(rules, path) === null;
    },
    async keep(touches, by) {
      const unkept: Unkept[] = [];
      const kept: string[] = [];
      const changed = touches.filter((touch): touch is PathTouch => touch.kind === "path" && touch.access !== "read");
      for (const path of new Set(changed.map((touch) => placeOf(rules, touch)))) {
        // A folder is kept by nobody; to delete one is asked about.
        if (path === null) continue;
        const why = await keepOne(path, by).catch(messageOf);
        if (why === null) {
          kept.push(path);
          continue;
        }
        if (why !== FOLDER) unkept.push({ path, why });
        store.addEnd({ turn: by.turn, call: by.call, path, unkept: why });
      }
      open.set(by.call, kept);
      return unkept;
    },
    async settle({ turn, call }) {
      const paths = open.get(call) ?? [];
      open.delete(call);
      for (const path of paths) store.addEnd({ turn, call, path, end: await currentMark(rules, path, bounds.fileBytes) });
    },
    endTurn: (turn) => void turns.delete(turn),
  };
}

const FOLDER = "a folder is not kept";

const messageOf = (error: Error): string =>
  error instanceof Moved ? "a folder on the way to it was moved or replaced by a link" : error.message;

/** Null for a place that is not known before the command runs, or that is another one behind the walls. */
function placeOf(rules: PathRules, touch: PathTouch): string | null {
  if (/[*?[]/.test(touch.path) || touch.path.startsWith("~")) return null;
  const path = attempt(() => rules.resolve(touch), null);
  return path !== null && rules.roots.some((root) => isWithin(root, path)) ? path : null;
}

/** Files that hold secrets are not copied anywhere. */
function refusal(rules: PathRules, path: string): string | null {
  if (isSecretName(nameOf(path))) return "it is named like a file of secrets";
  return rules.mayRead(path)?.why ?? null;
}

/** What lies somewhere, as one text to compare. */
export const stateMark = ({ was, hash, mode, target }: Pick<Preimage, "was" | "hash" | "mode" | "target">): string =>
  JSON.stringify([was, hash, mode, target]);

/** The same of what lies there now. */
export async function currentMark(rules: PathRules, path: string, most: number = BOUNDS.fileBytes): Promise<string> {
  return markOfSeen(await lookAt(rules, path, most).catch((error: Error) => ({ why: messageOf(error), stamp: null })));
}

/** Whether an entry of a folder that is held open is still what this mark says. */
export const hasMark = async (rules: PathRules, parent: Pinned, path: string, mark: string): Promise<boolean> =>
  markOfSeen(await lookIn(rules, parent, path, BOUNDS.fileBytes)) === mark;

const markOfSeen = (seen: Seen | NotSeen): string => ("why" in seen ? JSON.stringify(["other", seen.stamp]) : stateMark(seen));

type Seen = Pick<Preimage, "was" | "identity" | "mode" | "size" | "hash" | "target"> & { readonly content?: Buffer };

interface NotSeen {
  readonly why: string;
  /** What tells it from something else; null where nothing was seen. */
  readonly stamp: string | readonly number[] | null;
}

/** Looks through the folder that is held: what is read is what lies there, and no link leads elsewhere. */
async function lookAt(rules: PathRules, path: string, most: number): Promise<Seen | NotSeen> {
  if (statEntry(parentOf(path)) === null) return { was: "nothing" };
  return withPinnedAsync(pinDirectory(parentOf(path)), (parent) => lookIn(rules, parent, path, most));
}

async function lookIn(rules: PathRules, parent: Pinned, path: string, most: number): Promise<Seen | NotSeen> {
  const name = nameOf(path);
  const entry = lstatSync(parent.at(name), { throwIfNoEntry: false });
  if (entry === undefined) return { was: "nothing" };
  if (entry.isSymbolicLink()) return { was: "link", identity: entryIdentity(entry), target: readlinkSync(parent.at(name)) };
  if (entry.isDirectory()) return { why: FOLDER, stamp: "folder" };
  const unseen = (why: string): NotSeen => ({ why, stamp: [entry.size, entry.mtimeMs, entry.ino] });
  if (!entry.isFile()) return unseen("it is no regular file");
  const why = refusal(rules, path);
  if (why !== null) return unseen(why);
  if (entry.size > most) return unseen(`it has ${entry.size} bytes`);
  const { fd, stats } = openFileInside(parent, name);
  try {
    const byOtherName = await rules.mayReadOpen(path, stats);
    if (byOtherName) return unseen(byOtherName.why);
    const content = readWithin(fd, most);
    if (content === null) return unseen("it grew while it was read");
    return {
      was: "file",
      identity: entryIdentity(stats),
      mode: stats.mode & 0o7777,
      size: content.length,
      hash: preimageHash(content),
      content,
    };
  } finally {
    closeSync(fd);
  }
}

function readWithin(fd: number, most: number): Buffer | null {
  const parts: Buffer[] = [];
  let length = 0;
  for (;;) {
    const part = Buffer.allocUnsafe(256 * 1024);
    const got = readSync(fd, part, 0, part.length, null);
    if (got === 0) return Buffer.concat(parts);
    length += got;
    if (length > most) return null;
    parts.push(part.subarray(0, got));
  }
}
