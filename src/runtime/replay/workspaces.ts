import type { Rejudge } from "./rejudge.ts";

/** A workspace whose rules are in force, and who can judge by them. */
export interface ReplayWorkspace {
  bench(): Promise<Rejudge>;
  close(): Promise<void>;
}

const MOST_ROOMS = 4;
const MOST_SESSIONS = 32;

export type Found = Rejudge | { readonly unfit: string };

/** Rooms are opened when a call needs one; of those and of the sessions in them only the ones used last stay. */
export function openReplayWorkspaces(open: (workspace: string) => Promise<ReplayWorkspace>, isThere: (workspace: string) => boolean) {
  const rooms = new Map<string, ReplayWorkspace>();
  const sessions = new Map<string, Rejudge>();
  const failed = new Map<string, string>();
  let opened = 0;
  let first: unknown;

  const room = async (workspace: string): Promise<ReplayWorkspace> => {
    const known = rooms.get(workspace) ?? (await open(workspace));
    if (!rooms.has(workspace)) opened += 1;
    latest(rooms, workspace, known);
    for (const name of [...rooms.keys()].slice(0, -MOST_ROOMS)) await leave(name);
    return known;
  };
  const leave = async (workspace: string) => {
    const gone = rooms.get(workspace);
    rooms.delete(workspace);
    for (const key of sessions.keys()) if (key.startsWith(`${workspace}\n`)) sessions.delete(key);
    await gone?.close();
  };
  return {
    async find(workspace: string, session: string): Promise<Found> {
      const why = failed.get(workspace);
      if (why !== undefined) return { unfit: why };
      const key = `${workspace}\n${session}`;
      try {
        if (!rooms.has(workspace) && !isThere(workspace)) throw new Gone("its folder is not there any more");
        const bench = sessions.get(key) ?? (await (await room(workspace)).bench());
        latest(sessions, key, bench);
        for (const old of [...sessions.keys()].slice(0, -MOST_SESSIONS)) sessions.delete(old);
        return bench;
      } catch (error) {
        if (!(error instanceof Gone)) first ??= error;
        const said = error instanceof Gone ? error.message : `the rules of its folder cannot be read (${lineOf(error)})`;
        if (failed.size < 1000) failed.set(workspace, said);
        return { unfit: said };
      }
    },
    /** A note without a session speaks of a call or a tool, and that tells whose it is. */
    noted(text: string, session: string | undefined): void {
      for (const [key, bench] of sessions) if (session === undefined || key.endsWith(`\n${session}`)) bench.noted(text);
    },
    /** What kept every single one from being opened; undefined when one was. */
    trouble: (): unknown => (opened === 0 ? first : undefined),
    async close() {
      for (const name of [...rooms.keys()]) await leave(name);
    },
  };
}

class Gone extends Error {}

function latest<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
}

const lineOf = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .split("\n")[0]!
    .slice(0, 200);
