import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { ToolCall } from "../src/core/call.ts";
import { Door } from "../src/core/door.ts";
import type { Outcome } from "../src/core/layer.ts";
import type { Phase } from "../src/core/turn.ts";
import { createAgent, createRuntime, type OwnGate } from "../src/index.ts";
import { innerCommandRefusal } from "../src/runtime/inner-commands.ts";
import { compressContext } from "../src/tools/compress-context.ts";
import { gatedIn, level } from "./gate-judges.ts";
import { BASES, CALLS, type Config } from "./stress/property/configs.ts";
import { agentIn, all, asks, done, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const LONG = "some words that a tool found in a file ".repeat(40);
const SUMMARY = "The data was looked at, line by line, and nothing in it was out of order; the last line is number 29, as it should be.";
const place = workspace([
  { op: "file", path: "work/data.txt", content: Array.from({ length: 30 }, (_, n) => `${n} ${LONG}`).join("\n") },
  { op: "file", path: "work/src/a.ts", content: "a" },
  { op: "file", path: "work/.env", content: "TOKEN=1" },
  { op: "file", path: "outside.txt", content: "no" },
  { op: "symlink", path: "work/link", target: "../outside.txt" },
]);
const gated = gatedIn(place, [compressContext(async () => ({ tooLittle: "Too little." }))]);
afterAll(async () => {
  await gated.close();
  place.remove();
});

const SUMMARISE: (typeof CALLS)[number] = ["compress_context", {}];
const ABOUT_COMMANDS = ["blocklist", "scoped", "policy", "authorization", "permissions"];

const good = ({ id }: ToolCall): Outcome => ({
  ok: true,
  callId: id,
  output: { text: "fine" },
  grant: { kind: "preapproved" },
  decision: { verdict: "allow" },
  cached: false,
});

/** The rules of a configuration that speak of commands, and not of all calls of a tool. */
function onlyAboutCommands({ tools = {} }: Config): Config {
  const { scoped, permissions = {}, policy, authorization } = tools;
  const speaks = ({ pattern, action }: any) => action === "allow" || pattern !== "*";
  const conditions = ["paths", "args_match", "env", "trust_level"];
  const listed = (rules: readonly any[]) =>
    rules.filter((rule) => (rule.effect ?? rule.action) === "allow" || conditions.some((name) => rule[name] !== undefined));
  return {
    tools: {
      ...(scoped && { scoped: { enabled: scoped.enabled, ...(scoped.constraints && { constraints: scoped.constraints }) } }),
      permissions: { ...permissions, ...(permissions.bash && { bash: permissions.bash.filter(speaks) }) },
      ...(policy && { policy: { ...policy, default_effect: "allow", rules: listed(policy.rules) } }),
      ...(authorization && { authorization: { ...authorization, rules: listed(authorization.rules) } }),
    },
  };
}

describe("a phase that is not a person's", () => {
  const trust = fc.constantFrom("trusted", "provisional", "untrusted") as fc.Arbitrary<"trusted">;

  it("lets a tool start no command that a rule about commands forbids", async () => {
    const commands = CALLS.filter(([tool]) => tool === "bash");
    let denied = 0;
    await fc.assert(
      fc.asyncProperty(BASES, trust, async (config, trust) => {
        const { blocklist, gates: judging } = gated.gates(onlyAboutCommands(config)).rules;
        const { rules } = gated.gates(config);
        const refused = innerCommandRefusal(new Door(rules.blocklist, rules.gates), gated.tools.get("bash")!);
        const laxer: string[] = [];
        for (const [n, [tool, args]] of commands.entries()) {
          const turn = gated.turn({ phase: "executor", trust });
          const { spoke } = await new Door(blocklist, judging).review(gated.call(tool, args, `${n}`), turn);
          const rule = spoke.find(({ kind, gate }) => kind === "deny" && ABOUT_COMMANDS.includes(gate));
          if (!rule) continue;
          denied++;
          const { command } = args as { command: string };
          if ((await refused(command, turn)) === null) laxer.push(`${command}: ${rule.gate}, ${rule.rule}`);
        }
        expect(laxer).toEqual([]);
      }),
      { numRuns: 150 },
    );
    expect(denied).toBeGreaterThan(50);
  }, 60_000);

  it("lets in nothing that the same call of a model would not be", async () => {
    const history = fc.array(fc.tuple(fc.constantFrom(...CALLS, SUMMARISE), fc.constantFrom<Phase>("executor", "verifier", "autonomous")), {
      maxLength: 10,
    });
    await fc.assert(
      fc.asyncProperty(BASES, history, trust, fc.boolean(), async (config, past, trust, inConversation) => {
        const { rules } = gated.gates(config);
        const door = new Door(rules.blocklist, rules.gates);
        const where = inConversation ? { conversationId: "c" } : {};
        for (const [n, [[tool, args], phase]] of past.entries()) {
          const call = gated.call(tool, args, `past ${n}`);
          const turn = gated.turn({ phase, ...where });
          for (const gate of rules.gates) gate.admitted?.(call, turn);
          door.settled(call, good(call), turn);
        }
        const laxer: string[] = [];
        for (const [n, [tool, args]] of [...CALLS, SUMMARISE].entries()) {
          const of = async (phase: Phase) =>
            level(await door.review(gated.call(tool, args, `${phase} ${n}`), gated.turn({ phase, trust, ...where })));
          const asModel = await of("executor");
          for (const phase of ["verifier", "autonomous"] as const)
            if ((await of(phase)) < asModel) laxer.push(`${tool} ${JSON.stringify(args)} as ${phase}`);
        }
        expect(laxer).toEqual([]);
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe("what an agent does", () => {
  const lines = (file: string) =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));

  it("is autonomous where it asks for a summary, with a note for the summary, and executor elsewhere", async () => {
    const audit = join(place.state, "phases.jsonl");
    const looks = [1, 2].map((offset) => [asks("read", { path: "data.txt", offset, limit: 2 })]);
    const model = modelSaying(...looks, [asks("compress_context", {})], [says(SUMMARY)], [says("fine")]);
    const agent = await agentIn(place, model, { config: { audit: { path: audit } } });
    expect(done(await all(agent.send("look"))).why).toBe("answered");
    await agent.close();
    const told = lines(audit);
    const phases = told.filter(({ kind }) => kind === "call").map(({ tool, phase }) => [tool, phase]);
    expect(phases).toEqual([
      ["read", "executor"],
      ["read", "executor"],
      ["compress_context", "autonomous"],
    ]);
    expect(told.filter(({ kind, phase }) => kind === "note" && phase === "autonomous")).toMatchObject([
      { note: expect.stringContaining("a summary of earlier messages") },
    ]);
  });

  it("is executor in a task that runs on a schedule, which starts where no person went", async () => {
    const audit = join(place.state, "scheduled.jsonl");
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      config: { audit: { path: audit }, tools: { permissions: { bash: [{ pattern: "*", action: "allow" }] } } },
    });
    const model = modelSaying([asks("bash", { command: "pwd" })], [says("first")], [asks("bash", { command: "pwd" })], [says("second")]);
    const agent = await createAgent({ runtime: zeph, model });
    await zeph.call("bash", { command: "cd src" }, { typed: true });
    await agent.runTask({ text: "look", title: "look", untrusted: false, bound: null }, new AbortController().signal);
    await all(agent.send("look"));
    await agent.close();
    await zeph.close();
    const texts = model.given.flatMap(({ messages }) => messages.flatMap((one) => (one.role === "tool" ? [one.text] : [])));
    expect([...new Set(texts)]).toEqual([place.work, `${join(place.work, "src")}\n[in src (set by the user)]`]);
    const calls = lines(audit).filter(({ kind, tool }) => kind === "call" && tool === "bash");
    expect(calls.map(({ phase }) => phase)).toEqual(["planner", "executor", "executor"]);
  });

  it("never puts its own summary before a person", async () => {
    const asked: string[] = [];
    const model = modelSaying([asks("compress_context", {})], [says("fine")]);
    const agent = await agentIn(place, model, {
      config: { tools: { permissions: { compress_context: [{ pattern: "*", action: "ask" }] } } },
      confirm: ({ tool }) => {
        asked.push(tool);
        return "once";
      },
    });
    const events = await all(agent.send("go"));
    expect(events.find((event) => event.type === "tool_end")).toMatchObject({ outcome: { ok: false, decision: { verdict: "deny" } } });
    expect(asked).toEqual([]);
    await agent.close();
  });

  it("is verifier where a tool starts a command by itself to check something", async () => {
    const seen: (readonly [string, string])[] = [];
    const watching: OwnGate = {
      id: "watching",
      judge({ tool, because }, { phase }) {
        seen.push([tool, phase]);
        return because === "inner command" ? { kind: "ask", why: "Not by itself." } : "pass";
      },
    };
    const project = workspace([
      { op: "file", path: "work/package.json", content: "{}" },
      { op: "file", path: "work/eslint.config.js", content: "" },
      { op: "file", path: "work/node_modules/.bin/eslint", content: "#!/bin/sh\n" },
    ]);
    const zeph = await createRuntime({
      cwd: project.work,
      store: "memory",
      gates: [watching],
      config: {
        audit: { path: join(project.state, "a.jsonl") },
        tools: { permissions: { diagnostics: [{ pattern: "*", action: "allow" }] } },
      },
    });
    expect((await zeph.call("diagnostics", { kind: "lint" }, { phase: "executor" })).ok).toBe(true);
    await zeph.close();
    project.remove();
    expect(seen).toEqual([
      ["diagnostics", "executor"],
      ["bash", "verifier"],
    ]);
  });
});

describe("a command that diagnostics starts by itself", () => {
  const DENY = { pattern: "eslint *", action: "deny" };
  const warning = async (tools: object) => {
    const project = workspace([
      { op: "file", path: "work/package.json", content: "{}" },
      { op: "file", path: "work/eslint.config.js", content: "" },
      { op: "file", path: "work/node_modules/.bin/eslint", content: "#!/bin/sh\necho '[]'\n" },
    ]);
    chmodSync(join(project.work, "node_modules/.bin/eslint"), 0o755);
    const zeph = await createRuntime({
      cwd: project.work,
      store: "memory",
      config: { audit: { path: join(project.state, "a.jsonl") }, tools },
    });
    const outcome = await zeph.call("diagnostics", { kind: "lint" }, { phase: "executor", confirm: () => "once" });
    await zeph.close();
    project.remove();
    return outcome.output?.text ?? "";
  };
  const on = { enabled: true, default_effect: "allow" };

  it.each<[string, object]>([
    ["a denied pattern", { permissions: { bash: [DENY] } }],
    ["a denied pattern beside rules for diagnostics", { permissions: { bash: [DENY], diagnostics: [{ pattern: "*", action: "allow" }] } }],
    ["a pattern that asks", { permissions: { bash: [{ ...DENY, action: "ask" }] } }],
    ["a rule of the policy", { policy: { ...on, rules: [{ effect: "deny", tool: "bash", args_match: "eslint" }] } }],
    ["a rule of authorization", { authorization: { enabled: true, rules: [{ effect: "deny", tool: "bash", args_match: "eslint" }] } }],
    ["a constraint", { scoped: { enabled: true, constraints: [{ tool: "bash", deny_patterns: ["eslint"] }] } }],
    ["a blocked command", { shell: { blocked_commands: ["eslint"] } }],
  ])("is refused by %s", async (_, tools) => {
    expect(await warning(tools)).toContain("eslint was not run");
  });

  it.each<[string, object]>([
    ["nothing", {}],
    ["a denied pattern of another command", { permissions: { bash: [{ ...DENY, pattern: "npx *" }] } }],
    ["bash denied as a tool", { permissions: { bash: [{ pattern: "*", action: "deny" }] } }],
    ["bash among the denied tools", { scoped: { enabled: true, denied_tools: ["bash"] } }],
    ["bash not among the allowed tools", { scoped: { enabled: true, allowed_tools: ["diagnostics"] } }],
    ["bash denied by the policy", { policy: { ...on, rules: [{ effect: "deny", tool: "bash" }] } }],
    [
      "all that is not diagnostics denied by the policy",
      { policy: { enabled: true, default_effect: "deny", rules: [{ effect: "allow", tool: "diagnostics" }] } },
    ],
  ])("runs with %s", async (_, tools) => {
    expect(await warning(tools)).toBe("No diagnostics");
  });
});

describe("a policy in plain words", () => {
  const warningsOf = async (policy: object) => {
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      config: {
        audit: { path: join(place.state, "warn.jsonl") },
        tools: { adversarial_policy: { enabled: true, ...policy } },
      },
    });
    await zeph.close();
    return zeph.warnings.filter((warning) => warning.includes("never applies"));
  };

  it("warns when no call that it judges is made in its phases", async () => {
    expect(await warningsOf({ policies: ["a", { text: "b", phases: ["verifier"] }] })).toEqual([
      expect.stringMatching(/policies\[1\] never applies: it counts only in the phase verifier/),
    ]);
    expect(await warningsOf({ policies: [{ text: "b", phases: ["verifier", "executor"] }] })).toEqual([]);
    expect(await warningsOf({ policies: [{ text: "b", phases: ["autonomous"] }] })).toEqual([]);
    expect(await warningsOf({ policies: [{ text: "b", phases: ["autonomous"] }], exempt_tools: ["compress_context"] })).toHaveLength(1);
  });
});
