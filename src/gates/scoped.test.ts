import { describe, expect, test } from "vitest";
import { callOf, facts, HOME, ran, turnOf } from "../../test/policy-calls.ts";
import type { ToolCall } from "../core/call.ts";
import type { Verdict } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Outcome } from "../core/layer.ts";
import type { Trust, TurnContext } from "../core/turn.ts";
import { type ScopedConfig, scoped, scopedConfig, scopedMemory } from "./scoped.ts";

type Given = Partial<Omit<ScopedConfig, "constraints">> & { constraints?: object[] };
const gateOf = (given: Given, memory = scopedMemory()) => scoped(scopedConfig.parse({ enabled: true, ...given }), facts, memory);
const said = (given: Given, call: ToolCall, turn: TurnContext = turnOf()) => gateOf(given).judge(call, turn) as Verdict;
const kind = (given: Given, call: ToolCall) => said(given, call).kind;
const limited = (limit: object, call: ToolCall) => kind({ constraints: [{ tool: call.tool.name, ...limit }] }, call);

describe("lists", () => {
  test("switched off it says nothing", () => {
    expect(kind({ enabled: false, denied_tools: ["bash"] }, ran("ls"))).toBe("pass");
    expect(gateOf({ enabled: false }).state?.()).toBe("off");
  });
  test("denied tools are not used, in any case of their name", () => {
    expect(said({ denied_tools: ["Bash"] }, ran("ls"))).toMatchObject({ kind: "deny", rule: "tools.scoped.denied_tools" });
    expect(kind({ denied_tools: ["bash"] }, callOf("read", { path: "a" }))).toBe("pass");
  });
  test("allowed tools are the only ones, and then the denied ones are ignored", () => {
    expect(said({ allowed_tools: ["read"] }, ran("ls"))).toMatchObject({ kind: "deny", rule: "tools.scoped.allowed_tools" });
    expect(kind({ allowed_tools: ["bash"], denied_tools: ["bash"] }, ran("ls"))).toBe("pass");
  });
});

describe("deny_patterns", () => {
  test.each([
    ["rm -rf", "rm -rf x", "deny"],
    ["rm -rf", "RM -rf x", "deny"],
    ["rm -rf", "rm   -rf x", "deny"],
    ["rm -rf", "r''m -rf x", "deny"],
    ["rm -rf", 'rm "-rf" x', "deny"],
    ["rm -rf", "rm -fr x", "deny"],
    ["rm -rf", "rm -r x -f", "deny"],
    ["rm -rf", "/bin/rm -rf x", "deny"],
    ["rm -rf", "rm --recursive --force x", "deny"],
    ["rm -rf", "sh -c \"rm '-rf' x\"", "deny"],
    ["rm -rf", "rm x", "pass"],
    ["git push", "git -C x push", "deny"],
    ["git push", "git status", "pass"],
    ["[x", "echo '[x'", "deny"],
    ["*", "echo a", "pass"],
  ])("%s: %s → %s", (pattern, command, expected) => {
    expect(limited({ deny_patterns: [pattern] }, ran(command))).toBe(expected);
  });
  test("in every argument of another tool, and the refusal names the constraint", () => {
    const given = { constraints: [{ tool: "read" }, { tool: "write", deny_patterns: ["SECRET"] }] };
    const rule = 'tools.scoped.constraints[1] (write): deny_patterns "SECRET"';
    const verdict = said(given, callOf("write", { path: "a", content: "the secret" }));
    expect(verdict).toMatchObject({ kind: "deny", rule, why: expect.stringContaining(rule) });
    expect(verdict).not.toHaveProperty("told");
    expect(kind(given, callOf("write", { path: "a", content: "x" }))).toBe("pass");
  });
});

describe("allowed_paths", () => {
  test.each<[string[], ToolCall, string]>([
    [["src"], callOf("read", { path: "src/a.ts" }), "pass"],
    [["src"], callOf("read", { path: "src" }), "pass"],
    [["src"], callOf("read", { path: "srcs/a.ts" }), "deny"],
    [["src"], callOf("read", { path: "src/../secret/k" }), "deny"],
    [["src"], callOf("read", { path: "src/link/k" }), "deny"],
    [["src", "secret"], callOf("read", { path: "src/link/k" }), "pass"],
    [["~"], callOf("read", { path: `${HOME}/x` }), "pass"],
    [["src"], callOf("move_path", { source: "src/a.ts", destination: "b" }), "deny"],
    [["src"], ran("cat src/a.ts"), "pass"],
    [["src"], ran("cat src/*"), "pass"],
    [["src"], ran("cat src/a.ts > /etc/x"), "deny"],
    [["src"], ran("python3 /etc/x.py"), "deny"],
    [["src"], ran("cat $X"), "deny"],
    [["src"], ran("cat ~bob/x"), "deny"],
  ])("%j: case %#", (allowed_paths, call, expected) => expect(limited({ allowed_paths }, call), JSON.stringify(call.input)).toBe(expected));
});

describe("allowed_domains", () => {
  const fetches = (url: string) => callOf("fetch", { url });
  test.each<[string, ToolCall, string]>([
    ["example.com", fetches("https://example.com/a"), "pass"],
    ["Example.com", fetches("https://EXAMPLE.com.:443/a"), "pass"],
    ["example.com", fetches("https://www.example.com/"), "deny"],
    ["*.example.com", fetches("https://www.example.com/"), "pass"],
    ["*.example.com", fetches("https://a.b.example.com/"), "pass"],
    ["*.example.com", fetches("https://example.com/"), "deny"],
    ["*.example.com", fetches("https://evilexample.com/"), "deny"],
    ["example.com", fetches("https://example.com@evil.org/"), "deny"],
    ["example.com", fetches("https://evil.org/?x=example.com"), "deny"],
    ["example.com", ran("curl https://example.com/a"), "pass"],
    ["example.com", ran("curl https://evil.org/a"), "deny"],
    ["example.com", ran("curl $X"), "deny"],
  ])("%s: case %#", (domain, call, expected) =>
    expect(limited({ allowed_domains: [domain] }, call), JSON.stringify(call.input)).toBe(expected),
  );
});

describe("min_trust", () => {
  const given = { constraints: [{ tool: "bash", min_trust: "provisional" }] };
  test.each<[Trust, string]>([
    ["untrusted", "ask"],
    ["provisional", "pass"],
    ["trusted", "pass"],
  ])("%s → %s", (trust, expected) => expect(said(given, ran("ls"), turnOf({ trust })).kind).toBe(expected));
  test("a denial goes before the question, whichever constraint says it", () => {
    const both = { constraints: [...given.constraints, { tool: "bash", deny_patterns: ["ls"] }] };
    expect(said(both, ran("ls"), turnOf({ trust: "untrusted" }))).toMatchObject({ kind: "deny" });
  });
});

describe("approve", () => {
  const refusedBy = (gate: string, call: ToolCall): Outcome => ({
    ok: false,
    callId: call.id,
    error: new ToolError("policy_blocked", "no"),
    decision: { verdict: "deny", gate },
  });
  const opened = () => {
    const memory = scopedMemory();
    return { memory, gate: gateOf({ denied_tools: ["bash"] }, memory) };
  };
  const kindOf = (gate: ReturnType<typeof gateOf>, call: ToolCall) => (gate.judge(call, turnOf()) as Verdict).kind;

  test("lifts the refusal of exactly that tool and arguments, once, also in a gate that was built anew", () => {
    const { gate, memory } = opened();
    const call = ran("ls");
    expect(kindOf(gate, call)).toBe("deny");
    expect(gate.approve(call.id)).toBeNull();
    gate.settled?.(call, refusedBy("scoped", call), turnOf());
    expect(gate.approve(call.id)).toEqual({ callId: call.id, tool: "bash" });
    const anew = gateOf({ denied_tools: ["bash"] }, memory);
    expect(kindOf(anew, ran("ls -l"))).toBe("deny");
    const again = ran("ls");
    expect([kindOf(anew, again), kindOf(anew, again)]).toEqual(["pass", "pass"]);
    anew.admitted?.(again, turnOf());
    expect(kindOf(anew, ran("ls"))).toBe("deny");
    expect(anew.approve(call.id)).toBeNull();
  });
  test("another folder is another call", () => {
    const { gate } = opened();
    const call = ran("ls");
    gate.settled?.(call, refusedBy("scoped", call), turnOf());
    gate.approve(call.id);
    expect(kindOf(gate, Object.create(call, { cwd: { value: "/elsewhere" } }))).toBe("deny");
  });
  test("by the beginning of an id, if it is long enough and only one's", () => {
    const { gate } = opened();
    const [a, b] = [ran("a"), ran("b")].map((call, n) => Object.create(call, { id: { value: `abcdef${n}-long` } }) as ToolCall);
    for (const call of [a!, b!]) gate.settled?.(call, refusedBy("scoped", call), turnOf());
    expect([gate.approve("abcde"), gate.approve("abcdef"), gate.approve("")]).toEqual([null, null, null]);
    expect(gate.approve("abcdef1")).toEqual({ callId: "abcdef1-long", tool: "bash" });
    expect(gate.approve("abcde")).toBeNull();
    expect(gate.approve("abcdef")).toEqual({ callId: "abcdef0-long", tool: "bash" });
  });
  test("what another gate refused is none of its business, and a new session forgets", () => {
    const { gate, memory } = opened();
    const [a, b] = [ran("a"), ran("b")];
    gate.settled?.(a, refusedBy("policy", a), turnOf());
    expect(gate.approve(a.id)).toBeNull();
    gate.settled?.(b, refusedBy("scoped", b), turnOf());
    gate.approve(b.id);
    gate.reset?.();
    expect(kindOf(gate, ran("b"))).toBe("deny");
    expect(memory).toEqual(scopedMemory());
  });
  test("remembers the last thousand", () => {
    const { gate, memory } = opened();
    for (let n = 0; n < 1005; n++) {
      const call = ran(`echo ${n}`);
      gate.settled?.(call, refusedBy("scoped", call), turnOf());
    }
    expect(memory.refused.size).toBe(1000);
  });
});
