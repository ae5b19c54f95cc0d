import { describe, expect, it } from "vitest";
import type { ApprovedCall } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { AuditEntry, AuditLog } from "../core/ports/audit.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import type { CallContext } from "../core/tool.ts";
import { audit, egressLine, intent } from "./audit.ts";

const turn = createSession().current({});
const ctx = { turn } as CallContext;
const request = ToolRequest.from({ id: "7", name: "read", args: { path: "a" } })!;
const redact = (text: string) => text.replaceAll("hunter2", "[secret]");
const logTo = (lines: AuditEntry[]): AuditLog => ({
  append: (entry) => void lines.push(entry),
  record: async (entry) => void lines.push(entry),
});
const broken = { append: () => expect.fail("disk full"), record: async () => expect.fail("disk full") } satisfies AuditLog;
const ok: Outcome = {
  ok: true,
  callId: "7",
  output: { text: "fine" },
  grant: { kind: "preapproved" },
  decision: { verdict: "allow", by: "rules" },
  cached: false,
};
const failure = (decision: Outcome["decision"], message = "no"): Outcome => ({
  ok: false,
  callId: "7",
  error: new ToolError("policy_blocked", message),
  decision,
});
async function lineOf(outcome: Outcome): Promise<AuditEntry> {
  const lines: AuditEntry[] = [];
  expect(await audit(logTo(lines), redact)(request, ctx, async () => outcome)).toBe(outcome);
  expect(lines).toHaveLength(1);
  return lines[0]!;
}

describe("the line of a call", () => {
  it("names an earlier answer only where the rules let the call in by it", async () => {
    const noted = { grant: "session", claim_source: "none" } as unknown as NonNullable<Outcome["noted"]>;
    expect(await lineOf({ ...ok, noted })).toMatchObject({ grant: "session", approved_by: "rules" });
    expect(await lineOf({ ...ok, decision: { verdict: "allow", by: "user" }, noted })).not.toHaveProperty("grant");
    expect(await lineOf({ ...failure({ verdict: "deny", gate: "files" }), noted })).not.toHaveProperty("grant");
  });

  it("holds all objections, without secrets", async () => {
    const objections = [
      { gate: "files", kind: "ask", rule: null },
      { gate: "policy", kind: "deny", rule: "no hunter2" },
    ];
    const noted = { objections, claim_source: "none" } as unknown as NonNullable<Outcome["noted"]>;
    const line = await lineOf({ ...failure({ verdict: "deny", gate: "policy", rule: "no hunter2" }), noted });
    expect(line.objections).toEqual([objections[0], { ...objections[1], rule: redact("no hunter2") }]);
    expect(JSON.stringify(line)).not.toContain("hunter2");
  });

  it("says which call it was, of whom, and how it ended", async () => {
    const line = await lineOf(ok);
    expect(line).toMatchObject({
      kind: "call",
      call_id: "7",
      session_id: turn.sessionId,
      turn_id: turn.turnId,
      tool: "read",
      outcome: "ok",
      approved_by: "rules",
      trust: "trusted",
      phase: turn.phase,
      sandbox: "none",
    });
    expect(line.duration_ms).toBeLessThan(performance.now());
    expect(
      Object.keys(line).filter((key) =>
        /refused_by|gate|rule|why|error|hint|exit_code|truncated|filter|rollback|caller|goal|skill|without_walls/.test(key),
      ),
    ).toEqual([]);
  });

  it.each([
    ["denied by a rule", { verdict: "deny", gate: "g", rule: "r hunter2" }, { outcome: "denied", gate: "g", rule: "r [secret]" }],
    ["denied by a person", { verdict: "deny", by: "anna" }, { outcome: "denied", refused_by: "anna", rule: "no rule" }],
    ["not answered", { verdict: "ask", gate: "g" }, { outcome: "unanswered", gate: "g" }],
    ["failed", { verdict: "allow", by: "anna" }, { outcome: "failed", approved_by: "anna" }],
  ] as const)("has one word for each end: %s", async (_name, decision, expected) => {
    const line = await lineOf(failure(decision as Outcome["decision"]));
    expect(line).toMatchObject({ error_category: "policy_blocked", error: "no", ...expected });
    expect("rule" in line).toBe("rule" in expected);
  });

  it("says why where the error does not, without secrets and in bounds", async () => {
    const because = (why: string, message: string) => lineOf(failure({ verdict: "deny", why } as Outcome["decision"], message));
    expect(await because("because hunter2", "no")).toMatchObject({ why: "because [secret]" });
    expect("why" in (await because("because", "no: because"))).toBe(false);
    expect((await because("x".repeat(3000), "y".repeat(3000))) as unknown).toMatchObject({ why: "x".repeat(1000), error: "y".repeat(500) });
  });

  it("holds what the output says of itself, without secrets", async () => {
    const output = { text: "", exitCode: 0, truncated: true, hint: "see hunter2", filter: { rule: "tsc" }, rollback: "done" };
    const noted = { policy_match: "hunter2", adversarial_policy_decision: "deny: hunter2", suspect: "hunter2" };
    const line = await lineOf({ ...ok, output, noted } as unknown as Outcome);
    expect(line).toMatchObject({
      exit_code: 0,
      truncated: true,
      hint: "see [secret]",
      filter: "tsc",
      rollback: "done",
      policy_match: "[secret]",
      adversarial_policy_decision: "deny: [secret]",
      suspect: "[secret]",
    });
  });

  it("names the caller, the goal and the skill of a turn that has them", async () => {
    const lines: AuditEntry[] = [];
    const other = { turn: { ...turn, callerId: "c", goalId: "g", skillName: "s" } } as CallContext;
    await audit(logTo(lines), redact)(request, other, async () => ok);
    expect(lines[0]).toMatchObject({ caller_id: "c", goal_id: "g", skill_name: "s" });
  });

  it("is written of a crash, which is a failure of the runtime and was never judged", async () => {
    const lines: AuditEntry[] = [];
    const missed: string[] = [];
    const surroundings = { about: () => ({ cwd: "/w" }), missed: ({ id }: ToolRequest) => void missed.push(id), announces: () => true };
    const layer = audit(logTo(lines), redact, surroundings);
    const outcome = await layer(request, ctx, () => Promise.reject(new Error("oops")));
    expect(outcome).toMatchObject({ ok: false, error: { category: "permanent_failure", message: "The runtime failed: oops" } });
    expect(lines).toMatchObject([{ outcome: "failed", cwd: "/w" }]);
    expect(missed).toEqual(["7"]);
    await layer(request, ctx, async () => ok);
    expect(missed).toEqual(["7"]);
  });

  it("fails the call when it cannot be written, and what was done is told apart from what was not", async () => {
    const layer = audit(broken, redact);
    expect(await layer(request, ctx, async () => ok)).toMatchObject({
      ok: false,
      output: { text: "fine" },
      error: {
        category: "permanent_failure",
        message: expect.stringMatching(/^done but not recorded: the audit log could not be written: .*disk full/),
      },
    });
    expect(await layer(request, ctx, async () => failure({ verdict: "deny" } as Outcome["decision"]))).toMatchObject({
      ok: false,
      error: { category: "policy_blocked", message: expect.stringMatching(/^no It is not recorded either: .*disk full/) },
    });
  });
});

describe("the line before a call", () => {
  const passed = { ...ok, output: { text: "fine", parts: [] } } as never;
  const permit = (effect: string, grant: object = { kind: "preapproved" }) =>
    ({ call: { id: "7", input: { path: "a" }, tool: { name: "write", effect } }, grant }) as unknown as ApprovedCall;

  it("is written before it is done, and names who let it in", async () => {
    const lines: AuditEntry[] = [];
    const layer = intent(logTo(lines), redact);
    const seen = async () => {
      expect(lines.at(-1)).toMatchObject({ kind: "intent", call_id: "7", tool: "write" });
      return passed;
    };
    expect(await layer(permit("writes"), ctx, seen)).toBe(passed);
    await layer(permit("unknown", { kind: "confirmed", by: "anna", asked: [] }), ctx, seen);
    expect(lines.map(({ approved_by }) => approved_by)).toEqual(["rules", "anna"]);
  });

  it("is left out of a pure read, unless everything is to be noted", async () => {
    const lines: AuditEntry[] = [];
    await intent(logTo(lines), redact)(permit("reads"), ctx, async () => passed);
    expect(lines).toEqual([]);
    await intent(logTo(lines), redact, { about: () => ({}), announces: () => true })(permit("reads"), ctx, async () => passed);
    // What does more than read is noted whatever is set.
    await intent(logTo(lines), redact, { about: () => ({}), announces: () => false })(permit("stores"), ctx, async () => passed);
    expect(lines).toHaveLength(2);
  });

  it("stops the call when it cannot be written", async () => {
    const outcome = await intent(broken, redact)(permit("runs"), ctx, async () => expect.fail("it ran"));
    expect(outcome).toMatchObject({
      ok: false,
      callId: "7",
      decision: { verdict: "allow", by: "rules" },
      error: { category: "permanent_failure", message: expect.stringMatching(/^It could not be recorded, so it was not run: .*disk full/) },
    });
  });
});

it("The line of a hop to another machine holds its address without secrets and in bounds", () => {
  const lines: AuditEntry[] = [];
  const permit = { call: { id: "7", tool: { name: "fetch" } } } as unknown as ApprovedCall;
  const egress = { url: `https://a/hunter2${"x".repeat(3000)}`, host: "h".repeat(400), durationMs: 1.26 };
  egressLine(logTo(lines), redact)(egress as never, permit, ctx);
  egressLine(logTo(lines), redact)({ ...egress, blocked: `hunter2${"y".repeat(600)}` } as never, permit, ctx);
  expect(lines[0]).toMatchObject({
    kind: "egress",
    call_id: "7",
    tool: "fetch",
    host: "h".repeat(300),
    duration_ms: 1.3,
    session_id: turn.sessionId,
  });
  expect("blocked" in lines[0]!).toBe(false);
  const { url, blocked } = lines[1] as unknown as { url: string; blocked: string };
  expect(url.startsWith("https://a/[secret]x") && url.length <= 2001).toBe(true);
  expect(blocked.startsWith("[secret]y") && blocked.length <= 501).toBe(true);
});
