import { describe, expect, it } from "vitest";
import type { SessionKey, Store } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

const ONE: SessionKey = { workspace: "/w", owner: "caller client:claude s" };
const change = (key: SessionKey, put: Readonly<Record<string, string>>, remove: readonly string[] = []) => ({
  ...key,
  put: new Map(Object.entries(put)),
  remove,
});

/** What gates remember of the sessions of other agents. */
export function describeSessionMemory(name: string, withStore: WithStore): void {
  describe(`${name}: what is remembered of sessions`, () => {
    it(
      "keeps items by session, and tells nothing to whoever has its newest version",
      withStore(async ({ sessionMemory }) => {
        expect(sessionMemory.read(ONE, 0)).toBeNull();
        const [first] = (await sessionMemory.write([change(ONE, { a: "1", b: "2" })], 1000))!;
        expect(sessionMemory.read(ONE, first!)).toBeNull();
        const [second] = (await sessionMemory.write([change(ONE, { a: "3" }, ["b"])], 1000))!;
        expect(second).toBeGreaterThan(first!);
        expect(sessionMemory.read(ONE, first!)).toEqual({ version: second, items: new Map([["a", "3"]]) });
        for (const other of [
          { ...ONE, workspace: "/other" },
          { ...ONE, owner: "caller client:claude t" },
        ])
          expect(sessionMemory.read(other, 0)).toBeNull();
      }),
    );

    it(
      "writes all of several changes or nothing",
      withStore(async ({ sessionMemory }) => {
        const bad = change({ ...ONE, owner: "other" }, { "a\0": "1" });
        await expect(sessionMemory.write([change(ONE, { a: "1" }), bad], 1000)).rejects.toThrow("NUL");
        expect(sessionMemory.read(ONE, 0)).toBeNull();
      }),
    );

    it(
      "writes nothing of several changes where one of them was decided before another was written",
      withStore(async ({ sessionMemory }) => {
        const two = { ...ONE, owner: "other" };
        const [first] = (await sessionMemory.write([{ ...change(ONE, { a: "1" }), after: 0 }], 1000))!;
        expect(await sessionMemory.write([{ ...change(ONE, { a: "2" }), after: 0 }], 1000)).toBeNull();
        const late = [change(two, { a: "1" }), { ...change(ONE, { a: "2" }), after: 0 }];
        expect(await sessionMemory.write(late, 1000)).toBeNull();
        expect([sessionMemory.read(two, 0), sessionMemory.read(ONE, first!)]).toEqual([null, null]);
        expect(await sessionMemory.write([{ ...change(ONE, { a: "2" }), after: first! }], 1000)).toHaveLength(1);
      }),
    );

    it(
      "forgets what was written before a moment, and gives what comes later another version",
      withStore(async ({ sessionMemory }) => {
        const [old] = (await sessionMemory.write([change(ONE, { a: "1" })], 1000))!;
        await sessionMemory.write([change({ ...ONE, owner: "young" }, { a: "1" })], 2000);
        expect(await sessionMemory.expire(2000)).toBe(1);
        expect(sessionMemory.read(ONE, old!)).toEqual({ version: 0, items: new Map() });
        expect(sessionMemory.read({ ...ONE, owner: "young" }, 0)?.items.size).toBe(1);
        const [again] = (await sessionMemory.write([change(ONE, {})], 3000))!;
        expect(again).not.toBe(old);
      }),
    );
  });
}

/** What one connection remembers the other knows. */
export async function sharedSessionMemory(first: Store, second: Store): Promise<void> {
  const [written] = (await first.sessionMemory.write([change(ONE, { a: "1" })], 1000))!;
  expect(second.sessionMemory.read(ONE, 0)).toEqual({ version: written, items: new Map([["a", "1"]]) });
  await second.sessionMemory.write([change(ONE, { b: "2" })], 1000);
  expect(first.sessionMemory.read(ONE, written!)?.items).toEqual(
    new Map([
      ["a", "1"],
      ["b", "2"],
    ]),
  );
}
