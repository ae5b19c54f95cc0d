import { openPg, type Pg, type PgOptions } from "../../store/pg/pg.ts";

/** A database that has answered once. Whoever sits at a terminal is told that it is away, in place of being let wait for it. */
export async function openAnsweringPg(options: PgOptions): Promise<Pg> {
  const db = openPg(options);
  try {
    await db.run("select 1");
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}
