import pc from "picocolors";
import { expect, it } from "vitest";
import { ToolError } from "../../../core/error.ts";
import type { Outcome } from "../../../core/layer.ts";
import { ToolRequest } from "../../../core/request.ts";
import { columnsOf } from "../../../text/width/columns.ts";
import { approveHint, argumentSummary, toolLine } from "./ending.ts";

const request = (name: string, args: unknown) => ToolRequest.from({ id: "1", name, args })!;
const ok = (output: object, cached = false) =>
  ({ ok: true, callId: "1", output: { text: "", ...output }, decision: { verdict: "allow" }, cached }) as unknown as Outcome;
const failed = (error: ToolError, decision: object): Outcome => ({
  ok: false,
  callId: "1",
  error,
  decision: decision as Outcome["decision"],
});
const line = (name: string, args: unknown, outcome: Outcome, ms = 12, width = 80) =>
  toolLine(request(name, args), outcome, ms, width, pc.createColors(false));

it("the line of a call puts the telling argument first, and the others by name", () => {
  expect(argumentSummary({ content: "x\ny", path: "a.txt" })).toBe("a.txt content=x y");
  expect(argumentSummary({ path: "src", pattern: "TODO", limit: 5 })).toBe("TODO path=src limit=5");
  expect(argumentSummary({ n: 5 })).toBe("n=5");
  expect(argumentSummary({})).toBe("");
  expect(argumentSummary("(text of 3 characters)")).toBe("(text of 3 characters)");
  expect(argumentSummary({ command: "\u001b[31mred" })).toBe("\\u001b[31mred");
  expect(argumentSummary({ content: "x".repeat(1e6) }).length).toBeLessThan(250);
});

it("the line of a call does not fall over arguments that cannot be written down", () => {
  let deep: unknown = "x";
  for (let n = 0; n < 100_000; n++) deep = [deep];
  expect(argumentSummary({ path: "a", deep })).toBe("a deep=…");
  expect(argumentSummary(deep)).toBe("0=…");
  expect(argumentSummary({ n: 1n })).toBe("n=…");
});

it("the line of a call says how it ended, how long it took and what was saved", () => {
  const filter = { rule: "r", confidence: "Full", rawLines: 342, lines: 28, rawChars: 1, chars: 1, secrets: [] };
  expect(line("bash", { command: "npm test" }, ok({ exitCode: 1, filter }), 2345)).toBe("bash npm test: exit 1, 2.3 s, 342 -> 28 lines");
  expect(line("read", { path: "a" }, ok({}, true))).toBe("read a: ok, 12 ms, cached");
  expect(
    line("read", { path: "a" }, failed(new ToolError("policy_blocked", "no"), { verdict: "deny", gate: "files", rule: "deny_read" })),
  ).toBe('read a: denied by files, rule "deny_read", 12 ms');
  expect(line("write", {}, failed(new ToolError("policy_blocked", "no"), { verdict: "deny", gate: "permissions", by: "user" }))).toBe(
    "write: you said no, 12 ms",
  );
  expect(line("write", {}, failed(new ToolError("policy_blocked", "no"), { verdict: "deny", gate: "permissions", by: "ada" }))).toBe(
    "write: ada said no, 12 ms",
  );
  expect(line("read", { path: "a" }, failed(new ToolError("timeout", "late"), { verdict: "allow" }))).toBe(
    "read a: failed: timeout, 12 ms",
  );
});

it("the line of a call keeps to one line of the width, whatever the width", () => {
  const denied = failed(new ToolError("policy_blocked", "no"), { verdict: "deny", gate: "permissions", rule: "r".repeat(300) });
  for (const width of [40, 60, 100])
    for (const args of [{ command: "一二三 ".repeat(100) }, { command: "a\nb ".repeat(100) }])
      for (const outcome of [ok({ exitCode: 0 }), denied]) {
        const shown = line("a_tool_with_a_long_name", args, outcome, 12, width);
        expect(shown).not.toContain("\n");
        expect(columnsOf(shown)).toBeLessThanOrEqual(width);
      }
});

it("a refusal names what lifts it, outside of the line of the call", () => {
  const refused = {
    ...failed(new ToolError("policy_blocked", "no"), { verdict: "deny", gate: "scoped", rule: "r".repeat(90) }),
    callId: "1a2b3c4d-5e6f",
  };
  const shown = toolLine(request("bash", { command: "ls" }), refused, 12, 60, pc.createColors(false), 3);
  expect(shown).toMatch(/^bash ls: denied by scoped, rule "r+… \[3\]$/);
  expect(columnsOf(shown)).toBeLessThanOrEqual(60);
  expect(approveHint(refused)).toBe("/approve 1a2b3c4d");
  expect(approveHint({ ...refused, decision: { ...refused.decision, by: "user" } })).toBeNull();
  expect(approveHint({ ...refused, decision: { ...refused.decision, gate: "files" } })).toBeNull();
});
