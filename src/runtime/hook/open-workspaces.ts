import type { RuntimeInternals } from "../runtime.ts";
import { createRuntimeMemory, isUnsaved, type RuntimeMemory } from "../sessions/runtime-memory.ts";

/** A runtime that stays open while it is held. */
export interface HeldWorkspace {
  readonly inside: RuntimeInternals;
  release(): void;
}

/** The runtimes of the folders that were asked about last. */
export interface OpenWorkspaces {
  /** `opens` is told where a runtime has to be opened first, which takes longer than a call to be judged. */
  hold(cwd: string, opens?: () => void): Promise<HeldWorkspace>;
  count(): number;
  folders(): readonly string[];
  close(): Promise<void>;
}

interface Entry {
  readonly opening: Promise<RuntimeInternals>;
  /** What it remembers, for the one that takes its place when its settings change. */
  readonly memory: RuntimeMemory;
  users: number;
  isOpen: boolean;
  /** Another one has its place; it is closed when nobody uses it any more. */
  isReplaced: boolean;
}

export const MOST_WORKSPACES = 16;
const MOST_TRIES = 5;

/**
 * At most so many at once: the one that was used longest ago makes room, unless it is in use or remembers something that could not be stored. A runtime whose rules changed reads them before it is
 * held; one whose other settings changed is replaced by a new one, while calls under way end on the old one.
 */
export function openKeptWorkspaces(open: (cwd: string, memory: RuntimeMemory) => Promise<RuntimeInternals>): OpenWorkspaces {
  // In the order in which they were used last.
  const entries = new Map<string, Entry>();
  const closing = new Set<Promise<unknown>>();
  const shut = ({ opening }: Entry) => {
    const done: Promise<unknown> = opening.then(({ zeph }) => zeph.close()).catch(() => {});
    closing.add(done);
    void done.then(() => closing.delete(done));
  };
  const makeRoom = () => {
    if (entries.size < MOST_WORKSPACES) return;
    const idle = [...entries].find(([, { users, memory }]) => users === 0 && !isUnsaved(memory));
    if (!idle) throw new Error(`${MOST_WORKSPACES} folders are in use at once`);
    entries.delete(idle[0]);
    shut(idle[1]);
  };
  const begin = (cwd: string, memory: RuntimeMemory): Entry => {
    const entry = { opening: open(cwd, memory), memory, users: 0, isOpen: false, isReplaced: false };
    entries.set(cwd, entry);
    return entry;
  };
  const use = (entry: Entry) => {
    entry.users++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      entry.users--;
      if (entry.isReplaced && entry.users === 0) shut(entry);
    };
  };
  const replace = (cwd: string, entry: Entry) => {
    if (entries.get(cwd) !== entry) return;
    entry.isReplaced = true;
    begin(cwd, entry.memory);
  };
  const hold = async (cwd: string, opens = () => {}, tries = MOST_TRIES): Promise<HeldWorkspace> => {
    let entry = entries.get(cwd);
    if (!entry?.isOpen) opens();
    if (!entry) {
      makeRoom();
      entry = begin(cwd, createRuntimeMemory());
    }
    entries.delete(cwd);
    entries.set(cwd, entry);
    const release = use(entry);
    try {
      const inside = await entry.opening;
      entry.isOpen = true;
      if (!entry.isReplaced && inside.refresh() === "in force") return { inside, release };
    } catch (error) {
      release();
      // What was wrong may be mended by the next call.
      if (entries.get(cwd) === entry) entries.delete(cwd);
      throw error;
    }
    replace(cwd, entry);
    release();
    if (tries === 0) throw new Error("the settings keep changing while they are read");
    return hold(cwd, opens, tries - 1);
  };
  return {
    hold: (cwd, opens) => hold(cwd, opens),
    count: () => entries.size,
    folders: () => [...entries.keys()],
    async close() {
      for (const entry of entries.values()) shut(entry);
      entries.clear();
      await Promise.all(closing);
    },
  };
}
