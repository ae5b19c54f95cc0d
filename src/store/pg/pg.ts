import type { Pool, PoolClient, PoolConfig } from "pg";
import { StoreError } from "../sqlite/error.ts";
import { explainPg, isRetryable, isTransient } from "./error.ts";
import { explainMissing } from "./missing-package.ts";
import { assertTenant, readStoreUrl } from "./place.ts";
import { assertUsable } from "./schema-version.ts";
import { prepared, readTypes, sendable } from "./values.ts";

export type PgRow = Record<string, any>;

/** Asks one question at a time. `?` in the text is the next value, `?2` the second one. */
export interface Rows {
  all<R extends PgRow = PgRow>(sql: string, ...values: readonly unknown[]): Promise<R[]>;
  one<R extends PgRow = PgRow>(sql: string, ...values: readonly unknown[]): Promise<R | undefined>;
  /** How many rows changed. */
  run(sql: string, ...values: readonly unknown[]): Promise<number>;
}

/** Also several questions that hold together. */
export interface Transactions extends Rows {
  /** One transaction. It is tried again where the server says that it did not happen. */
  together<T>(work: (rows: Rows) => Promise<T>): Promise<T>;
}

/** A schema of a PostgreSQL server, as one tenant sees it. Opening is synchronous; the first question connects. */
export interface Pg extends Transactions {
  readonly tenant: string;
  /** Where it is, without the password. */
  readonly shown: string;
  /** Waits for a server that is away, without an end: only for statements that are fenced or keyed, so that asking twice is safe. */
  readonly patient: Transactions;
  close(): Promise<void>;
}

/** Roles of the database that a connection acts as: see `zeph store init`. */
export type PgRole = "zeph_owner" | "zeph_worker" | "zeph_gateway";

export interface PgOptions {
  readonly url: string;
  /** Whose rows are seen. */
  readonly tenant?: string;
  readonly role?: PgRole;
  /** Connections at most. */
  readonly max?: number;
  /** How long a question waits for its answer. Then its connection is given up, and nobody knows whether it was carried out. */
  readonly answerMs?: number;
  /** Told how long each question waited for a connection. */
  readonly onWait?: (ms: number) => void;
  /** Tables that are missing or too old are not complained about: for those who make them. */
  readonly bare?: true;
}

/** Whoever waits without an end asks again on another connection: a server that was replaced never answers on the old one. */
const PATIENT_ANSWER_MS = 20_000;
const PAUSE_MS = { least: 20, most: 500 };
/** A transaction that lost against another one. */
const MOST_TRIES = 8;

export function openPg({ url, tenant = "main", role = "zeph_worker", max = 8, answerMs, onWait, bare }: PgOptions): Pg {
  const place = readStoreUrl(url);
  const config: PoolConfig = {
    connectionString: place.url,
    max,
    application_name: "zeph",
    connectionTimeoutMillis: 10_000,
    allowExitOnIdle: true,
    // Temporary tables last: functions of the owner are made with this path, and must not take a stranger's table for their own.
    // Statements are short: compiling one takes longer than it runs.
    options: [`search_path=${place.schema},pg_temp`, "jit=off", `zeph.tenant=${assertTenant(tenant)}`, ...(bare ? [] : [`role=${role}`])]
      .map((one) => `-c ${one}`)
      .join(" "),
  };
  let pool: Promise<Pool> | null = null;
  let isOpen = true;
  const openPool = async (): Promise<Pool> => {
    const pg = await import("pg").catch(explainMissing("pg", "A shared store"));
    const made = new (pg.default ?? pg).Pool({ ...config, types: readTypes((pg.default ?? pg).types) });
    // An idle connection that broke is replaced by the next question.
    made.on("error", () => {});
    // One that breaks while it is in use tells the question that waits, and says it once more to nobody.
    made.on("connect", (client) => client.on("error", () => {}));
    return made;
  };
  let checked: Promise<void> | null = null;
  const connect = async (): Promise<PoolClient> => {
    if (!isOpen) throw new StoreError(place.shown, `The store ${place.shown} was closed. Open it again to use it.`);
    pool ??= openPool();
    const asked = performance.now();
    const client = await (await pool).connect();
    onWait?.(performance.now() - asked);
    if (bare) return client;
    checked ??= assertUsable(client, place);
    try {
      await checked;
    } catch (error) {
      checked = null;
      client.release();
      throw error;
    }
    return client;
  };
  const once = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    let client: PoolClient | null = null;
    let isBroken = false;
    try {
      client = await connect();
      return await work(client);
    } catch (error) {
      isBroken = isTransient(error);
      throw explainPg(place.shown, error);
    } finally {
      client?.release(isBroken);
    }
  };
  const unlessLost = async <T>(work: (client: PoolClient) => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await once(work);
      } catch (error) {
        if (tries === MOST_TRIES || !isRetryable(error)) throw error;
      }
    }
  };
  const togetherWithin =
    (ms: number | undefined) =>
    <T>(work: (rows: Rows) => Promise<T>): Promise<T> =>
      unlessLost((client) => inTransaction(client, work, ms));
  const again = async <T>(work: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await work();
      } catch (error) {
        if (!isOpen || !isTransient(error)) throw error;
        await new Promise((resolve) => setTimeout(resolve, Math.min(PAUSE_MS.most, PAUSE_MS.least * tries) * (0.5 + Math.random())));
      }
    }
  };
  const transactionsWithin = (ms: number | undefined): Transactions =>
    ({
      all: (sql, ...values) => unlessLost((client) => createRows(client, ms).all(sql, ...values)),
      one: (sql, ...values) => unlessLost((client) => createRows(client, ms).one(sql, ...values)),
      run: (sql, ...values) => unlessLost((client) => createRows(client, ms).run(sql, ...values)),
      together: togetherWithin(ms),
    }) as Transactions;
  const patiently = transactionsWithin(answerMs ?? PATIENT_ANSWER_MS);
  return {
    tenant,
    shown: place.shown,
    ...transactionsWithin(answerMs),
    patient: {
      all: (sql, ...values) => again(() => patiently.all(sql, ...values)),
      one: (sql, ...values) => again(() => patiently.one(sql, ...values)),
      run: (sql, ...values) => again(() => patiently.run(sql, ...values)),
      together: (work) => again(() => patiently.together(work)),
    } as Transactions,
    async close() {
      if (!isOpen) return;
      isOpen = false;
      await (await pool?.catch(() => null))?.end();
    },
  };
}

function createRows(client: PoolClient, answerMs?: number): Rows {
  const ask = (sql: string, values: readonly unknown[]) =>
    client.query({ ...prepared(sql), values: values.map(sendable), ...(answerMs !== undefined && { query_timeout: answerMs }) });
  return {
    all: async (sql, ...values) => (await ask(sql, values)).rows,
    one: async (sql, ...values) => (await ask(sql, values)).rows[0],
    run: async (sql, ...values) => (await ask(sql, values)).rowCount ?? 0,
  };
}

async function inTransaction<T>(client: PoolClient, work: (rows: Rows) => Promise<T>, answerMs?: number): Promise<T> {
  const rows = createRows(client, answerMs);
  await rows.run("begin");
  try {
    const result = await work(rows);
    await rows.run("commit");
    return result;
  } catch (error) {
    await rows.run("rollback").catch(() => {});
    throw error;
  }
}
