import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { answerText } from "../src/core/answer.ts";
import { defineTool, type Outcome, ToolError, type Toolset } from "../src/index.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/a.txt", content: "hello\n" },
  { op: "file", path: "work/fix.json", content: JSON.stringify([[{ type: "text", text: '{"arguments": {"path": "a.txt"}}' }]]) },
]);
afterAll(() => place.remove());

const ALLOW = Object.fromEntries(["write", "build", "deploy"].map((tool) => [tool, [{ pattern: "*", action: "allow" }]]));
let logs = 0;

/** A runtime with its own log, and what stands in it when it is over. */
async function open(tools: object = {}, toolsets: readonly Toolset[] = []) {
  const path = join(place.state, `batch-${++logs}.jsonl`);
  const zeph = await place.runtime({ toolsets, config: { audit: { path }, tools: { permissions: ALLOW, ...tools } } });
  const lines = async () => {
    await zeph.close();
    return readFileSync(path, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  };
  return { zeph, lines };
}

const word = (outcome: Outcome) => (outcome.ok ? "ran" : (outcome.decision.gate ?? outcome.error.category));

describe("quota", () => {
  it("of many calls at once exactly so many run, the first ones, and each of the rest is told", async () => {
    const { zeph, lines } = await open({ max_tool_calls_per_session: 25 });
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, n) => zeph.call("read", { path: "a.txt", offset: n + 1 })));
    // Past the end of the file a read has failed, and was a call all the same.
    const admitted = outcomes.map(({ decision }) => decision.verdict === "allow");
    expect(admitted).toEqual(Array.from({ length: 100 }, (_, n) => n < 25));
    for (const outcome of outcomes.slice(25))
      expect(outcome).toMatchObject({
        ok: false,
        error: { category: "policy_blocked", message: "quota_blocked: all 25 calls of this session are used." },
        decision: { verdict: "deny", gate: "quota", rule: "max_tool_calls_per_session = 25" },
      });
    // Nothing is dropped silently.
    const calls = (await lines()).filter(({ kind }) => kind === "call");
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(100);
    expect(
      calls.filter(({ gate, outcome, error }) => gate === "quota" && outcome === "denied" && /^quota_blocked: /.test(error)),
    ).toHaveLength(75);
  });

  it("is exact and in order for thousands of calls at once", async () => {
    const [many, allowed] = [2000, 800];
    const order: number[] = [];
    const numbered: Toolset = {
      id: "numbered",
      list: () => [
        defineTool({
          name: "numbered",
          description: "",
          effect: "reads",
          input: z.strictObject({ n: z.number() }),
          touches: () => [],
          async run({ input }) {
            order.push(input.n);
            return { text: "" };
          },
        }),
      ],
    };
    const { zeph } = await open({ max_tool_calls_per_session: allowed }, [numbered]);
    const outcomes = await Promise.all(Array.from({ length: many }, (_, n) => zeph.call("numbered", { n })));
    expect(order).toEqual(Array.from({ length: allowed }, (_, n) => n));
    expect(outcomes.map(word)).toEqual(Array.from({ length: many }, (_, n) => (n < allowed ? "ran" : "quota")));
    expect(zeph.governance.gates().find(({ gate }) => gate === "quota")).toMatchObject({
      state: `${allowed} of ${allowed} calls used`,
      passed: allowed,
      denied: many - allowed,
    });
    await zeph.close();
  });

  it("counts neither bad arguments nor unknown tools nor what another gate refused", async () => {
    const { zeph } = await open({ max_tool_calls_per_session: 2, permissions: { write: [{ pattern: "*", action: "deny" }] } });
    const batch = [
      zeph.callAny("read", { wrong: 1 }),
      zeph.call("no_such_tool", {}),
      zeph.call("write", { path: "b.txt", content: "" }),
      zeph.call("read", { path: "a.txt" }),
      zeph.call("read", { path: "a.txt" }),
      zeph.call("read", { path: "a.txt" }),
    ];
    expect((await Promise.all(batch)).map(word)).toEqual(["invalid_parameters", "tool_not_found", "permissions", "ran", "ran", "quota"]);
    await zeph.close();
  });

  it("counts a call once, however often it is tried", async () => {
    let tried = 0;
    const shaky: Toolset = {
      id: "shaky",
      list: () => [
        defineTool({
          name: "shaky",
          description: "",
          effect: "reads",
          input: z.strictObject({}),
          touches: () => [],
          async run() {
            tried++;
            if (tried % 3 !== 0) throw new ToolError("server_error", "Not now.");
            return { text: "done" };
          },
        }),
      ],
    };
    const { zeph } = await open({ max_tool_calls_per_session: 2, retry: { max_attempts: 2, base_ms: 0, max_ms: 0 } }, [shaky]);
    const outcomes = [await zeph.call("shaky", {}), await zeph.call("shaky", {}), await zeph.call("shaky", {})];
    expect([outcomes.map(word), tried]).toEqual([["ran", "ran", "quota"], 6]);
    await zeph.close();
  });

  it("counts a call that may change something once, and does not promise to repeat it", async () => {
    let tried = 0;
    const deploy = defineTool({
      name: "deploy",
      description: "",
      effect: "runs",
      input: z.strictObject({}),
      touches: () => [],
      async run(): Promise<never> {
        tried++;
        throw new ToolError("server_error", "Not now.");
      },
    });
    const { zeph } = await open({ retry: { max_attempts: 2, base_ms: 0, max_ms: 0 } }, [{ id: "deploys", list: () => [deploy] }]);
    const outcome = await zeph.call("deploy", {});
    expect([tried, !outcome.ok && outcome.error.category]).toEqual([1, "server_error"]);
    expect(answerText(outcome)).toMatch(/suggestion: It is not tried again, .*\nretryable: false$/);
    await zeph.close();
  });

  it("counts a call once, though its arguments had to be repaired", async () => {
    const config = {
      llm: { providers: [{ name: "fixer", type: "script", model: join(place.work, "fix.json") }] },
      tools: { retry: { parameter_reformat_provider: "fixer" }, max_tool_calls_per_session: 2 },
    };
    const wrong = () => asks("read", { where: "a.txt" });
    const right = () => asks("read", { path: "a.txt" });
    const agent = await agentIn(place, modelSaying([wrong(), right(), right()], [says("ok")]), { config });
    const events = await all(agent.send("go"));
    const ends = events.flatMap((event) => (event.type === "tool_end" ? [word(event.outcome)] : []));
    expect(ends.toSorted()).toEqual(["invalid_parameters", "quota", "ran", "ran"]);
    await agent.close();
  });

  it("begins anew when the session does", async () => {
    const { zeph } = await open({ max_tool_calls_per_session: 3 });
    const batch = () => Promise.all(Array.from({ length: 5 }, () => zeph.call("read", { path: "a.txt" })));
    expect((await batch()).map(word)).toEqual(["ran", "ran", "ran", "quota", "quota"]);
    expect((await batch()).map(word)).toEqual(Array(5).fill("quota"));
    zeph.clear();
    expect((await batch()).map(word)).toEqual(["ran", "ran", "ran", "quota", "quota"]);
    await zeph.close();
  });

  it("of none lets nothing in, and says so", async () => {
    const { zeph } = await open({ max_tool_calls_per_session: 0 });
    expect(await zeph.call("read", { path: "a.txt" })).toMatchObject({
      error: { message: "quota_blocked: no calls are allowed in this session." },
    });
    await zeph.close();
  });

  it("is exact in any batch of calls that are let in, refused and wrong", async () => {
    const kinds = { good: { path: "a.txt" }, bad: { wrong: 1 }, denied: { path: "secret.txt" } };
    const tools = {
      permissions: {
        read: [
          { pattern: "**/secret.txt", action: "deny" },
          { pattern: "*", action: "allow" },
        ],
      },
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...(Object.keys(kinds) as (keyof typeof kinds)[])), { maxLength: 30 }),
        fc.nat(12),
        async (batch, max) => {
          const { zeph } = await open({ ...tools, max_tool_calls_per_session: max });
          const words = (await Promise.all(batch.map((kind) => zeph.callAny("read", kinds[kind])))).map(word);
          await zeph.close();
          let left = max;
          const expected = batch.map((kind) => {
            if (kind === "bad") return "invalid_parameters";
            // Who is asked first speaks first, and the quota is.
            if (left === 0) return "quota";
            if (kind === "denied") return "permissions";
            left--;
            return "ran";
          });
          expect(words).toEqual(expected);
        },
      ),
      { numRuns: 10 },
    );
  });
});

describe("scope.require_capability", () => {
  it("decides each call of a batch by its own caller", async () => {
    const { zeph } = await open({ scope: { enabled: true, require_capability: true } });
    const write = (name: string, trust: "trusted" | "provisional" | "untrusted") =>
      zeph.call("write", { path: `${name}.out`, content: "x" }, { callerId: name, trust });
    const outcomes = await Promise.all([
      write("a", "untrusted"),
      write("b", "trusted"),
      zeph.call("read", { path: "a.txt" }, { trust: "untrusted" }),
      write("c", "provisional"),
      write("d", "trusted"),
      zeph.call("memory_save", { content: "x" }, { trust: "provisional" }),
    ]);
    expect(outcomes.map(word)).toEqual(["scope", "ran", "ran", "scope", "ran", "ran"]);
    expect(outcomes[3]).toMatchObject({
      error: { category: "policy_blocked" },
      decision: { rule: "tools.scope.require_capability", why: expect.stringContaining("the caller is provisional") },
    });
    expect(["a", "b", "c", "d"].map((name) => existsSync(join(place.work, `${name}.out`)))).toEqual([false, true, false, true]);
    await zeph.close();
  });

  it("needs both switches", async () => {
    for (const scope of [{ require_capability: true }, { enabled: true }]) {
      const { zeph } = await open({ scope });
      const { trace } = await zeph.judge("write", { path: "x", content: "" }, { trust: "untrusted" });
      expect(trace.find(({ gate }) => gate === "scope")).toMatchObject({ kind: "pass" });
      await zeph.close();
    }
  });
});

describe("dependencies", () => {
  /** Builds when the test says so; deploys at once. */
  function site() {
    let finish = (_how: "well" | "badly") => {};
    const ran: string[] = [];
    const make = (name: string, run: () => Promise<void>) =>
      defineTool({
        name,
        description: "",
        effect: "writes",
        input: z.strictObject({}),
        touches: () => [],
        async run() {
          await run();
          ran.push(name);
          return { text: name };
        },
      });
    const building = () =>
      new Promise<void>((resolve, reject) => {
        finish = (how) => (how === "well" ? resolve() : reject(new ToolError("permanent_failure", "It does not build.")));
      });
    const toolset: Toolset = { id: "site", list: () => [make("build", building), make("deploy", async () => {})] };
    return { toolset, ran, finish: (how: "well" | "badly") => finish(how) };
  }
  const tools = { dependencies: { enabled: true, rules: { deploy: { requires: ["build"] } } } };

  it("in one batch what is required has not succeeded yet: the other is refused, and may be called afterwards", async () => {
    const { toolset, ran, finish } = site();
    const { zeph, lines } = await open(tools, [toolset]);
    const building = zeph.call("build", {});
    const [first, second] = await Promise.all([zeph.call("deploy", {}), zeph.call("deploy", {})]);
    expect([word(first), word(second), ran]).toEqual(["dependencies", "dependencies", []]);
    expect(first).toMatchObject({
      error: { category: "policy_blocked", message: "deploy may be called once build has succeeded." },
      decision: { rule: "requires build" },
    });
    finish("well");
    expect(word(await building)).toBe("ran");
    expect((await Promise.all([zeph.call("deploy", {}), zeph.call("deploy", {})])).map(word)).toEqual(["ran", "ran"]);
    zeph.clear();
    expect(word(await zeph.call("deploy", {}))).toBe("dependencies");
    expect((await lines()).filter(({ kind, gate }) => kind === "call" && gate === "dependencies")).toHaveLength(3);
  });

  it("what failed was not done", async () => {
    const { toolset, finish } = site();
    const { zeph } = await open(tools, [toolset]);
    const building = zeph.call("build", {});
    // The call is on its way through the door.
    await zeph.call("read", { path: "a.txt" });
    finish("badly");
    expect([word(await building), word(await zeph.call("deploy", {}))]).toEqual(["permanent_failure", "dependencies"]);
    await zeph.close();
  });

  it("what is refused because of them uses up no call, and what is required does", async () => {
    const { toolset, finish } = site();
    const { zeph } = await open({ ...tools, max_tool_calls_per_session: 2 }, [toolset]);
    const building = zeph.call("build", {});
    expect((await Promise.all([zeph.call("deploy", {}), zeph.call("deploy", {})])).map(word)).toEqual(["dependencies", "dependencies"]);
    finish("well");
    await building;
    expect((await Promise.all([zeph.call("deploy", {}), zeph.call("deploy", {})])).map(word)).toEqual(["ran", "quota"]);
    await zeph.close();
  });
});
