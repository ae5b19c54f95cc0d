import { expect, test } from "vitest";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { Attributes, Tracing } from "../core/ports/span.ts";
import { ToolRequest } from "../core/request.ts";
import { type CallContext, NEVER } from "../core/tool.ts";
import { trace } from "./trace.ts";

const request = (name: string) => ToolRequest.from({ id: "c-1", name, args: { path: "private.txt" } })!;
const ctx: CallContext = {
  signal: NEVER,
  turn: {
    sessionId: "s",
    turnId: "t",
    phase: "executor",
    trust: "trusted",
    conversationId: "talk-1",
    timestampMs: 0,
    seen: { untrusted: false },
  },
};
const decision = { verdict: "allow", by: "rules", rule: "private/**", why: "private" } as const;
const ok: Outcome = {
  ok: true,
  callId: "c-1",
  output: { text: "private", exitCode: 0 },
  grant: { kind: "preapproved" },
  decision,
  cached: true,
};
const failed: Outcome = {
  ok: false,
  callId: "c-1",
  error: new ToolError("timeout", "private"),
  output: { text: "private", exitCode: 124 },
  decision: { ...decision, verdict: "deny", gate: "files" },
};

test("a call is one span with its tool, its decision and its end, and the outcome is handed on as it is", async () => {
  const { tracing, seen } = watching();
  expect(await trace(tracing, () => true)(request("bash"), ctx, async () => ok)).toBe(ok);
  expect(await trace(tracing, () => true)(request("bash"), ctx, async () => failed)).toBe(failed);
  const start = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "bash",
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": "c-1",
    "gen_ai.conversation.id": "talk-1",
  };
  expect(seen).toEqual([
    [
      "execute_tool bash",
      "internal",
      start,
      { "zeph.decision": "allow", "zeph.grant": "preapproved", "zeph.cached": true, "zeph.exit_code": 0 },
    ],
    [
      "execute_tool bash",
      "internal",
      start,
      { "zeph.decision": "deny", "zeph.gate": "files", "zeph.cached": false, "zeph.exit_code": 124 },
      "timeout",
    ],
  ]);
});

test("a name that no tool has is not written down", async () => {
  const { tracing, seen } = watching();
  await trace(tracing, (name) => name === "bash")(request("private words"), ctx, async () => failed);
  expect(seen[0]![0]).toBe("execute_tool (unknown)");
  expect(JSON.stringify(seen)).not.toContain("private");
});

function watching() {
  const seen: unknown[][] = [];
  const tracing: Tracing = {
    span(name, kind, attributes, work) {
      const one: unknown[] = [name, kind, attributes()];
      seen.push(one);
      return work({ set: (more: Attributes) => void one.push(more), content: () => {}, fail: (type) => void one.push(type) });
    },
  };
  return { tracing, seen };
}
