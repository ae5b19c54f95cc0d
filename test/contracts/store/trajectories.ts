import { describe, expect, it } from "vitest";
import type { Store, Trajectory } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

const STEPS = [
  ["read", "a.txt"],
  ["bash", "rm", "a.txt"],
];
const one = (callId: string, more: Partial<Trajectory> = {}) => ({
  workspace: "/w",
  callId,
  steps: STEPS,
  ended: "error" as const,
  ...more,
});
const callsOf = (found: readonly Trajectory[]) => found.map(({ callId }) => callId);
/** Two moments are never the same. */
const tick = async () => {
  const begun = Date.now();
  while (Date.now() <= begun) await new Promise(setImmediate);
};

/** How sequences of calls ended. */
export function describeTrajectories(name: string, withStore: WithStore): void {
  describe(`${name}: trajectories`, () => {
    it(
      "finds those of a workspace that ended badly, newest first",
      withStore(async ({ trajectories }) => {
        const ends = ["error", "ok", "violation", "unacceptable"] as const;
        for (const ended of ends) {
          await trajectories.add(one(`call-${ended}`, { ended, steps: [[ended]] }));
          await tick();
        }
        await trajectories.add(one("elsewhere", { workspace: "/other" }));
        const found = await trajectories.bad("/w", 0, 10);
        expect(callsOf(found)).toEqual(["call-unacceptable", "call-violation", "call-error"]);
        expect(found[2]).toEqual({
          id: expect.any(String),
          workspace: "/w",
          callId: "call-error",
          steps: [["error"]],
          ended: "error",
          createdAt: expect.any(Number),
        });
        expect(callsOf(await trajectories.bad("/w", 0, 1))).toEqual(["call-unacceptable"]);
        expect(callsOf(await trajectories.bad("/w", found[1]!.createdAt, 9))).toEqual(["call-unacceptable", "call-violation"]);
        expect(await trajectories.bad("/none", 0, 9)).toEqual([]);
        expect(await trajectories.count("/w")).toEqual({ ok: 1, error: 1, violation: 1, unacceptable: 1 });
        expect(await trajectories.count("/none")).toEqual({ ok: 0, error: 0, violation: 0, unacceptable: 0 });
      }),
    );

    it(
      "takes an error back when the same call ended well, and nothing else",
      withStore(async ({ trajectories }) => {
        await trajectories.add(one("same-other-way", { steps: [["list"], STEPS[1]!] }));
        await trajectories.add(one("unacceptable", { ended: "unacceptable" }));
        await trajectories.add(one("violation", { ended: "violation" }));
        await trajectories.add(one("another", { steps: [["bash", "rm", "b.txt"]] }));
        await trajectories.add(one("elsewhere", { workspace: "/other" }));
        await trajectories.add(one("well", { ended: "ok" }));
        expect(callsOf(await trajectories.bad("/w", 0, 9)).sort()).toEqual(["another", "unacceptable", "violation"]);
        expect(await trajectories.bad("/other", 0, 9)).toHaveLength(1);
      }),
    );

    it(
      "has one for each call",
      withStore(async ({ trajectories }) => {
        const first = await trajectories.add(one("c1"));
        const again = await trajectories.add(one("c1", { ended: "violation" }));
        expect(again).toEqual({ ...first, ended: "violation" });
        expect(await trajectories.bad("/w", 0, 9)).toEqual([again]);
      }),
    );

    it(
      "is judged by a person, by the call's id or the beginning of it",
      withStore(async ({ trajectories }) => {
        await trajectories.add(one("abcdef-1", { ended: "ok" }));
        await trajectories.add(one("abcdef-2", { ended: "ok" }));
        await trajectories.add(one("abcdef", { ended: "ok" }));
        for (const id of ["abcde", "", "none", "abcdef-3", "%", "abcdef_1", "a\0", "x".repeat(10_000)])
          expect(await trajectories.judge(id, "unacceptable", "sequence")).toBeNull();
        expect(await trajectories.judge("abcdef", "unacceptable", "sequence")).toMatchObject({ callId: "abcdef", steps: STEPS });
        expect(await trajectories.judge("abcdef-2", "unacceptable", "call")).toMatchObject({ ended: "unacceptable", steps: [STEPS[1]] });
        expect((await trajectories.bad("/w", 0, 9)).map(({ steps }) => steps.length).sort()).toEqual([1, 2]);
        expect(await trajectories.judge("abcdef", "ok", "sequence")).toMatchObject({ ended: "ok" });
        expect(callsOf(await trajectories.bad("/w", 0, 9))).toEqual(["abcdef-2"]);
      }),
    );

    it(
      "keeps every character of a word, but for a NUL",
      withStore(async ({ trajectories }) => {
        const words = ["bash", "a\0b", "🧪 e\u0301", `'; drop table trajectories; --"`, "\ud800"];
        await trajectories.add(one("odd", { steps: [words] }));
        expect((await trajectories.bad("/w", 0, 1))[0]!.steps).toEqual([words.map((word) => word.replace("\0", "\ufffd"))]);
      }),
    );

    it(
      "forgets what is older than a moment",
      withStore(async ({ trajectories }) => {
        await trajectories.add(one("old"));
        await tick();
        const { createdAt } = await trajectories.add(one("young"));
        expect(await trajectories.expire(createdAt)).toBe(1);
        expect(callsOf(await trajectories.bad("/w", 0, 9))).toEqual(["young"]);
        expect(await trajectories.expire(createdAt)).toBe(0);
      }),
    );

    it(
      "is bounded for each workspace: what ended well goes first, a person's word last",
      withStore(async ({ trajectories }) => {
        await trajectories.add(one("elsewhere", { workspace: "/other", ended: "ok" }));
        await trajectories.add(one("first", { ended: "unacceptable" }));
        await trajectories.add(one("second", { ended: "violation" }));
        for (let n = 0; n < 10_300; n++) await trajectories.add(one(`n${n}`, { ended: "ok", steps: [[String(n)]] }));
        const { ok, ...rest } = await trajectories.count("/w");
        expect(rest).toEqual({ error: 0, violation: 1, unacceptable: 1 });
        expect(ok).toBeLessThan(10_100);
        expect(ok).toBeGreaterThan(9_900);
        expect(await trajectories.judge("n0", "ok", "sequence")).toBeNull();
        expect(await trajectories.judge("n10299", "ok", "sequence")).not.toBeNull();
        expect(await trajectories.judge("elsewhere", "ok", "sequence")).not.toBeNull();
      }),
    );
  });
}

/** What one connection learnt another knows. */
export async function sharedTrajectories(first: Store, second: Store): Promise<void> {
  await first.trajectories.add(one("shared"));
  expect(callsOf(await second.trajectories.bad("/w", 0, 9))).toEqual(["shared"]);
  expect(await second.trajectories.judge("shared", "unacceptable", "sequence")).toMatchObject({ steps: STEPS });
  expect(await first.trajectories.count("/w")).toMatchObject({ error: 0, unacceptable: 1 });
}

/** When files were written that may hold a stranger's text. */
export function describeStrangerWrites(name: string, withStore: WithStore): void {
  describe(`${name}: spans of a stranger's writing`, () => {
    it(
      "holds the moments within them, of this workspace, and joins what overlaps",
      withStore(async ({ strangerWrites }) => {
        strangerWrites.add("/w", { from: 100, until: 200 });
        strangerWrites.add("/w", { from: 150, until: 300 });
        strangerWrites.add("/w", { from: 1000, until: 1000 });
        expect([99, 100, 250, 300, 301, 999, 1000].map((at) => strangerWrites.holds("/w", at))).toEqual([
          false,
          true,
          true,
          true,
          false,
          false,
          true,
        ]);
        expect(strangerWrites.holds("/other", 150)).toBe(false);
      }),
    );
    it(
      "keeps a bounded number and forgets none: the oldest are joined with what lies between",
      withStore(async ({ strangerWrites }) => {
        for (let n = 0; n < 2010; n++) strangerWrites.add("/w", { from: n * 10, until: n * 10 + 1 });
        for (const at of [0, 1, 1000, 20_090]) expect([at, strangerWrites.holds("/w", at)]).toEqual([at, true]);
        expect(strangerWrites.holds("/w", 5)).toBe(true);
        expect(strangerWrites.holds("/w", 20_085)).toBe(false);
      }),
    );
  });
}
