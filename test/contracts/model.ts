import { describe, expect, it } from "vitest";
import type { Model, ModelEvent, Prompt } from "../../src/core/ports/model.ts";

/** What a model under test says to `text`, and to `calls`: two calls of `read` behind some text. */
export interface ModelUnderTest {
  /** A new one, at the beginning of what it has to say. */
  readonly open: (says: "text" | "calls") => Model | Promise<Model>;
}

const prompt = (says: string): Prompt => ({
  system: "You are a test.",
  tools: [{ name: "read", description: "Read a file.", parameters: { type: "object", properties: { path: { type: "string" } } } }],
  messages: [{ role: "user", text: says }],
});

/** One suite for every model. */
export function modelContract(name: string, { open }: ModelUnderTest): void {
  const hear = async (says: "text" | "calls", signal = new AbortController().signal) => {
    const events: ModelEvent[] = [];
    for await (const event of (await open(says)).stream(prompt(says), signal)) events.push(event);
    return events;
  };

  describe(name, () => {
    it("has a name of its own", async () => expect((await open("text")).id).toMatch(/\S/));

    it("says text in pieces and ends once, at the end", async () => {
      const events = await hear("text");
      expect(events.map((event) => (event.type === "text" ? event.text : "")).join("")).toBe("Hello there.");
      expect(events.filter(({ type }) => type === "end")).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: "end", finish: "stop" });
    });

    it("asks for calls behind its text, in order, with ids of their own, and says that it wants them made", async () => {
      const events = await hear("calls");
      const requests = events.flatMap((event) => (event.type === "request" ? [event.request] : []));
      expect(requests.map(({ name, args, problem }) => ({ name, args, problem }))).toEqual([
        { name: "read", args: { path: "a" } },
        { name: "read", args: { path: "b" } },
      ]);
      expect(new Set(requests.map(({ id }) => id)).size).toBe(2);
      expect(events.at(-1)).toMatchObject({ type: "end", finish: "calls" });
      const firstRequest = events.findIndex(({ type }) => type === "request");
      expect(events.slice(0, firstRequest).some(({ type }) => type === "text")).toBe(true);
    });

    it("says nothing when it was stopped before it began", async () => {
      const stopped = AbortSignal.abort(new Error("enough"));
      await expect(hear("text", stopped)).rejects.toBe(stopped.reason);
    });

    it("stops in the middle with the reason it was given", async () => {
      const stop = new AbortController();
      const reason = new Error("enough");
      const model = await open("calls");
      const heard: ModelEvent[] = [];
      const listening = async () => {
        for await (const event of model.stream(prompt("calls"), stop.signal)) {
          heard.push(event);
          stop.abort(reason);
        }
      };
      await expect(listening()).rejects.toBe(reason);
      expect(heard).toHaveLength(1);
    });

    it("can be left in the middle", async () => {
      const model = await open("calls");
      for await (const event of model.stream(prompt("calls"), new AbortController().signal)) if (event.type === "text") break;
    });

    it("is not changed by being asked, and leaves the prompt as it was", async () => {
      const model = await open("text");
      const asked = prompt("text");
      const before = JSON.stringify(asked);
      for await (const _ of model.stream(asked, new AbortController().signal));
      expect(JSON.stringify(asked)).toBe(before);
    });
  });
}
