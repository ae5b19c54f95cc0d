import assert from "node:assert/strict";
import type { Model, ModelEvent, Prompt } from "../core/ports/model.ts";

/** The two functions of a test runner that a suite needs: those of node:test, Vitest, Jest and Bun fit. */
export interface TestFunctions {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** What a model under test says to `text` ("Hello there."), and to `calls`: some text, then a call of `read` for each of the paths `a` and `b`. */
export interface ModelUnderTest {
  /** A new one, at the beginning of what it has to say. */
  readonly open: (says: "text" | "calls") => Model | Promise<Model>;
}

/** What every model must do, as a suite of tests. */
export function describeModel({ describe, it }: TestFunctions, name: string, { open }: ModelUnderTest): void {
  const hear = async (says: "text" | "calls", signal = new AbortController().signal) => {
    const events: ModelEvent[] = [];
    for await (const event of (await open(says)).stream(promptSaying(says), signal)) events.push(event);
    return events;
  };

  describe(name, () => {
    it("has a name of its own", async () => assert.match((await open("text")).id, /\S/));

    it("says text in pieces and ends once, at the end", async () => {
      const events = await hear("text");
      assert.equal(events.map((event) => (event.type === "text" ? event.text : "")).join(""), "Hello there.");
      assert.equal(events.filter(({ type }) => type === "end").length, 1);
      assert.equal(finishOf(events), "stop");
    });

    it("asks for calls behind its text, in order, with ids of their own, and says that it wants them made", async () => {
      const events = await hear("calls");
      const requests = events.flatMap((event) => (event.type === "request" ? [event.request] : []));
      assert.deepEqual(
        requests.map(({ name, args, problem }) => ({ name, args, problem })),
        ["a", "b"].map((path) => ({ name: "read", args: { path }, problem: undefined })),
      );
      assert.equal(new Set(requests.map(({ id }) => id)).size, 2);
      assert.equal(finishOf(events), "calls");
      const firstRequest = events.findIndex(({ type }) => type === "request");
      assert(events.slice(0, firstRequest).some(({ type }) => type === "text"));
    });

    it("says nothing when it was stopped before it began", async () => {
      const reason = new Error("enough");
      await assert.rejects(hear("text", AbortSignal.abort(reason)), isThe(reason));
    });

    it("stops in the middle with the reason it was given", async () => {
      const stop = new AbortController();
      const reason = new Error("enough");
      const model = await open("calls");
      let heard = 0;
      const listen = async () => {
        for await (const _ of model.stream(promptSaying("calls"), stop.signal)) {
          heard += 1;
          stop.abort(reason);
        }
      };
      await assert.rejects(listen(), isThe(reason));
      assert.equal(heard, 1);
    });

    it("can be left in the middle", async () => {
      const model = await open("calls");
      for await (const event of model.stream(promptSaying("calls"), new AbortController().signal)) if (event.type === "text") break;
    });

    it("is not changed by being asked, and leaves the prompt as it was", async () => {
      const model = await open("text");
      const asked = promptSaying("text");
      const before = JSON.stringify(asked);
      for await (const _ of model.stream(asked, new AbortController().signal));
      assert.equal(JSON.stringify(asked), before);
    });
  });
}

const promptSaying = (text: string): Prompt => ({
  system: "You are a test.",
  tools: [{ name: "read", description: "Read a file.", parameters: { type: "object", properties: { path: { type: "string" } } } }],
  messages: [{ role: "user", text }],
});

function finishOf(events: readonly ModelEvent[]): string | undefined {
  const last = events.at(-1);
  return last?.type === "end" ? last.finish : undefined;
}

const isThe = (reason: unknown) => (thrown: unknown) => thrown === reason;
