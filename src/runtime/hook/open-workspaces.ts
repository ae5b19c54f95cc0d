import type { RuntimeInternals } from "../runtime.ts";

/** A runtime that stays open while it is held. */
export interface HeldWorkspace {
  readonly inside: RuntimeInternals;
  release(): void;
}

/** The runtimes of the folders that were asked about last. */
export interface OpenWorkspaces {
  /** Whether its runtime is open already. */
  has(cwd: string): boolean;
  hold(cwd: string): Promise<HeldWorkspace>;
  count(): number;
  close(): Promise<void>;
}

interface Entry {
  readonly opening: Promise<RuntimeInternals>;
  users: number;
}

export const MOST_WORKSPACES = 16;

/** At most so many at once: the one that was used longest ago makes room, unless it is in use. */
export function openKeptWorkspaces(open: (cwd: string) => Promise<RuntimeInternals>, most = MOST_WORKSPACES): OpenWorkspaces {
  // In the order in which they were used last.
  const entries = new Map<string, Entry>();
  const closing = new Set<Promise<unknown>>();
  const shut = ({ opening }: Entry) => {
    const done: Promise<unknown> = opening.then(({ zeph }) => zeph.close()).catch(() => {});
    closing.add(done);
    void done.then(() => closing.delete(done));
  };
  const makeRoom = () => {
    if (entries.size < most) return;
    const idle = [...entries].find(([, { users }]) => users === 0);
    if (!idle) throw new Error(`${most} folders are in use at once`);
    entries.delete(idle[0]);
    shut(idle[1]);
  };
  return {
    has: (cwd) => entries.has(cwd),
    async hold(cwd) {
      let entry = entries.get(cwd);
      if (!entry) {
        makeRoom();
        entry = { opening: open(cwd), users: 0 };
      }
      entries.delete(cwd);
      entries.set(cwd, entry);
      const held = entry;
      held.users++;
      let isHeld = true;
      const release = () => {
        if (isHeld) held.users--;
        isHeld = false;
      };
      try {
        return { inside: await held.opening, release };
      } catch (error) {
        release();
        // What was wrong may be mended by the next call.
        if (entries.get(cwd) === held) entries.delete(cwd);
        throw error;
      }
    },
    count: () => entries.size,
    async close() {
      for (const entry of entries.values()) shut(entry);
      entries.clear();
      await Promise.all(closing);
    },
  };
}
