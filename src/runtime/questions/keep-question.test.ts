import { afterEach, describe, expect, it, vi } from "vitest";
import type { Question } from "../../core/event.ts";
import { type CallContext, NEVER } from "../../core/tool.ts";
import type { KeptQuestion } from "../../pipeline/run.ts";
import { openStore } from "../../store/open.ts";
import { createQuestionKeeper } from "./keep-question.ts";

afterEach(() => void vi.useRealTimers());

const ctx = { signal: NEVER, turn: { phase: "executor", seen: { untrusted: false } }, repeats: true } as unknown as CallContext;
const question = (call_id: string): Question => ({ call_id, tool: "write", args: {}, why: [], touches: [] });
const kept = (more: Partial<KeptQuestion> = {}): KeptQuestion => ({ args: { path: "a", content: "x" }, asked: [], sight: "s", ...more });

describe("a call that is made again", () => {
  it("takes an answer once, and only what was shown then", async () => {
    const { openQuestions } = openStore("memory");
    const keep = createQuestionKeeper(openQuestions, "/w");
    expect(await keep(question("1"), kept(), ctx)).toEqual({ callId: "1" });
    expect(await keep(question("2"), kept({ args: { content: "x", path: "a" } }), ctx)).toEqual({ callId: "1" });
    expect(await openQuestions.answer("1", { answer: "once", by: "ada" })).toBe(true);
    expect(await openQuestions.answer("1", { answer: "no" })).toBe(false);
    expect(await openQuestions.list()).toEqual([]);
    // Of another workspace, of another tool, with other arguments.
    expect(await createQuestionKeeper(openQuestions, "/v")(question("3"), kept(), ctx)).toEqual({ callId: "3" });
    expect(await keep({ ...question("4"), tool: "edit" }, kept(), ctx)).toEqual({ callId: "4" });
    expect(await keep(question("5"), kept({ args: { path: "a", content: "y" } }), ctx)).toEqual({ callId: "5" });
    expect(await keep(question("6"), kept(), ctx)).toEqual({ answered: { answer: "once", by: "ada" } });
    expect(await keep(question("7"), kept(), ctx)).toEqual({ callId: "7" });
  });

  it.each<[string, Partial<KeptQuestion>]>([
    ["file became another one", { sight: "t" }],
    ["rule asks something else", { asked: [{ kind: "ask", gate: "trust", rule: null, why: "why" }] }],
  ])("asks anew where the %s, and the old answer is gone", async (_, change) => {
    const { openQuestions } = openStore("memory");
    const keep = createQuestionKeeper(openQuestions, "/w");
    await keep(question("1"), kept(), ctx);
    await openQuestions.answer("1", { answer: "once" });
    expect(await keep(question("2"), kept(change), ctx)).toEqual({ callId: "2" });
    expect(await openQuestions.get("1")).toBeNull();
  });

  it("twice at once takes an answer once", async () => {
    const { openQuestions } = openStore("memory");
    const keep = createQuestionKeeper(openQuestions, "/w");
    await keep(question("1"), kept(), ctx);
    await openQuestions.answer("1", { answer: "once" });
    const both = await Promise.all([keep(question("2"), kept(), ctx), keep(question("3"), kept(), ctx)]);
    expect(both.filter((one) => "answered" in one)).toHaveLength(1);
  });

  it("finds an answer for a day", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { openQuestions } = openStore("memory");
    const keep = createQuestionKeeper(openQuestions, "/w");
    await keep(question("1"), kept(), ctx);
    await openQuestions.answer("1", { answer: "once" });
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    expect(await keep(question("2"), kept(), ctx)).toEqual({ callId: "2" });
  });

  it("fills no store: of too many questions the oldest go, and none that was answered", async () => {
    const { openQuestions } = openStore("memory");
    const keep = createQuestionKeeper(openQuestions, "/w");
    await keep(question("answered"), kept({ args: {} }), ctx);
    await openQuestions.answer("answered", { answer: "once" });
    for (let n = 0; n < 205; n++) await keep(question(String(n)), kept({ args: { n } }), ctx);
    expect(await openQuestions.list()).toHaveLength(200);
    expect(await openQuestions.get("204")).not.toBeNull();
    expect(await keep(question("again"), kept({ args: {} }), ctx)).toEqual({ answered: { answer: "once" } });
  });
});
