import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../core/call.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { defineTool } from "../core/tool.ts";
import { createQuotaGate, type QuotaMemory } from "./quota.ts";

const probe = defineTool({
  name: "probe",
  description: "",
  effect: "reads",
  input: z.strictObject({}),
  touches: () => [],
  run: async () => ({ text: "" }),
});
const callOf = (id: string) => ToolCall.parse(ToolRequest.from({ id, name: "probe", args: {} })!, new Map([["probe", probe]])) as ToolCall;
const session = createSession();
const turn = session.current({});
const task = (conversationId: string) => session.current({ conversationId, unattended: true });
const kind = (gate: ReturnType<typeof createQuotaGate>, id: string, of = turn) => (gate.judge(callOf(id), of) as { kind: string }).kind;

describe("quota", () => {
  it("counts what is let in, by its id, and not what is only judged", () => {
    const gate = createQuotaGate(1);
    for (let n = 0; n < 5; n++) expect(kind(gate, `${n}`)).toBe("pass");
    gate.admitted!(callOf("a"), turn);
    // A repaired call comes again under its id.
    expect([kind(gate, "a"), kind(gate, "b"), gate.state!()]).toEqual(["pass", "deny", "1 of 1 calls used"]);
  });
  it("is remembered when the rules are read again, also with a smaller number", () => {
    const memory: QuotaMemory = new Map();
    for (const id of ["a", "b", "c"]) createQuotaGate(5, memory).admitted!(callOf(id), turn);
    expect([kind(createQuotaGate(3, memory), "d"), kind(createQuotaGate(2, memory), "d"), kind(createQuotaGate(4, memory), "d")]).toEqual([
      "deny",
      "deny",
      "pass",
    ]);
    createQuotaGate(3, memory).reset!();
    expect(kind(createQuotaGate(3, memory), "d")).toBe("pass");
  });
  it("of a task beside a conversation is its own, whatever the task is called", () => {
    const gate = createQuotaGate(1);
    gate.admitted!(callOf("a"), turn);
    expect([kind(gate, "b", task("x")), kind(gate, "b", task("session"))]).toEqual(["pass", "pass"]);
    gate.admitted!(callOf("b"), task("x"));
    expect([kind(gate, "c", task("x")), kind(gate, "c", task("y")), kind(gate, "c")]).toEqual(["deny", "pass", "deny"]);
  });
  it("forgets the oldest of very many tasks, and never the session", () => {
    const memory: QuotaMemory = new Map();
    const gate = createQuotaGate(1, memory);
    gate.admitted!(callOf("a"), turn);
    for (let n = 0; n < 10_500; n++) gate.admitted!(callOf("b"), task(`t${n}`));
    expect([memory.size, kind(gate, "c"), kind(gate, "c", task("t10499")), kind(gate, "c", task("t0"))]).toEqual([
      10_000,
      "deny",
      "deny",
      "pass",
    ]);
  });
  it("without a limit keeps nothing", () => {
    const memory: QuotaMemory = new Map();
    const gate = createQuotaGate(undefined, memory);
    expect([kind(gate, "a"), kind(gate, "a", task("x")), memory.size, gate.state!()]).toEqual(["pass", "pass", 0, "off"]);
  });
});
