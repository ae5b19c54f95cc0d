import type { Savings } from "../../../core/ports/printed/savings.ts";
import { type SavedDayRow, savedRow } from "../../savings.ts";
import type { Transactions } from "../pg.ts";
import { createFencedWrites } from "./fence.ts";

/** Sums of a tenant, not of a session: nothing of them is fenced. */
export function createSharedSavings(db: Transactions): Savings {
  const writes = createFencedWrites(db, () => null, "soon");
  return {
    add: async ({ day, kind, rule, confidence, uses, rawChars, chars }) =>
      void (await writes.run(
        `insert into savings as s (day, kind, rule, confidence, uses, raw_chars, chars) select ?, ?, ?, ?, ?, ?, ? from fence
         on conflict (tenant, day, kind, rule, confidence)
         do update set uses = s.uses + excluded.uses, raw_chars = s.raw_chars + excluded.raw_chars, chars = s.chars + excluded.chars`,
        day,
        kind,
        rule ?? "",
        confidence,
        uses,
        rawChars,
        chars,
      )),
    list: async ({ since }) =>
      (
        await db.all<SavedDayRow>(
          "select day, kind, rule, confidence, uses, raw_chars, chars from savings where day >= ? order by day, kind, rule, confidence",
          since,
        )
      ).map(savedRow),
  };
}
