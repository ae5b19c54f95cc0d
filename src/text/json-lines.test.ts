import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JsonLine, JsonLines } from "./json-lines.ts";

const MOST = 100;

/** The lines of a text that comes in pieces of this size. */
function linesOf(text: string, size: number): JsonLine[] {
  const lines = new JsonLines(MOST);
  const bytes = Buffer.from(text);
  const found: JsonLine[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...lines.read(bytes.subarray(at, at + size)));
  return found;
}

const long = "x".repeat(200_000);

describe("lines of JSON", () => {
  it("come whole however they are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 60 })), fc.integer({ min: 1, max: 50 }), (texts, size) => {
        const clean = texts.map((text) => text.replaceAll("\n", "").slice(0, 30));
        expect(linesOf(clean.map((text) => `${text}\n`).join(""), size)).toEqual(
          clean.map((text) => ({ text: Buffer.from(text).toString() })),
        );
      }),
    );
  });

  it.each([
    ["a request", { jsonrpc: "2.0", id: 7, method: "m", params: { long } }, { id: 7, kind: "request" }],
    ["a request whose id comes last", { method: "m", params: { id: 1, long }, id: 'a,}"{:' }, { id: 'a,}"{:', kind: "request" }],
    ["an answer", { id: 3, result: { long, method: "no" } }, { id: 3, kind: "answer" }],
    ["a notification", { method: "m", params: long }, { id: null, kind: "request" }],
    ["an id that is none", { id: { id: 3 }, method: long }, { id: null, kind: "request" }],
    ["an id that is too long", { id: long, method: "m" }, { id: null, kind: "request" }],
    ["several messages", [{ id: 1, method: "m", long }], { id: null, kind: "unknown" }],
    ["names inside", { params: [{ id: 5, method: "x" }, long], id: 6, result: 1 }, { id: 6, kind: "answer" }],
  ])("that are too long are told by their id: %s", (_name, message, expected) => {
    for (const size of [7, 65_536, 10_000_000])
      expect(linesOf(`${JSON.stringify(message)}\n{"id":1}\n`, size)).toEqual([{ tooLong: expected }, { text: '{"id":1}' }]);
  });

  it("that are no JSON and too long are dropped", () => {
    expect(linesOf(`${'"\\'.repeat(500)}\n${"}{".repeat(500)}\nshort\n`, 64)).toEqual([
      { tooLong: { id: null, kind: "unknown" } },
      { tooLong: { id: null, kind: "unknown" } },
      { text: "short" },
    ]);
  });
});
