import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { ToolCall } from "../src/core/call.ts";
import { Door } from "../src/core/door.ts";
import { ToolRequest } from "../src/core/request.ts";
import { createSession } from "../src/core/session.ts";
import { createOwnGates } from "../src/gates/own.ts";
import {
  createAgent,
  createRuntime,
  defineTool,
  type JudgedCall,
  type JudgingContext,
  type OwnGate,
  type Question,
  type RuntimeOptions,
} from "../src/index.ts";
import { read } from "../src/tools/read.ts";
import { connected, place as mcpPlace, serving, textOf } from "./mcp/server-support.ts";
import { asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/a.txt", content: "hello\n" },
  { op: "file", path: "work/package.json", content: "{}" },
  { op: "symlink", path: "work/link", target: "a.txt" },
]);
afterAll(() => place.remove());

let n = 0;
const audit = () => join(place.state, `gates-${n}.jsonl`);
const lines = () =>
  readFileSync(audit(), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
const allow = [{ pattern: "*", action: "allow" }] as const;
const open = async (gates: readonly OwnGate[], options: Omit<RuntimeOptions, "config"> & { tools?: object } = {}) => {
  n += 1;
  const { tools = { permissions: { write: allow, fetch: allow } }, ...rest } = options;
  const zeph = await createRuntime({ cwd: place.work, store: "memory", config: { audit: { path: audit() }, tools }, gates, ...rest });
  onTestFinished(() => zeph.close());
  return zeph;
};
const closed: OwnGate = {
  id: "office-hours",
  judge: ({ effect }) => (effect === "reads" ? undefined : { kind: "deny", rule: "evening", why: "Nobody is in the office." }),
};
const WRITE = { path: "new.txt", content: "x" };

describe("a gate of a program's own", () => {
  it("refuses in its own name, to the model, in the audit log and in what judge says", async () => {
    const zeph = await open([closed]);
    const decision = { verdict: "deny", gate: "office-hours", rule: "evening", why: "Nobody is in the office." };
    expect(await zeph.call("write", WRITE)).toMatchObject({
      ok: false,
      error: { category: "policy_blocked", message: "Nobody is in the office." },
      decision,
    });
    expect(existsSync(join(place.work, "new.txt"))).toBe(false);
    const { trace, ...judged } = await zeph.judge("write", WRITE);
    expect(judged).toMatchObject(decision);
    expect(trace.at(-1)).toMatchObject({ gate: "office-hours", kind: "deny" });
    expect(lines().at(-1)).toMatchObject({ outcome: "denied", gate: "office-hours", rule: "evening" });
    expect(zeph.governance.gates().at(-1)).toMatchObject({ gate: "office-hours", state: "on", denied: 1 });
    expect((await zeph.call("read", { path: "a.txt" })).ok).toBe(true);
    expect(await zeph.dryRun("true")).toMatchObject({ ok: false, decision: { gate: "office-hours" } });
  });

  it("sees what is called, where its paths lead, who calls and when, and can change nothing of it", async () => {
    const seen: { call: JudgedCall; context: JudgingContext }[] = [];
    const zeph = await open([{ id: "eyes", judge: (call, context) => void seen.push({ call, context }) as undefined }]);
    const before = Date.now();
    await zeph.as({ id: "ada" }).call("read", { path: "link" });
    const { call, context } = seen[0]!;
    expect(call).toEqual({
      id: expect.any(String),
      tool: "read",
      effect: "reads",
      input: expect.objectContaining({ path: "link" }),
      touches: [{ kind: "path", access: "read", path: "link", realPath: join(place.work, "a.txt") }],
    });
    expect(context).toMatchObject({ workspace: place.work, caller: "ada", trust: "trusted", unattended: false, untrusted: false });
    expect(context.time).toBeGreaterThanOrEqual(before);
    for (const one of [call, call.input, call.touches, call.touches[0], context]) expect(Object.isFrozen(one)).toBe(true);
  });

  it("is given a copy of the input, also where a schema makes something that cannot be frozen", async () => {
    const remind = defineTool({
      name: "remind",
      description: "Reminds somebody.",
      effect: "stores",
      input: z.strictObject({ names: z.array(z.string()).transform((names) => new Map(names.map((name) => [name, 1]))) }),
      touches: () => [],
      run: async ({ input }) => ({ text: [...input.names.keys()].join(" ") }),
    });
    const meddle: OwnGate = {
      id: "meddle",
      judge: ({ input }) => void (input as { names: Map<string, number> }).names.clear?.() as undefined,
    };
    const zeph = await open([meddle], { toolsets: [{ id: "mine", list: () => [remind] }], tools: { permissions: { remind: allow } } });
    expect(await zeph.callAny("remind", { names: ["ada"] })).toMatchObject({ ok: true, output: { text: "ada" } });
  });

  it.each<[string, () => unknown, string]>([
    ["throws", () => Promise.reject(new Error("no connection")), "The odd gate failed: no connection"],
    ["says yes", () => "allow", 'The odd gate failed: "odd" answered something'],
    ["says true", () => true, 'The odd gate failed: "odd" answered something'],
    ["says nothing with null", () => null, 'The odd gate failed: "odd" answered something'],
    ["allows with a reason", () => ({ kind: "allow", why: "It is fine." }), 'The odd gate failed: "odd" answered something'],
    ["asks without a reason", () => ({ kind: "ask" }), 'The odd gate failed: "odd" answered something'],
  ])("that %s denies, and says so", async (_how, judge, why) => {
    const zeph = await open([{ id: "odd", judge: judge as OwnGate["judge"] }]);
    const outcome = await zeph.call("read", { path: "a.txt" });
    // What a program's error says is not for the model.
    expect(outcome.ok || outcome.error.message).toBe("The odd gate failed.");
    expect(outcome).toMatchObject({
      ok: false,
      decision: { verdict: "deny", gate: "odd", rule: "failed", why: expect.stringContaining(why) },
    });
  });

  it("that never answers has denied when the door's time is over", async () => {
    const facts = { cwd: "/", canonical: String, entry: String };
    const gates = createOwnGates([{ id: "slow", judge: () => new Promise(() => {}) }], facts, Date.now);
    const door = new Door(() => null, gates, undefined, { judgeMs: 20, consultMs: 20 });
    const call = ToolCall.parse(ToolRequest.from({ id: "1", name: "read", args: { path: "a" } })!, new Map([["read", read]])) as ToolCall;
    expect(await door.preapprove(call, createSession().current({}))).toMatchObject({
      kind: "denied",
      objection: { gate: "slow", why: "The slow gate failed: it did not answer within 20 ms" },
    });
  });

  it.each<[string, unknown, string]>([
    ["no list", {}, "gates is a list"],
    ["no judge", [{ id: "a" }], "an id and a function judge"],
    ["the name of one of ours", [{ id: "permissions", judge() {} }], 'a gate named "permissions" already'],
    ["the name of the hooks", [{ id: "hooks", judge() {} }], 'a gate named "hooks" already'],
    ["a name twice", [closed, closed], 'a gate named "office-hours" already'],
    ["a name for a terminal", [{ id: "a\nb", judge() {} }], "is no id of a gate"],
  ])("is refused at the start when it has %s", async (_what, gates, says) => {
    await expect(open(gates as readonly OwnGate[])).rejects.toThrow(says);
  });

  it("is still asked after the rules were read again and commands were blocked", async () => {
    const zeph = await open([closed]);
    zeph.blockCommands(["curl"]);
    await zeph.governance.reload({ tools: { permissions: { write: allow } } });
    zeph.governance.chooseAutonomy("full");
    expect((await zeph.call("write", WRITE)).decision.gate).toBe("office-hours");
  });
});

describe("a question of a program's own gate", () => {
  const asking: OwnGate = { id: "two", judge: ({ effect }) => (effect === "reads" ? "pass" : { kind: "ask", why: "A second look." }) };

  it.each(["session", "always", "edits"] as const)("is put again for each call, though the answer was %s", async (answer) => {
    const questions: Question[] = [];
    const zeph = await open([asking], {
      confirm: (question) => {
        questions.push(question);
        return answer;
      },
    });
    for (const _ of [1, 2]) expect((await zeph.call("write", WRITE)).decision).toMatchObject({ verdict: "allow", gate: "two" });
    expect(questions.map(({ why }) => why)).toEqual([["A second look."], ["A second look."]]);
    expect(questions[0]).not.toHaveProperty("always_rule");
  });

  it("is no answer to what others would ask: nothing is kept of a yes to it alone", async () => {
    const zeph = await open([asking], { confirm: () => "session" });
    expect((await zeph.call("write", WRITE)).ok).toBe(true);
    await zeph.governance.reload({ tools: { permissions: { write: [{ pattern: "*", action: "ask" }] } } });
    expect((await zeph.judge("write", WRITE)).trace.find(({ gate }) => gate === "permissions")).toMatchObject({ kind: "ask" });
  });

  it("fails the call where nobody can be asked, and refuses a dry run", async () => {
    const zeph = await open([asking]);
    expect(await zeph.call("write", WRITE)).toMatchObject({ error: { category: "confirmation_required" }, decision: { gate: "two" } });
    expect(await zeph.dryRun("true")).toMatchObject({ ok: false, error: { category: "confirmation_required" }, decision: { gate: "two" } });
  });

  it("is not answered by a yes when it has become a denial", async () => {
    let isOpen = true;
    const zeph = await open([{ id: "shop", judge: () => ({ kind: isOpen ? "ask" : "deny", why: "The shop." }) }], {
      confirm: () => {
        isOpen = false;
        return "once";
      },
    });
    expect(await zeph.call("write", WRITE)).toMatchObject({ ok: false, decision: { verdict: "deny", gate: "shop" } });
  });
});

describe("a program's own gates are asked whoever calls", () => {
  it("a caller with rights of its own", async () => {
    const zeph = await open([closed]);
    const ada = zeph.as({ id: "ada", permissions: { write: allow } });
    expect((await ada.call("write", WRITE)).decision.gate).toBe("office-hours");
    expect((await ada.judge("write", WRITE)).gate).toBe("office-hours");
  });

  it("a caller with a folder of its own", async () => {
    mkdirSync(join(place.work, "adas"), { recursive: true });
    const zeph = await open([closed]);
    const ada = zeph.as({ id: "ada", workspace: "adas", permissions: { write: allow } });
    expect((await ada.call("write", WRITE)).decision.gate).toBe("office-hours");
    expect((await ada.judge("write", WRITE)).gate).toBe("office-hours");
  });

  it("an agent's model, and a task of its own in a conversation of its own", async () => {
    n += 1;
    const agent = await createAgent({
      cwd: place.work,
      store: "memory",
      config: { audit: { path: audit() }, tools: { permissions: { write: allow } } },
      gates: [closed],
      model: modelSaying([asks("write", WRITE)], [says("No.")], [asks("write", WRITE)], [says("No.")]),
    });
    onTestFinished(() => agent.close());
    expect((await agent.run("write")).calls).toMatchObject([{ outcome: { ok: false, decision: { gate: "office-hours" } } }]);
    await agent.runTask({ text: "write", title: "t", untrusted: false, bound: null }, new AbortController().signal);
    const denied = lines().filter(({ kind }) => kind === "call");
    expect(denied.map(({ gate }) => gate)).toEqual(["office-hours", "office-hours"]);
  });

  it("a client of the MCP server", async () => {
    const { work, settings } = mcpPlace();
    const { url } = await serving({ cwd: work, settings: { ...settings({ permissions: { write: allow } }), gates: [closed] } });
    const client = await connected(url);
    const answer = await client.callTool({ name: "write", arguments: WRITE });
    expect([answer.isError, textOf(answer)]).toEqual([true, expect.stringContaining("Nobody is in the office.")]);
  });

  it("a command that a tool starts by itself", async () => {
    const seen: JudgedCall[] = [];
    const noNode: OwnGate = {
      id: "no-eslint",
      judge(call) {
        seen.push(call);
        return call.because === "inner command" ? { kind: "ask", why: "Not by itself." } : "pass";
      },
    };
    const project = workspace([
      { op: "file", path: "work/package.json", content: "{}" },
      { op: "file", path: "work/eslint.config.js", content: "" },
      { op: "file", path: "work/node_modules/.bin/eslint", content: "#!/bin/sh\n" },
    ]);
    onTestFinished(() => project.remove());
    const zeph = await open([noNode], { cwd: project.work, tools: { permissions: { diagnostics: allow } } });
    const outcome = await zeph.as({ id: "ada" }).call("diagnostics", { kind: "lint" });
    expect(outcome).toMatchObject({ ok: true, output: { text: expect.stringContaining("eslint was not run: Not by itself.") } });
    expect(seen.at(-1)).toMatchObject({ tool: "bash", because: "inner command" });
  });
});

describe("an address that a call is sent on to", () => {
  let server: Server;
  const asked: string[] = [];
  beforeAll(async () => {
    server = createServer((req, res) => {
      asked.push(`${req.headers.host}${req.url}`);
      if (req.url === "/go") return res.writeHead(302, { location: "https://evil.example/data" }).end();
      res.writeHead(200, { "content-type": "text/plain" }).end("a page");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => void server.close());
  const web = {
    lookup: async () => ["93.184.216.34"],
    dial: async () =>
      new Promise<ReturnType<typeof connect>>((resolve, reject) => {
        const socket = connect((server.address() as AddressInfo).port, "127.0.0.1", () => resolve(socket));
        socket.on("error", reject);
      }),
  };
  it.each(["ask", "deny"] as const)("is judged by a program's own gates: a %s is a refusal", async (kind) => {
    const seen: JudgedCall[] = [];
    const domains: OwnGate = {
      id: "domains",
      judge(call) {
        seen.push(call);
        return call.touches.some((touch) => touch.kind === "url" && touch.url.includes("evil")) ? { kind, why: "Not there." } : "pass";
      },
    };
    const zeph = await open([domains], { web });
    asked.length = 0;
    const outcome = await zeph.call("fetch", { url: "https://good.example/go" });
    expect(outcome).toMatchObject({ ok: false, error: { category: "policy_blocked", message: expect.stringContaining("Not there.") } });
    expect(asked).toEqual(["good.example/go"]);
    expect(seen.at(-1)).toMatchObject({ because: "redirect", input: { url: "https://evil.example/data" } });
  });
});
