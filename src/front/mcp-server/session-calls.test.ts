import type { CallToolResult, ElicitResult, ServerContext } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import type { Offer } from "./offer.ts";
import { createSessionCalls } from "./session-calls.ts";

const request = (inputResponses?: object, signal = new AbortController().signal) =>
  ({ mcpReq: { signal, inputResponses, requestState: () => undefined, notify: async () => {} } }) as unknown as ServerContext;
const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
const asks = { form: true, url: false };
const params = { message: "?", requestedSchema: { type: "object" as const, properties: {} } };

/** One tool that asks, and tells what came back. */
const asking = (heard: (ElicitResult | null)[]): Offer => ({
  tools: () => [],
  async call(_name, _args, { ask, signal }) {
    const answer = await ask({ params });
    heard.push(answer);
    return text(signal.aborted ? "stopped" : JSON.stringify(answer));
  },
  async close() {},
});
const stateOf = (result: unknown) => (result as { requestState: string }).requestState;

it("a question nobody comes back with is given up, and so is the call", async () => {
  const calls = createSessionCalls(30);
  const heard: (ElicitResult | null)[] = [];
  const state = stateOf(await calls.begin({ offer: asking(heard), name: "t", args: {}, asks }, request()));
  expect(calls.busy()).toBe(1);
  await expect.poll(() => heard).toEqual([null]);
  expect(calls.busy()).toBe(0);
  await expect(calls.resume(state, "t", {}, request({ answer: { action: "decline" } }))).rejects.toMatchObject({ code: -32602 });
});

it("what is under way is counted, bounded and stopped", async () => {
  const calls = createSessionCalls();
  const heard: (ElicitResult | null)[] = [];
  for (let n = 0; n < 64; n++) await calls.begin({ offer: asking(heard), name: "t", args: { n }, asks }, request());
  expect(calls.busy()).toBe(64);
  expect(await calls.begin({ offer: asking(heard), name: "t", args: {}, asks }, request())).toMatchObject({ isError: true });
  calls.stop();
  await expect.poll(() => heard.length).toBe(64);
  expect(new Set(heard)).toEqual(new Set([null]));
  expect(calls.busy()).toBe(0);
});

const nested = (levels: number): unknown => {
  let value: unknown = [];
  for (let n = 1; n < levels; n++) value = [value];
  return value;
};

it("arguments that go too deep are refused, and cost the session nothing", async () => {
  const calls = createSessionCalls();
  for (const levels of [65, 200_000])
    for (let n = 0; n < 70; n++)
      expect(await calls.begin({ offer: asking([]), name: "t", args: nested(levels), asks }, request())).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining("64 levels") }],
      });
  expect(calls.busy()).toBe(0);
  const state = stateOf(await calls.begin({ offer: asking([]), name: "t", args: nested(64), asks }, request()));
  expect(calls.busy()).toBe(1);
  const answer = request({ answer: { action: "decline" } });
  await expect(calls.resume(state, "t", nested(200_000), answer)).rejects.toMatchObject({ code: -32602 });
  expect(await calls.resume(state, "t", nested(64), answer)).toEqual(text('{"action":"decline"}'));
  expect(calls.busy()).toBe(0);
});

it("a call that cannot even be named is not counted", async () => {
  const calls = createSessionCalls();
  const args = {
    toJSON: () => {
      throw new Error("no");
    },
  };
  await expect(calls.begin({ offer: asking([]), name: "t", args, asks }, request())).rejects.toThrow("no");
  expect(calls.busy()).toBe(0);
});

it("a client that cannot be asked is not", async () => {
  const calls = createSessionCalls();
  const result = await calls.begin({ offer: asking([]), name: "t", args: {}, asks: { form: false, url: true } }, request());
  expect(result).toEqual(text("null"));
});

it("a request that is taken back stops its call, also one that came with an answer", async () => {
  const calls = createSessionCalls();
  const seen: boolean[] = [];
  const offer: Offer = {
    ...asking([]),
    async call(_name, _args, { ask, signal }) {
      await ask({ params });
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      seen.push(signal.aborted);
      return text("stopped");
    },
  };
  const first = new AbortController();
  const state = stateOf(await calls.begin({ offer, name: "t", args: {}, asks }, request(undefined, first.signal)));
  // The first request has been answered; whatever becomes of it now is nothing to the call.
  first.abort();
  const second = new AbortController();
  const answered = calls.resume(state, "t", {}, request({ answer: { action: "accept", content: {} } }, second.signal));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen).toEqual([]);
  second.abort();
  expect(await answered).toEqual(text("stopped"));
  expect(seen).toEqual([true]);
});
