import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../../core/error.ts";
import type { Outcome } from "../../../core/layer.ts";
import { ToolRequest } from "../../../core/request.ts";
import type { ToolOutput } from "../../../core/tool.ts";
import { beginning, callOutputText, collapsedOutput, createCallOutputs } from "./call-outputs.ts";

const plain = pc.createColors(false);
const request = (name = "bash") => ToolRequest.from({ id: "1", name, args: {} })!;
const ok = (output: ToolOutput) => ({ ok: true, callId: "1", output, cached: false }) as unknown as Outcome;
const failed = (message: string, gate?: string) =>
  ({
    ok: false,
    callId: "1",
    error: new ToolError(gate ? "policy_blocked" : "permanent_failure", message),
    decision: { verdict: gate ? "deny" : "allow", gate },
  }) as unknown as Outcome;
const lines = (n: number) => Array.from({ length: n }, (_, i) => `line ${i + 1}`).join("\n");

it("the list of outputs knows calls by their number, and the last that could be let through", () => {
  const outputs = createCallOutputs();
  const refused = { ...failed("no", "scoped"), callId: "1a2b3c4d-5e6f" };
  expect(outputs.refused()).toBeUndefined();
  outputs.add(request(), refused);
  outputs.add(request(), { ...failed("no", "files"), callId: "2" });
  outputs.add(request(), { ...ok({ text: "" }), callId: "3" });
  expect([1, 2, 3].map((n) => outputs.get(n)?.callId)).toEqual([refused.callId, "2", "3"]);
  expect(outputs.refused()).toBe(refused.callId);
});

describe("below the line of a call", () => {
  it("stands the end of what a command printed, and how to see the rest", () => {
    expect(collapsedOutput(ok({ text: `${lines(30)}\n\n[exit code 3]`, exitCode: 3 }), 7, 60, plain)).toEqual([
      "  … 27 more lines, /show 7",
      "  line 28",
      "  line 29",
      "  line 30",
    ]);
    expect(collapsedOutput(ok({ text: "done\n", exitCode: 0 }), 7, 60, plain)).toEqual(["  done"]);
  });

  it("stands a piece of the diff", () => {
    const diff = `--- a/x\n+++ b/x\n@@ -0,0 +1,64 @@\n${"+x\n".repeat(64)}`;
    const shown = collapsedOutput(ok({ text: "Wrote x", diff }), 3, 60, plain);
    expect(shown).toHaveLength(21);
    expect(shown.at(-1)).toBe("  … 45 more lines, /show 3");
  });

  it("stands what went wrong, and nothing about what was read or refused", () => {
    expect(collapsedOutput(failed("It is\u001b[31m gone.\nSee there."), 1, 60, plain)).toEqual([
      "  It is\\u001b[31m gone.",
      "  See there.",
    ]);
    expect(collapsedOutput(failed("Denied.", "files"), 1, 60, plain)).toEqual([]);
    expect(collapsedOutput(ok({ text: lines(30) }), 1, 60, plain)).toEqual([]);
  });

  it("stands a line for each image and recording", () => {
    const image = { kind: "image", mediaType: "image/png", data: "", bytes: 34_000, sha256: "", width: 640, height: 480 } as const;
    const sound = { kind: "audio", mediaType: "audio/wav", data: "", bytes: 1_240_000, sha256: "", seconds: 7.5 } as const;
    expect(collapsedOutput(ok({ text: "[image 1]", media: [image, sound] }), 1, 60, plain)).toEqual([
      "  image/png, 640 x 480, 34 kB",
      "  audio/wav, 7.5 s, 1.2 MB",
    ]);
  });

  it("breaks a long reason between words", () => {
    const why = `The file cannot be changed: ${"it is not there and ".repeat(12)}that is all.`;
    const shown = collapsedOutput(failed(why), 1, 60, plain);
    expect(shown).toHaveLength(4);
    expect(
      why.startsWith(
        shown
          .slice(0, 3)
          .map((line) => line.trim())
          .join(" "),
      ),
    ).toBe(true);
    expect(shown[3]).toMatch(/^ {2}… \d more lines, \/show 1$/);
  });

  it("counts what /show shows, where the model saw a part, and leaves our own note out", () => {
    const filter = { rule: null, confidence: "Full", rawLines: 9000, lines: 30, rawChars: 1, chars: 1, secrets: [] } as const;
    const shortened = ok({ text: `${lines(29)}\n[-8971 lines raw#3 857]`, exitCode: 0, filter });
    expect(collapsedOutput(shortened, 1, 60, plain)).toEqual(["  … 8997 more lines, /show 1", "  line 27", "  line 28", "  line 29"]);
    const overflow = ok({ text: lines(20), exitCode: 0, truncated: true, overflow: "an-id" });
    expect(collapsedOutput(overflow, 1, 60, plain)[0]).toBe("  … more lines, /show 1");
    const outputs = createCallOutputs();
    outputs.add(request(), shortened);
    expect(outputs.get()!.part).toEqual({ id: "raw#3", lines: 9000 });
    outputs.add(request(), overflow);
    expect(outputs.get()!.part).toEqual({ id: "an-id" });
    outputs.add(request(), ok({ text: "[\\-1 lines raw#9 857]", exitCode: 0, filter }));
    expect(outputs.get()!.part).toBeUndefined();
  });

  it("cuts long lines", () => {
    expect(collapsedOutput(ok({ text: "長".repeat(500), exitCode: 0 }), 1, 40, plain)).toEqual([`  ${"長".repeat(18)}…`]);
  });
});

describe("what is kept to be shown", () => {
  it("has a number for each call", () => {
    const outputs = createCallOutputs();
    expect([outputs.range(), outputs.get()]).toEqual([null, undefined]);
    expect(outputs.add(request(), ok({ text: "one" }))).toBe(1);
    expect(outputs.add(request("edit"), ok({ text: "two\u001b[2J", diff: "@@ -1 +1 @@\n-a\n+b\n" }))).toBe(2);
    expect(outputs.get(1)).toMatchObject({ text: "one" });
    expect(callOutputText(outputs.get()!, plain)).toBe("[2] edit\ntwo\\u001b[2J\n@@ -1 +1 @@\n-a\n+b\n");
    expect(outputs.range()).toEqual([1, 2]);
  });

  it("is the last fifty, and no more than there is room for", () => {
    const outputs = createCallOutputs();
    for (let n = 0; n < 60; n++) outputs.add(request(), ok({ text: String(n) }));
    expect([outputs.range(), outputs.get(10), outputs.get(11)?.text]).toEqual([[11, 60], undefined, "10"]);
    for (let n = 0; n < 10; n++) outputs.add(request(), ok({ text: "x".repeat(10 * 1024 * 1024) }));
    const [first, last] = outputs.range()!;
    let size = 0;
    for (let n = first; n <= last; n++) size += outputs.get(n)!.text.length;
    expect(size).toBeLessThanOrEqual(2 * 1024 * 1024);
    expect(outputs.get()!.text).toMatch(/the rest is not kept\)$/);
    outputs.think("y".repeat(1024 * 1024));
    expect(outputs.thoughts().length).toBeLessThanOrEqual(256 * 1024);
  });
});

it("the list of outputs shows the beginning of an answer, however long it is", () => {
  expect(beginning("one\ntwo\n", 1)).toEqual({ text: "one\ntwo", more: null });
  expect(beginning(lines(21), 4)).toEqual({ text: lines(20), more: "  … 1 more line, /show 4" });
  const wide = beginning("x".repeat(100_000), 4);
  expect(wide.text.length).toBeLessThan(5000);
  expect(wide.more).toBe("  … more of it, /show 4");
});
