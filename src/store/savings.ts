import type { SavedSum, Savings } from "../core/ports/printed/savings.ts";
import type { Sqlite } from "./sqlite/sqlite.ts";
import { PATIENCE_MS, unlessLocked } from "./sqlite/unless-locked.ts";

/** Fixed statements: a row is added with every command. */
export function createSavings(db: Sqlite): Savings {
  const add = db.statement(
    `insert into savings (day, kind, rule, confidence, uses, raw_chars, chars) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (day, kind, rule, confidence)
     do update set uses = uses + excluded.uses, raw_chars = raw_chars + excluded.raw_chars, chars = chars + excluded.chars`,
    PATIENCE_MS,
  );
  const list = db.statement<SavedDayRow>("select * from savings where day >= ? order by day, kind, rule, confidence");
  return {
    add: async (one) =>
      void (await unlessLocked(() => add.run(one.day, one.kind, one.rule ?? "", one.confidence, one.uses, one.rawChars, one.chars))),
    list: async ({ since }) => list.all(since).map(savedRow),
  };
}

/** A row, whatever the database. */
export interface SavedDayRow extends Omit<SavedSum, "rawChars" | "rule"> {
  readonly rule: string;
  readonly raw_chars: number;
}

export const savedRow = ({ day, kind, rule, confidence, uses, raw_chars, chars }: SavedDayRow): SavedSum => ({
  day,
  kind,
  rule: rule === "" ? null : rule,
  confidence,
  uses,
  rawChars: raw_chars,
  chars,
});
