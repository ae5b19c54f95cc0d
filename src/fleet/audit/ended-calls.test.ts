import { expect, it } from "vitest";
import { endedCalls } from "./ended-calls.ts";

const lineOf = (entry: object) => ({ text: JSON.stringify(entry), hash: "", raw: null, size: 0 });

it("a line of a call that ended says how, and no other line does", () => {
  const ended = { kind: "call", ts: "t", call_id: "c-1", outcome: "ok" };
  expect(
    endedCalls([
      lineOf(ended),
      lineOf({ ...ended, kind: "intent" }),
      lineOf({ ...ended, call_id: "c-2", outcome: "failed", error_category: "timeout" }),
      lineOf({ ...ended, waiting: true }),
      lineOf({ ...ended, call_id: undefined }),
      lineOf({ ...ended, call_id: "with a \u0000" }),
      lineOf({ ...ended, outcome: { ok: true } }),
      lineOf({ outcome: "ok", kind: "call", call_id: "c-4" }),
      { text: '{"kind":"call","call_id":"c-3', hash: "", raw: null, size: 0 },
    ]),
  ).toEqual([
    { place: 1, call: "c-1", outcome: "ok" },
    { place: 3, call: "c-2", outcome: "failed: timeout" },
  ]);
});
