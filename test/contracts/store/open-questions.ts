import { describe, expect, it } from "vitest";
import type { OpenQuestion } from "../../../src/core/ports/open-questions.ts";
import type { Store } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

const open = (callId: string, more: Partial<OpenQuestion["question"]> = {}, workspace = "/w"): Omit<OpenQuestion, "since"> => ({
  callId,
  workspace,
  question: { call_id: callId, tool: "write", args: { path: "a" }, why: ["No rule speaks of it."], touches: [], ...more },
  args: { path: "a" },
  asked: [{ kind: "ask", gate: "permissions", rule: null, why: "No rule speaks of it." }],
  sight: '[null,""]',
  caller: { phase: "executor", trust: "trusted" },
  untrusted: false,
});

/** Questions whose answer comes later. */
export function describeOpenQuestions(name: string, withStore: WithStore): void {
  describe(`${name}: open questions`, () => {
    it(
      "a question comes back as it was kept, with its time",
      withStore(async ({ openQuestions }) => {
        const kept = open("c1", { args: { content: 'ü 🧪 \u0000 "quoted"' } });
        await openQuestions.add(kept);
        const found = await openQuestions.get("c1");
        expect(found).toEqual({ ...kept, since: expect.any(Number) });
        expect(Math.abs(found!.since - Date.now())).toBeLessThan(60_000);
        expect(await openQuestions.get("c2")).toBeNull();
      }),
    );

    it(
      "a question is taken once, and nobody finds it afterwards",
      withStore(async ({ openQuestions }) => {
        await openQuestions.add(open("c1"));
        expect(await Promise.all([openQuestions.take("c1"), openQuestions.take("c1")])).toEqual([true, false]);
        expect(await openQuestions.get("c1")).toBeNull();
        expect(await openQuestions.list()).toEqual([]);
      }),
    );

    it(
      "a call has one question at most",
      withStore(async ({ openQuestions }) => {
        await openQuestions.add(open("c1"));
        await openQuestions.add(open("c1", {}, "/other"));
        expect((await openQuestions.list()).map(({ callId, workspace }) => [callId, workspace])).toEqual([["c1", "/other"]]);
      }),
    );

    it(
      "questions are listed by workspace and by conversation, the oldest first",
      withStore(async ({ conversations, openQuestions }) => {
        const { id } = await conversations.create("/w", "t");
        await openQuestions.add(open("c1"));
        await openQuestions.add(open("c2", { conversation: id }));
        await openQuestions.add(open("c3", {}, "/other"));
        const ids = async (where?: Parameters<typeof openQuestions.list>[0]) =>
          (await openQuestions.list(where)).map(({ callId }) => callId);
        expect(await ids()).toEqual(["c1", "c2", "c3"]);
        expect(await ids({ workspace: "/w" })).toEqual(["c1", "c2"]);
        expect(await ids({ conversation: id })).toEqual(["c2"]);
        expect(await ids({ workspace: "/other", conversation: id })).toEqual([]);
      }),
    );

    it(
      "a question goes with its conversation",
      withStore(async ({ conversations, openQuestions }) => {
        const { id } = await conversations.create("/w", "t");
        await openQuestions.add(open("c1", { conversation: id }));
        await conversations.delete(id);
        expect(await openQuestions.get("c1")).toBeNull();
      }),
    );
  });
}

/** A question that one process asked is answered by another. */
export async function sharedOpenQuestions(first: Store, second: Store): Promise<void> {
  await first.openQuestions.add(open("shared"));
  expect(await second.openQuestions.get("shared")).toMatchObject({ callId: "shared" });
  expect(await second.openQuestions.take("shared")).toBe(true);
  expect(await first.openQuestions.take("shared")).toBe(false);
}
