import type { Sqlite } from "../sqlite/sqlite.ts";

/** Which calls are wanted. Everything that is named has to fit. */
export interface IndexQuery {
  readonly text?: string;
  readonly tool?: string;
  readonly outcome?: string;
  readonly gate?: string;
  readonly caller?: string;
  readonly session?: string;
  readonly since?: number;
  readonly until?: number;
  readonly from: number;
  readonly limit: number;
}

/** Where a line stands. */
export interface LinePlace {
  readonly id: number;
  readonly file: number;
  readonly line: number;
  readonly at: number;
  readonly size: number;
  readonly ts: number;
  readonly call_id: string | null;
}

const PLACE = "id, file, line, at, size, ts, call_id";
const NEWEST = "order by ts desc, id desc";
const NAMED = ["tool", "outcome", "gate", "caller", "session"] as const;

/** What the index answers without reading the log. */
export function createIndexQueries(db: Sqlite) {
  const nameId = db.statement<{ id: number }>("select id from names where name = ?");
  const ofCall = db.statement<LinePlace>(`select ${PLACE} from calls where call_id = ? order by ts, id limit 100`);
  const othersOfCall = db.statement<LinePlace>(`select ${PLACE} from others where call_id = ? order by ts, id limit 1000`);
  const sessionOf = db.statement<{ session: number | null }>("select session from calls where id = ?");
  const before = db.statement<LinePlace>(
    `select ${PLACE} from calls where session = ?1 and (ts, id) <= (?2, ?3) order by ts desc, id desc limit ?4`,
  );
  const after = db.statement<LinePlace>(`select ${PLACE} from calls where session = ?1 and (ts, id) > (?2, ?3) order by ts, id limit ?4`);
  const ofSession = db.statement<LinePlace>(
    `select ${PLACE} from calls where session = ?1 union all select ${PLACE} from others where session = ?1 order by ts, id limit ?2`,
  );
  const newer = db.statement<LinePlace>(`select ${PLACE} from calls where id > ? and ts >= ? order by id desc limit ?`);
  const lastId = db.statement<{ next: number }>("select next from state");

  return {
    find(query: IndexQuery): { readonly places: readonly LinePlace[]; readonly total: number } {
      const where = conditionsOf(query, (name) => nameId.get(name)?.id ?? null);
      if (where === null) return { places: [], total: 0 };
      const { sql, values, cost } = where;
      const asked = [...values, query.limit, query.from];
      if (cost === "index") {
        const total = db.statement<{ n: number }>(`select count(*) as n from ${sql}`).get(...values)?.n ?? 0;
        const page = `select id from ${sql} ${NEWEST} limit ? offset ?`;
        return { places: db.statement<LinePlace>(`select ${PLACE} from calls where id in (${page}) ${NEWEST}`).all(...asked), total };
      }
      // Every text is read for this, so it is done once for both: which fit, and how many.
      const rows = db
        .statement<LinePlace & { total: number }>(
          `with hits as materialized (select id, ts from ${sql}), page as (select id from hits ${NEWEST} limit ? offset ?)
           select (select count(*) from hits) as total, c.* from (select 1) left join (select ${PLACE} from calls where id in page) c ${NEWEST}`,
        )
        .all(...asked);
      return { places: rows.filter(({ id }) => id !== null), total: rows[0]?.total ?? 0 };
    },
    call(callId: string): { readonly calls: readonly LinePlace[]; readonly others: readonly LinePlace[] } {
      return { calls: ofCall.all(callId), others: othersOfCall.all(callId) };
    },
    around({ id, ts }: LinePlace, each: number): readonly LinePlace[] {
      const session = sessionOf.get(id)?.session ?? null;
      if (session === null) return [];
      return [...[...before.all(session, ts, id, each + 1)].reverse(), ...after.all(session, ts, id, each)];
    },
    session(sessionId: string, most: number): readonly LinePlace[] {
      const session = nameId.get(sessionId);
      return session ? ofSession.all(session.id, most) : [];
    },
    /** Oldest first; of too many the newest. */
    newer: (id: number, since: number, limit: number): readonly LinePlace[] => [...newer.all(id, since, limit)].reverse(),
    lastId: (): number => (lastId.get()?.next ?? 1) - 1,
  };
}

/** Null where nothing can fit. */
function conditionsOf(query: IndexQuery, idOf: (name: string) => number | null) {
  const { since, until, text = "" } = query;
  const terms: string[] = [];
  const values: (number | string)[] = [];
  for (const name of NAMED) {
    const wanted = query[name];
    if (wanted === undefined) continue;
    const id = idOf(wanted);
    if (id === null) return null;
    terms.push(`${name} = ?`);
    values.push(id);
  }
  if (since !== undefined) {
    terms.push("ts >= ?");
    values.push(since);
  }
  if (until !== undefined) {
    terms.push("ts <= ?");
    values.push(until);
  }
  const word = text.trim().replaceAll("\0", " ");
  if (word !== "") {
    // An id is known by its beginning.
    terms.push("(instr(text, ?) > 0 or id in (select id from calls where call_id >= ? and call_id < ? || char(0x10ffff)))");
    values.push(word.toLowerCase(), word, word);
  }
  const isSearch = word !== "";
  const sql = `${isSearch ? "texts" : "calls"}${terms.length === 0 ? "" : ` where ${terms.join(" and ")}`}`;
  return { sql, values, cost: isSearch ? ("scan" as const) : ("index" as const) };
}
