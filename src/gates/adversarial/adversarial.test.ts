import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { anyCharacter } from "../../../test/any-character.ts";
import { ToolCall } from "../../core/call.ts";
import { ToolRequest } from "../../core/request.ts";
import { createSession } from "../../core/session.ts";
import { defineTool, NEVER } from "../../core/tool.ts";
import { type AdversarialParts, adversarialConfig, createAdversarialGate } from "./adversarial.ts";
import { readJudgeAnswer } from "./answer.ts";
import { policyPrompt } from "./prompt.ts";

const tool = defineTool({
  name: "t",
  description: "",
  effect: "unknown",
  input: z.looseObject({}),
  touches: () => [],
  run: async () => ({ text: "" }),
});
const callOf = (args: object) => ToolCall.parse(ToolRequest.from({ id: "1", name: "t", args })!, new Map([["t", tool]]));
const turn = createSession().current({ phase: "executor" });
const same = (text: string) => text;

const nasty = fc.string({
  unit: fc.constantFrom(..."`\n\r\t \"'\\~a{}[]:,", "```", "\u2028", "\u0085", "ALLOW", "```json\n"),
  maxLength: 60,
});
const args = fc.dictionary(
  nasty.filter((key) => !/^_tafc|__proto__/.test(key)),
  fc.oneof(nasty, fc.array(nasty, { maxLength: 5 }), fc.dictionary(nasty, nasty, { maxKeys: 3 }), fc.integer()),
  { maxKeys: 6 },
);

describe("what the judging model is told", () => {
  it("has one fence around the arguments, whatever they are", () => {
    fc.assert(
      fc.property(args, (input) => {
        const call = callOf(input);
        fc.pre(call instanceof ToolCall);
        const { text } = policyPrompt(["p"], call as ToolCall, turn, same);
        const fence = /^(`{3,})json$/m.exec(text)![1]!;
        expect(text.split(fence)).toHaveLength(3);
        expect(text.endsWith(`\n${fence}\nALLOW or DENY?`)).toBe(true);
        expect(text.split("\n").filter((line) => line.startsWith("`"))).toEqual([`${fence}json`, fence]);
      }),
    );
  });

  it("is short, whatever was sent", () => {
    const sizes = fc.constantFrom(0, 10, 501, 5000, 70_000);
    fc.assert(
      fc.property(fc.array(sizes, { maxLength: 120 }), (list) => {
        const call = callOf({ list: list.map((n) => "x".repeat(n)) }) as ToolCall;
        expect(policyPrompt(["p"], call, turn, same).text.length).toBeLessThan(4400);
      }),
      { numRuns: 15 },
    );
  });

  it("holds no value whose name sounds secret, however deep it stands", () => {
    const name = fc.constantFrom(
      "password",
      "DB_PASSWORD",
      "clientSecret",
      "api-key",
      "ApiKey",
      "private_key",
      "auth",
      "authorization",
      "access_token",
      "credentials",
      "Set-Cookie",
    );
    const value = fc.stringMatching(/^v[a-z0-9"\\]{8,30}z$/);
    fc.assert(
      fc.property(name, value, fc.integer({ min: 0, max: 4 }), (key, secret, depth) => {
        let input: object = { [key]: secret, list: [{ [key]: [secret] }], again: `and ${secret}` };
        for (let n = 0; n < depth; n++) input = { inner: input };
        const { text } = policyPrompt(["p"], callOf(input) as ToolCall, turn, same);
        expect(text).not.toContain(secret);
        expect(text).not.toContain(JSON.stringify(secret).slice(1, -1));
      }),
    );
  });
});

describe("its answer", () => {
  it("allows with one word and nothing else", () => {
    const near = fc.oneof(
      fc.string(),
      fc.tuple(fc.constantFrom("ALLOW", "Allow", "DENY", " ALLOW\n", "ALLOW."), fc.string()).map((two) => two.join("")),
    );
    fc.assert(
      fc.property(near, (answer) => {
        expect(readJudgeAnswer(answer).kind === "allow").toBe(answer.trim() === "ALLOW");
      }),
    );
  });

  it("gives a reason in one short line", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 600 }), (reason) => {
        const judged = readJudgeAnswer(`DENY: ${reason}`) as { reason: string };
        expect(judged.reason.length).toBeLessThanOrEqual(301);
        expect(judged.reason).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
        expect(judged.reason).not.toBe("");
      }),
      { numRuns: 25 },
    );
  });
});

describe("asking", () => {
  const gateWith = (ask: AdversarialParts["ask"], more: object = {}) =>
    createAdversarialGate(adversarialConfig().parse({ enabled: true, policies: ["p"], timeout_ms: 100, ...more }), { ask, redact: same });
  const call = callOf({ a: 1 }) as ToolCall;

  it("does not wait for a model that does not listen, and stops one that does", async () => {
    let stopped = false;
    const deaf = gateWith((_prompt, signal) => {
      signal.addEventListener("abort", () => (stopped = true));
      return new Promise(() => {});
    });
    expect(await deaf.consult!(call, turn, NEVER)).toMatchObject({ kind: "deny", rule: "late" });
    expect(stopped).toBe(true);
  });

  it("takes a person's cancel for no answer and no lateness, also with fail_open", async () => {
    const stop = new AbortController();
    const gate = gateWith(() => new Promise(() => {}), { fail_open: true, timeout_ms: 10_000 });
    const verdict = gate.consult!(call, turn, stop.signal);
    stop.abort();
    expect(await verdict).toMatchObject({ kind: "deny", rule: "cancelled" });
    expect(await gate.consult!(call, turn, stop.signal)).toMatchObject({ kind: "deny", rule: "cancelled" });
  });

  it("takes a throw of any kind for a model that cannot be reached", async () => {
    const thrower = (() => {
      throw "a word";
    }) as never;
    expect(await gateWith(thrower).consult!(call, turn, NEVER)).toMatchObject({
      kind: "deny",
      noted: { adversarial_policy_decision: "error: a word" },
    });
    expect(await gateWith(thrower, { fail_open: true }).consult!(call, turn, NEVER)).toMatchObject({ kind: "pass" });
  });

  it("fails closed on a call that cannot be put into words, also with fail_open", async () => {
    const config = adversarialConfig().parse({ enabled: true, policies: ["p"], fail_open: true });
    const broken = createAdversarialGate(config, {
      ask: async () => "ALLOW",
      redact: () => {
        throw new Error("redact broke");
      },
    });
    await expect(broken.consult!(callOf({ a: "text" }) as ToolCall, turn, NEVER)).rejects.toThrow("redact broke");
  });

  it("asks nobody when it is off or has no policy", () => {
    const off = createAdversarialGate(adversarialConfig().parse({ policies: ["p"] }), { ask: async () => "ALLOW", redact: same });
    const empty = createAdversarialGate(adversarialConfig().parse({ enabled: true }), { ask: async () => "ALLOW", redact: same });
    expect([off.consult, empty.consult]).toEqual([undefined, undefined]);
  });
});

it("a policy of a project nobody vouched for is not taken: it would be read as instructions", () => {
  const { policies, policy_file, enabled } = adversarialConfig().unwrap().shape;
  expect([policies, policy_file, enabled].map((one) => one.meta()?.tighter)).toEqual([undefined, undefined, "on"]);
});
