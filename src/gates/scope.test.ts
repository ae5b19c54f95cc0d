import { expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../core/call.ts";
import type { Verdict } from "../core/gate/verdict.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { defineTool, type Effect } from "../core/tool.ts";
import type { Trust } from "../core/turn.ts";
import { createScopeGate } from "./scope.ts";

const EFFECTS: readonly Effect[] = ["reads", "stores", "writes", "runs", "fetches", "unknown"];
const callOf = (effect: Effect) => {
  const tool = defineTool({
    name: effect,
    description: "",
    effect,
    input: z.strictObject({}),
    touches: () => [],
    run: async () => ({ text: "" }),
  });
  return ToolCall.parse(ToolRequest.from({ id: "1", name: effect, args: {} })!, new Map([[effect, tool]])) as ToolCall;
};
const kinds = (trust: Trust, on = { enabled: true, require_capability: true }) =>
  EFFECTS.map(
    (effect) =>
      (createScopeGate(on, (_tool, turn) => turn.trust).judge(callOf(effect), createSession().current({ trust })) as Verdict).kind,
  ).join(" ");

it("the least trust of anybody behind the call counts, not the caller's alone", () => {
  const gate = createScopeGate({ enabled: true, require_capability: true }, () => "provisional");
  expect(gate.judge(callOf("writes"), createSession().current({ trust: "trusted" }))).toMatchObject({
    kind: "deny",
    why: expect.stringContaining("something behind the call"),
  });
});

it.each([
  ["trusted", "pass pass pass pass pass pass"],
  ["provisional", "pass pass deny deny deny deny"],
  ["untrusted", "pass pass deny deny deny deny"],
] as const)("%s: %s", (trust, expected) => {
  expect(kinds(trust)).toBe(expected);
  expect(kinds(trust, { enabled: false, require_capability: true })).toBe(kinds("trusted"));
  expect(kinds(trust, { enabled: true, require_capability: false })).toBe(kinds("trusted"));
});
