import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive } from "../files/process.ts";
import { attempt } from "../text/attempt.ts";
import { discardTree } from "./files/discard.ts";

/** A private folder among the temporary ones, for as long as this process needs it. */
export interface Temporary {
  readonly path: string;
  remove(): void;
}

export interface TemporaryOptions {
  /** What it is for: the first word of its name. */
  readonly kind: string;
  /** In place of the system's temporary folder. */
  readonly base?: string;
  /** Who works in it, when that is not us. The outer folder stays ours, so that whoever clears away knows it by its owner. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

/** The name says which process made it, so that the next start can remove what a process that was killed left behind. */
export function createTemporary({ kind, base = tmpdir(), owner }: TemporaryOptions): Temporary {
  const outer = mkdtempSync(join(base, `zeph-${kind}-${ME}-`));
  live.add(outer);
  clearAtExit();
  if (!owner) return { path: outer, remove: () => remove(outer) };
  const inner = join(outer, "own");
  try {
    chmodSync(outer, 0o711);
    mkdirSync(inner, { mode: 0o700 });
    chownSync(inner, owner.uid, owner.gid);
  } catch (error) {
    remove(outer);
    throw error;
  }
  return { path: inner, remove: () => remove(outer) };
}

const live = new Set<string>();
let listening = false;

/** A process that ends by `process.exit` in the middle of a command runs no `finally`. */
function clearAtExit(): void {
  if (listening) return;
  listening = true;
  process.on("exit", () => {
    for (const path of live) remove(path);
  });
}

function remove(path: string): void {
  live.delete(path);
  try {
    discardTree(path);
  } catch {
    // Something that got away may still write there. The next start tries again.
  }
}

const NAME = /^zeph-[a-z]+-([0-9]+)-([0-9]+)-([0-9]+)-[A-Za-z0-9]{6}$/;
/** Clearing away must not keep a start waiting: what is left is for the next one. */
const MOST_MS = 1000;

/** Removes the folders of processes that are gone: ours by name and by owner, in the folders where they are made. Never throws. */
export function sweepTemporary(bases: readonly string[] = BASES): void {
  const deadline = Date.now() + MOST_MS;
  for (const base of new Set(bases))
    for (const name of entries(base)) {
      if (Date.now() > deadline) return;
      if (isAbandoned(name) && isOwn(join(base, name))) remove(join(base, name));
    }
}

/** Where `createTemporary` is asked to make folders. */
const BASES = [tmpdir(), "/tmp", "/var/tmp", "/dev/shm"];

function isAbandoned(name: string): boolean {
  const [, namespace, pid, started] = NAME.exec(name) ?? [];
  // The number of a process says nothing in another namespace: a container that shares the folder may be at work there.
  return pid !== undefined && namespace === NAMESPACE && startOf(pid) !== started;
}

function isOwn(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

const entries = (folder: string): string[] => attempt(() => readdirSync(folder).filter((name) => name.startsWith("zeph-")), []);

/** When a process was started, in the kernel's own count: the same number given away again is another process. Null when there is none. */
function startOf(pid: string): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    // Without /proc only whether it lives can be asked.
    return process.platform !== "linux" && isAlive(Number(pid)) ? "0" : null;
  }
}

const namespaceOf = (): string => attempt(() => /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0", "0");

const NAMESPACE = namespaceOf();
const ME = `${NAMESPACE}-${process.pid}-${startOf("self") ?? "0"}`;
