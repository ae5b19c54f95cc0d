import { describe, expect, it } from "vitest";
import type { SavedSum } from "../../../src/core/ports/printed/savings.ts";
import type { Store } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

const ONE: SavedSum = { day: "2026-11-18", kind: "npm test", rule: "npm-test", confidence: "full", uses: 1, rawChars: 1000, chars: 100 };

/** Sums of what filters took out. */
export function describeSavings(name: string, withStore: WithStore): void {
  describe(`${name}: savings`, () => {
    it(
      "adds to the row of a day, kind, rule and confidence, also where there is no rule",
      withStore(async ({ savings }) => {
        const none = { ...ONE, rule: null, confidence: "fallback" as const };
        for (const one of [ONE, none, ONE, none, { ...ONE, uses: 3, chars: 5_000_000_000 }]) await savings.add(one);
        await savings.add({ ...ONE, confidence: "partial" });
        expect(await savings.list({ since: "2026-11-18" })).toEqual([
          { ...none, uses: 2, rawChars: 2000, chars: 200 },
          { ...ONE, uses: 5, rawChars: 3000, chars: 5_000_000_200 },
          { ...ONE, confidence: "partial" },
        ]);
      }),
    );

    it(
      "lists from a day on, oldest first",
      withStore(async ({ savings }) => {
        for (const day of ["2026-11-18", "2025-12-31", "2026-01-01"]) await savings.add({ ...ONE, day });
        expect((await savings.list({ since: "2026-01-01" })).map(({ day }) => day)).toEqual(["2026-01-01", "2026-11-18"]);
        expect(await savings.list({ since: "2027-01-01" })).toEqual([]);
      }),
    );

    it(
      "loses nothing when many are added at once",
      withStore(async ({ savings }) => {
        await Promise.all(Array.from({ length: 50 }, () => savings.add(ONE)));
        expect(await savings.list({ since: "" })).toEqual([{ ...ONE, uses: 50, rawChars: 50_000, chars: 5000 }]);
      }),
    );
  });
}

/** What two connections add comes together. */
export async function sharedSavings(one: Store, two: Store): Promise<void> {
  await Promise.all([one, two, one, two].map(({ savings }) => savings.add(ONE)));
  expect(await one.savings.list({ since: "" })).toEqual([{ ...ONE, uses: 4, rawChars: 4000, chars: 400 }]);
}
