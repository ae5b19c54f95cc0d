import { isTransient } from "../../../store/pg/error.ts";
import type { Pg, Transactions } from "../../../store/pg/pg.ts";

const PAUSE_MS = 100;
/** So long a request waits for a database that is away. Then whoever asks is told. */
const PATIENCE_MS = 2000;

/** Asks again for a while. Only for what may be asked twice. */
export async function askAgain<T>(ask: () => Promise<T>): Promise<T> {
  const latest = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || Date.now() + PAUSE_MS > latest) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** The same database for those whose clients wait: nothing is asked again without an end. */
export const createImpatientDb = (db: Pg): Pg => ({
  ...db,
  patient: {
    all: (sql, ...values) => askAgain(() => db.all(sql, ...values)),
    one: (sql, ...values) => askAgain(() => db.one(sql, ...values)),
    run: (sql, ...values) => askAgain(() => db.run(sql, ...values)),
    together: (work) => askAgain(() => db.together(work)),
  } as Transactions,
});
