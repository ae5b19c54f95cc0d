import type { SessionFence } from "../../core/ports/fleet/session.ts";
import type { Store } from "../../core/ports/store.ts";
import { openStore } from "../open.ts";
import { STORE_METHODS } from "../own-store.ts";
import { StoreError } from "../sqlite/error.ts";
import type { Pg, PgRole } from "./pg.ts";
import { assertTenant, readStoreUrl } from "./place.ts";
import type { SharedParts } from "./shared-parts.ts";

export interface SharedStoreOptions {
  /** `postgres://user@host/database?schema=name`. */
  readonly url: string;
  readonly tenant?: string;
  readonly role?: PgRole;
  /** The SQLite file of this machine. What is asked for without waiting is in it: trust, the ends of audit files, spans of a stranger's writing, what is remembered of other agents' sessions. */
  readonly local: string | "memory";
  /** Who holds the session that is written for, asked at every write. With it, a server that is away is waited for without an end. */
  readonly fence?: () => SessionFence | null;
  /** Connections at most. */
  readonly max?: number;
}

const LOCAL = ["trust", "anchors", "strangerWrites", "sessionMemory"] as const;

/**
 * What machines share is in PostgreSQL, what is about one machine in a file there. Opening is synchronous and speaks to nobody: the first question
 * loads the driver and connects.
 */
export function openSharedStore({ url, local, fence, ...options }: SharedStoreOptions): Store {
  const { shown } = readStoreUrl(url);
  if (options.tenant !== undefined) assertTenant(options.tenant);
  const here = openStore(local);
  let isOpen = true;
  let opened: Promise<{ readonly pg: Pg; readonly parts: SharedParts }> | null = null;
  const open = async () => {
    const [{ openPg }, { createSharedParts }] = await Promise.all([import("./pg.ts"), import("./shared-parts.ts")]);
    const pg = openPg({ url, ...options });
    return { pg, parts: createSharedParts(fence ? pg.patient : pg, fence ?? (() => null)) };
  };
  const parts = async (): Promise<SharedParts> => {
    if (!isOpen) throw new StoreError(shown, `The store ${shown} was closed. Open it again to use it.`);
    opened ??= open();
    return (await opened).parts;
  };
  const late = Object.entries(STORE_METHODS)
    .filter(([part]) => !(LOCAL as readonly string[]).includes(part))
    .map(([part, methods]) => [part, Object.fromEntries(Object.keys(methods).map((name) => [name, lateMethod(parts, part, name)]))]);
  return {
    ...(Object.fromEntries(late) as SharedParts),
    trust: here.trust,
    anchors: here.anchors,
    strangerWrites: here.strangerWrites,
    sessionMemory: here.sessionMemory,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await here.close();
      await (await opened)?.pg.close();
    },
  };
}

const lateMethod =
  (parts: () => Promise<SharedParts>, part: string, name: string) =>
  async (...values: readonly unknown[]): Promise<unknown> =>
    Reflect.get(Reflect.get(await parts(), part), name)(...values);
