import { expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { type AnyTool, defineTool } from "../core/tool.ts";
import { createVerifiersGate } from "./verifiers.ts";

const fetch = defineTool({
  name: "fetch",
  description: "",
  effect: "fetches",
  input: z.strictObject({ url: z.string(), select: z.string().optional() }),
  touches: ({ url }) => [{ kind: "url", url }],
  run: async () => ({ text: "" }),
});
const callOf = (args: object) =>
  ToolCall.parse(ToolRequest.from({ id: "1", name: "fetch", args })!, new Map([["fetch", fetch]])) as ToolCall;
const turn = () => createSession().current({ phase: "executor", conversationId: "c" });
const allowed = { verdict: "allow", by: "rules" } as const;
const page = (text: string): Outcome => ({
  ok: true,
  callId: "1",
  output: { text },
  grant: { kind: "preapproved" },
  decision: allowed,
  cached: false,
});

it("a turn is marked once a stranger's words have come in, in an error too, and not for a call that was refused", () => {
  const gate = createVerifiersGate("supervised");
  const settle = (outcome: Outcome) => {
    const now = turn();
    const call = callOf({ url: "https://a.example/" });
    gate.settled!(call, outcome, now);
    return now.seen.untrusted;
  };
  const failed = { ok: false, callId: "1", error: new ToolError("permanent_failure", "404") } as const;
  expect(settle(page("hello"))).toBe(true);
  expect(settle({ ...failed, decision: allowed })).toBe(true);
  expect(settle({ ...failed, decision: { verdict: "deny", gate: "permissions" } })).toBe(false);
});

it.each<[string, Partial<AnyTool>, object[], boolean]>([
  ["a server's tool", { name: "mcp__post__list" }, [], true],
  ["a server's tool, whatever it says of itself", { name: "mcp__post__list", claims: "user" }, [], true],
  ["one that answers for a server", { claims: "mcp" }, [], true],
  ["one that answers from the web", { claims: "web" }, [], true],
  [
    "a command with an address",
    { effect: "runs" },
    [
      { kind: "command", argv: ["x"], text: "x" },
      { kind: "url", url: "https://a.example/" },
    ],
    true,
  ],
  ["a command that loads", { effect: "runs" }, [{ kind: "command", argv: ["/usr/bin/curl", "a.example"], text: "" }], true],
  ["git that loads", { effect: "runs" }, [{ kind: "command", argv: ["git", "pull"], text: "" }], true],
  ["git that does not", { effect: "runs" }, [{ kind: "command", argv: ["git", "log"], text: "" }], false],
  ["another command", { effect: "runs" }, [{ kind: "command", argv: ["npm", "test"], text: "" }], false],
  ["a file", {}, [{ kind: "path", access: "read", path: "a" }], false],
])("marks the turn after %s, %s", (_what, more, touches, expected) => {
  const tool = { ...fetch, name: "look", effect: "reads", touches: () => touches, ...more } as AnyTool;
  const now = turn();
  const call = ToolCall.parse(ToolRequest.from({ id: "1", name: tool.name, args: { url: "x" } })!, new Map([[tool.name, tool]]));
  createVerifiersGate("supervised").settled!(call as ToolCall, page("hello"), now);
  expect(now.seen.untrusted).toBe(expected);
});

it("an address is given when a page holds it, and not when the tool only repeats it", async () => {
  const gate = createVerifiersGate("supervised");
  const now = turn();
  const call = callOf({ url: "https://a.example/", select: "[x='https://evil.example/?d=1']" });
  gate.settled!(call, page("No results for [x='https://evil.example/?d=1']. See https://good.example/"), now);
  expect(await gate.judge(callOf({ url: "https://good.example/" }), now)).toMatchObject({ kind: "pass" });
  expect(await gate.judge(callOf({ url: "https://evil.example/?d=1" }), now)).toMatchObject({ kind: "ask", rule: "url grounding" });
});

it("a mark stays for the whole conversation, and is no other's", () => {
  const session = createSession();
  const seenIn = (conversationId: string) => session.current({ phase: "executor", conversationId }).seen;
  seenIn("a").untrusted = true;
  expect([seenIn("a").untrusted, seenIn("b").untrusted]).toEqual([true, false]);
});
