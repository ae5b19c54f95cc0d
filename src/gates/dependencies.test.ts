import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import { ToolRequest } from "../core/request.ts";
import { createSession } from "../core/session.ts";
import { defineTool } from "../core/tool.ts";
import { createDependenciesGate } from "./dependencies.ts";

const bash = defineTool({
  name: "bash",
  description: "",
  effect: "runs",
  input: z.strictObject({ dry_run: z.boolean().optional() }),
  touches: () => [],
  run: async () => ({ text: "" }),
});
const callOf = (args: object = {}) =>
  ToolCall.parse(ToolRequest.from({ id: "1", name: "bash", args })!, new Map([["bash", bash]])) as ToolCall;
const turn = createSession().current({});

function open(unmet: string[] = []) {
  const done: string[] = [];
  const gate = createDependenciesGate({ unmet: () => unmet, succeeded: (tool) => void done.push(tool) });
  return { gate, done };
}
const ended = (exitCode?: number): Outcome => ({
  ok: true,
  callId: "1",
  output: { text: "", ...(exitCode !== undefined && { exitCode }) },
  grant: { kind: "preapproved" },
  decision: { verdict: "allow" },
  cached: false,
});

describe("the gate", () => {
  it("lets in what waits for nothing", () => {
    expect(open().gate.judge(callOf(), turn)).toEqual({ kind: "pass" });
    expect(createDependenciesGate(null).judge(callOf(), turn)).toEqual({ kind: "pass" });
  });
  it("refuses what waits, and says for what", () => {
    expect(open(["build", "test"]).gate.judge(callOf(), turn)).toEqual({
      kind: "deny",
      rule: "requires build, test",
      why: "bash may be called once build, test have succeeded.",
    });
    expect(open(["build"]).gate.judge(callOf(), turn)).toMatchObject({ why: "bash may be called once build has succeeded." });
  });
  it("counts only what succeeded", () => {
    const { gate, done } = open();
    gate.settled!(callOf(), { ok: false, callId: "1", error: new ToolError("timeout", ""), decision: { verdict: "allow" } }, turn);
    gate.settled!(callOf(), ended(1), turn);
    gate.settled!(callOf({ dry_run: true }), ended(0), turn);
    expect(done).toEqual([]);
    gate.settled!(callOf(), ended(0), turn);
    gate.settled!(callOf(), ended(), turn);
    expect(done).toEqual(["bash", "bash"]);
  });
});
