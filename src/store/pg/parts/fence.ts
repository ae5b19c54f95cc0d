import { ConversationError } from "../../../core/ports/conversation-error.ts";
import type { SessionFence } from "../../../core/ports/fleet/session.ts";
import type { PgRow, Rows, Transactions } from "../pg.ts";

/** Who holds the session that a store writes for; null where nobody else could. */
export type FenceNow = () => SessionFence | null;

/**
 * Writes for a session, each refused when another has it by now. A statement is what follows `with fence as (…)`, and writes only where
 * `fence` has its row. The row is locked until the write is over: whoever takes the session waits for it, or has been there before.
 */
export interface FencedWrites {
  all<R extends PgRow = PgRow>(sql: string, ...values: readonly unknown[]): Promise<R[]>;
  /** How many rows changed. */
  run(sql: string, ...values: readonly unknown[]): Promise<number>;
  together<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}

/** `soon`: nobody waits for the disk. A crash of the server may take the last moments of it, as a power cut may of the SQLite file. */
type Commit = "now" | "soon";

const CALM = "set_config('synchronous_commit', 'off', true)";

export function createFencedWrites(db: Transactions, fence: FenceNow, commit: Commit = "now"): FencedWrites {
  const row = commit === "soon" ? CALM : "1";
  const texts = new Map<string, { readonly free: string; readonly held: string }>();
  const textsOf = (sql: string, values: number) => {
    const known = texts.get(sql);
    if (known) return known;
    const open = (from: string) => `with fence as materialized (select ${row}${from})${sql.startsWith(",") ? "" : " "}${sql}`;
    const made = { free: open(""), held: open(` from sessions where id = ?${values + 1} and epoch = ?${values + 2} for share`) };
    texts.set(sql, made);
    return made;
  };
  const prepare = (sql: string, values: readonly unknown[]) => {
    const holder = fence();
    const { free, held } = textsOf(sql, values.length);
    return holder === null ? ([free, ...values] as const) : ([held, ...values, holder.session, holder.epoch] as const);
  };
  const assertHeld = async (rows: Rows = db, lock = "") => {
    const holder = fence();
    if (holder === null) return;
    if (!(await rows.one(`select 1 from sessions where id = ? and epoch = ?${lock}`, holder.session, holder.epoch)))
      throw new ConversationError(`The session ${holder.session} is held by another worker now; nothing was written.`);
  };
  return {
    async all<R extends PgRow>(sql: string, ...values: readonly unknown[]) {
      const rows = await db.all<R>(...prepare(sql, values));
      if (rows.length === 0) await assertHeld();
      return rows;
    },
    async run(sql, ...values) {
      const changed = await db.run(...prepare(sql, values));
      if (changed === 0) await assertHeld();
      return changed;
    },
    together: (work) =>
      db.together(async (rows) => {
        await assertHeld(rows, " for share");
        return work(rows);
      }),
  };
}
