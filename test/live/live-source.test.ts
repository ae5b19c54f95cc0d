import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { OpenQuestion } from "../../src/core/ports/open-questions.ts";
import { openLiveSource } from "../../src/runtime/live/live-source.ts";
import { openStore } from "../../src/store/open.ts";
import { calls, says, scripted } from "../e2e/scripted.ts";
import { box, ended } from "../e2e/zeph.ts";
import { createMemorySources } from "../watch/memory-sources.ts";
import { openClient } from "../watch/watch-client.ts";

function opened({ folder = freshFolder(), fourEyes = false } = {}) {
  const store = openStore("memory");
  const source = openLiveSource({
    folder,
    openQuestions: store.openQuestions,
    log: join(folder, "..", "audit.jsonl"),
    fourEyes: () => fourEyes,
    where: "zeph watch",
  });
  onTestFinished(async () => {
    source.close();
    await store.close();
  });
  return { source, questions: store.openQuestions };
}

function freshFolder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-source-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return join(root, "live");
}

const left = (callId: string, more: Partial<OpenQuestion> = {}): Omit<OpenQuestion, "since"> => ({
  callId,
  workspace: "/w",
  question: { call_id: callId, tool: "write", args: { path: "a.txt" }, why: ["no rule allows it"], touches: [] },
  args: { path: "a.txt", content: "a" },
  asked: [],
  sight: "",
  caller: { callerId: "maria" },
  untrusted: false,
  ...more,
});

describe.skipIf(process.platform !== "linux")("what runs, across processes", () => {
  it("is told when it changes, until nobody wants to hear it, and takes an answer", async () => {
    const here = scripted(box(), [[calls("write", { path: "new.txt", content: "x" })], [says("Done.")]]);
    const { source } = opened({ folder: join(here.env.XDG_STATE_HOME!, "zeph", "live") });
    await source.ready();
    const told = { first: 0, second: 0 };
    const stop = source.follow(() => void told.first++);
    source.follow(() => void told.second++);
    const child = here.start(["run", "--wait-for-answer", "go"]);
    child.stdin.end();
    const end = ended(child);
    await expect.poll(async () => (await source.questions()).length).toBe(1);
    expect(told.first).toBeGreaterThan(0);
    expect(source.runs()).toMatchObject([{ pid: child.pid, kind: "run", workspace: here.cwd }]);
    const [question] = await source.questions();
    expect(question).toMatchObject({ pid: child.pid, question: { tool: "write" } });
    stop();
    const { first, second } = told;
    expect(await source.answer(question!.callId, { answer: "no", by: "maria" })).toEqual({
      counts: true,
      message: `Answered: no. The process ${child.pid} goes on.`,
    });
    await end;
    await expect.poll(() => source.runs()).toEqual([]);
    expect(told.first).toBe(first);
    expect(told.second).toBeGreaterThan(second);
    expect(await source.questions()).toEqual([]);
    expect(await source.answer(question!.callId, { answer: "once", by: "maria" })).toMatchObject({ counts: false });
  });
});

describe("a question that was left for later", () => {
  it("keeps its answer where its caller calls again, once", async () => {
    const { source, questions } = opened();
    await questions.add(left("call-1", { repeats: true }));
    expect(await source.questions()).toMatchObject([{ callId: "call-1", workspace: "/w", question: { tool: "write" } }]);
    expect(await source.answer("call-1", { answer: "once", by: "ada", reason: "fine" })).toEqual({
      counts: true,
      message: expect.stringContaining("is kept"),
    });
    expect((await questions.get("call-1"))?.answered).toMatchObject({ answer: "once", by: "ada", reason: "fine" });
    expect(await source.questions()).toEqual([]);
    expect(await source.answer("call-1", { answer: "no", by: "bob" })).toMatchObject({
      counts: false,
      why: expect.stringContaining("already"),
    });
    expect((await questions.get("call-1"))?.answered).toMatchObject({ answer: "once", by: "ada" });
  });

  it("names the command where the call is made with the answer, and stays open", async () => {
    const { source, questions } = opened();
    await questions.add(left("0123456789abcdef"));
    expect(await source.answer("0123456789abcdef", { answer: "once", by: "ada" })).toEqual({
      counts: false,
      why: expect.stringMatching(/give it in a terminal: zeph answer 01234567/),
    });
    expect((await questions.get("0123456789abcdef"))?.answered).toBeUndefined();
    expect(await source.questions()).toHaveLength(1);
  });

  it("takes no yes of its own caller through the page where four eyes are wanted, and one of another person", async () => {
    const { source, questions } = opened({ fourEyes: true });
    await questions.add(left("call-1", { repeats: true }));
    const sources = () => Object.assign(createMemorySources(), { live: source });
    const answerAs = async (person: string, answer: string) => {
      const client = await openClient({ sources: sources(), person });
      await client.enter();
      return client.post("/answer", { mark: await client.mark(), call: "call-1", answer });
    };
    const refused = await answerAs("maria", "once");
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining("tools.four_eyes")]);
    expect((await questions.get("call-1"))?.answered).toBeUndefined();
    expect((await answerAs("ada", "once")).status).toBe(303);
    expect((await questions.get("call-1"))?.answered).toMatchObject({ answer: "once", by: "ada" });
  });
});
