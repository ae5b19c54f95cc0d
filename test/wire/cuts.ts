import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ModelError } from "../../src/core/model-error.ts";
import { type RawServer, SSE, STREAMS, startRaw } from "./raw.ts";
import { ask, hear, hearFailure, openWire, requestsOf, textOf, type WireName } from "./talk.ts";

/** The protocol of a compatible server is that of chat, so not every byte of it is needed twice. */
const CASES: readonly [WireName, Buffer, number][] = [
  ["anthropic", Buffer.from(STREAMS.anthropic), 1],
  ["chat", Buffer.from(STREAMS.chat), 1],
  ["compatible", Buffer.from(STREAMS.chat), 7],
  ["responses", Buffer.from(STREAMS.responses), 1],
  ["gemini", Buffer.from(STREAMS.gemini), 1],
];

/** Cuts a line at every byte, or at one of so many. */
export function describeCuts(oneOf: number): void {
  for (const [wire, whole, every] of CASES) describe(wire, () => cutAtBytes(wire, whole, { closed: every * oneOf, torn: 23 * every }));
}

function cutAtBytes(wire: WireName, whole: Buffer, every: Readonly<Record<"closed" | "torn", number>>): void {
  const bytes = whole.length;
  let server: RawServer;
  beforeAll(async () => {
    server = await startRaw((response, { url }) => {
      const [, length, manner] = /cut=(\d+)(\w*)/.exec(url!)!;
      response.writeHead(200, SSE);
      response.write(whole.subarray(0, Number(length)), () => (manner === "torn" ? response.destroy() : response.end()));
    });
  });
  afterAll(() => server.stop());
  // The number of bytes goes along in the address, which every package keeps in front of its own path.
  const model = (length: number, manner = "") => openWire(wire, `${server.url}/cut=${length}${manner}`);

  it("says everything when nothing is cut", async () => {
    const events = await hear(model(bytes), ask("hello"));
    expect(textOf(events)).toBe("Grüße");
    expect(requestsOf(events)).toEqual([
      { id: "a", name: "read", args: { path: "x" } },
      { id: "b", name: "read", args: { path: "y" } },
    ]);
    expect(events.at(-1)).toEqual({ type: "end", finish: "calls", usage: { input: 9, cacheRead: 0, cacheWrite: 0, output: 7 } });
  });

  it.each(["closed", "torn"] as const)("asks for nothing when the line is %s anywhere", async (manner) => {
    const cuts = Math.floor(bytes / every[manner]);
    const lengths = Array.from({ length: cuts }, (_, i) => Math.floor((i * bytes) / cuts));
    const outcomes = await inParallel(lengths, (length) => hearFailure(model(length, manner === "torn" ? "torn" : "")));
    let wholeFrom = bytes;
    for (const [i, { events, error }] of outcomes.entries()) {
      if (error === null) {
        wholeFrom = Math.min(wholeFrom, lengths[i]!);
        expect(requestsOf(events)).toHaveLength(2);
        continue;
      }
      expect(error, `at byte ${lengths[i]}`).toBeInstanceOf(ModelError);
      expect(["cut", "garbled"]).toContain(error.fault);
      expect(requestsOf(events)).toEqual([]);
      expect(events.some(({ type }) => type === "end")).toBe(false);
    }
    // It counts as whole from the protocol's own end, and not a byte before.
    const end = whole
      .toString("latin1")
      .search(/"finish_reason":"tool_calls"|event: message_stop|event: response.completed|"finishReason":"STOP"/);
    expect(wholeFrom).toBeGreaterThan(end);
  });
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}
