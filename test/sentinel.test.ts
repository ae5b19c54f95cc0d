import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ConfigInput } from "../src/core/inputs/config-input.ts";
import { type AgentOptions, createRuntime, type Message, type ModelEvent, type Question, type ZephEvent } from "../src/index.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/.env", content: "NAME=zeph\n" },
  { op: "file", path: "work/notes.txt", content: "notes\n" },
  { op: "file", path: "work/config.toml", content: "a = 1\n" },
]);
afterAll(() => place.remove());

/** Names nobody can look up: a call that gets so far was let in. */
const web = { lookup: async () => Promise.reject(new Error("no such name")) };
const ALLOW = [{ pattern: "*", action: "allow" }];
const configured = (governance: object, more: object = {}) => ({
  config: {
    autonomy: "full",
    tools: {
      governance,
      retry: { max_attempts: 0 },
      permissions: { fetch: ALLOW, write: ALLOW, bash: ALLOW },
      sandbox: { enabled: false },
    },
    ...more,
  } as ConfigInput,
  web,
});
const told = (given: readonly { readonly messages: readonly Message[] }[]): string[] =>
  given.at(-1)!.messages.flatMap((message) => (message.role === "tool" ? [message.text] : []));
const ends = (events: readonly ZephEvent[]) => events.flatMap((event) => (event.type === "tool_end" ? [event.outcome] : []));
/** What no model may read. */
const HIDDEN = /sentinel|blocked_sequences|sequence|trajectory|alike|\blike\b|%|score|feedback|stranger|carry|private/i;

type Turns = readonly (readonly ModelEvent[])[];
async function talk(governance: object, turns: Turns, options: Pick<AgentOptions, "store" | "confirm" | "conversation"> = {}) {
  const model = modelSaying(...turns);
  const agent = await agentIn(place, model, { ...configured(governance), ...options });
  const events = await all(agent.send("Go. See https://page.example/ and https://out.example/"));
  return { agent, events, told: told(model.given) };
}
const fetches = (url: string) => asks("fetch", { url });

describe("a model", () => {
  it("that would complete a blocked sequence reads that it was denied, and nothing else", async () => {
    const blocked_sequences = [
      ["bash", "rm", "-rf", "build"],
      ["write", "config.toml", "password"],
    ];
    const { agent, events, told } = await talk({ trajectory_enabled: true, blocked_sequences }, [
      [asks("bash", { command: "rm -r --force build" })],
      [asks("write", { path: "config.toml", content: 'password = "x"\n' })],
      [asks("write", { path: "config.toml", content: "a = 2\n" })],
      [says("done")],
    ]);
    await agent.close();
    expect(ends(events).map(({ decision: { verdict, gate, rule } }) => [verdict, gate, rule])).toEqual([
      ["deny", "sentinel", "blocked_sequences[0]"],
      ["deny", "sentinel", "blocked_sequences[1]"],
      ["allow", undefined, undefined],
    ]);
    expect(told[0]).toContain("error: denied by policy\n");
    expect(told.slice(0, 2).join("\n")).not.toMatch(HIDDEN);
    expect(ends(events)[0]!.decision.why).toBe("This call would complete a blocked sequence: bash rm -rf build.");
  });

  it("does not make the same mistake in another conversation, and a person can lift that", async () => {
    const store = join(place.state, "mistakes.db");
    const governance = { trajectory_enabled: true, block_risky_patterns: true };
    const turns: Turns = [[asks("read", { path: "notes.txt" })], [asks("read", { path: "missing.txt" })], [says("done")]];
    const first = await talk(governance, turns, { store });
    await first.agent.close();
    expect(ends(first.events).map(({ ok }) => ok)).toEqual([true, false]);

    const second = await talk(governance, turns, { store });
    const [, refused] = ends(second.events);
    expect(refused).toMatchObject({ decision: { gate: "sentinel", rule: "like a sequence that ended in error" } });
    expect(second.told.join("\n")).toContain("error: denied by policy\n");
    expect(second.told.join("\n")).not.toMatch(HIDDEN);
    expect(JSON.stringify(await second.agent.zeph.governance.trajectory())).toContain("1 error");
    expect(await second.agent.zeph.governance.feedback(refused!.callId, "ok")).toMatchObject({ tool: "read" });
    await second.agent.close();

    const third = await talk(governance, turns, { store });
    expect(ends(third.events)[1]).toMatchObject({ decision: { verdict: "allow" }, error: { category: "permanent_failure" } });
    await third.agent.close();
  });

  it("that has read a key and a stranger's page asks before it goes anywhere, also under full autonomy", async () => {
    const turns: Turns = [
      [asks("read", { path: ".env" })],
      [fetches("https://page.example/")],
      [fetches("https://out.example/")],
      [says("done")],
    ];
    const { agent, events, told } = await talk({}, turns);
    await agent.close();
    expect(ends(events).map((outcome) => (outcome.ok ? "ok" : outcome.error.category))).toEqual([
      "ok",
      "network_error",
      "confirmation_required",
    ]);
    const question = events.find((event) => event.type === "question");
    expect(question).toMatchObject({
      why: [expect.stringMatching(/has read \.env \(call .*\), and a stranger's text \(page\.example\), .* out to out\.example/)],
    });
    expect(told[2]).toContain("error: The user has to approve this call.\n");
    expect(told[2]).not.toMatch(HIDDEN);

    const asked: Question[] = [];
    const confirm = (question: Question) => {
      asked.push(question);
      return "session" as const;
    };
    const again = await talk(
      {},
      [...turns.slice(0, 3), [fetches("https://out.example/more")], [fetches("https://else.example/")], [says("done")]],
      { confirm },
    );
    await again.agent.close();
    expect(asked.map(({ args }) => (args as { url: string }).url)).toEqual(["https://out.example/", "https://else.example/"]);
    expect(
      ends(again.events)
        .slice(1)
        .map((outcome) => !outcome.ok && outcome.error.category),
    ).toEqual(Array(4).fill("network_error"));
  });

  it("that has read only code and pages is not asked", async () => {
    const { agent, events } = await talk({}, [
      [asks("read", { path: "notes.txt" })],
      [fetches("https://page.example/")],
      [fetches("https://out.example/")],
      [says("done")],
    ]);
    await agent.close();
    expect(events.some(({ type }) => type === "question")).toBe(false);
  });

  it("that goes on with a conversation in another process is known by what it has read there", async () => {
    const store = join(place.state, "resumed.db");
    const first = await talk({}, [[asks("read", { path: ".env" })], [fetches("https://page.example/")], [says("done")]], { store });
    await first.agent.close();
    const again = { store, conversation: first.agent.conversation! };
    const { agent, events } = await talk({}, [[fetches("https://out.example/")], [says("done")]], again);
    await agent.close();
    expect(events.find((event) => event.type === "question")).toMatchObject({
      why: [expect.stringContaining("has read .env (earlier), and a stranger's text, and this call could carry it out to out.example")],
    });
  });
});

describe("a model in somebody else's loop", () => {
  const opened = (governance: object = {}, more: object = {}) =>
    createRuntime({
      cwd: place.work,
      store: "memory",
      ...configured(governance, { audit: { path: join(place.state, "loop.jsonl") }, ...more }),
    });

  it("is asked about a way out once it has read both, one call after the other", async () => {
    const zeph = await opened();
    const tools = zeph.toAiSdkTools();
    const run = (name: string, input: object) => tools[name]!.execute(input, {});
    await run("bash", { command: "cat .e*" });
    expect(await run("fetch", { url: "https://page.example/" })).not.toContain("approve");
    expect(await run("fetch", { url: "https://out.example/" })).toContain("The user has to approve this call.");
    // A person's own call is not the model's.
    expect(await zeph.call("fetch", { url: "https://out.example/" })).toMatchObject({ error: { category: "network_error" } });
    await zeph.close();
  });

  it("is held to what a sequence says by any name of a tool", async () => {
    const zeph = await opened({ trajectory_enabled: true, blocked_sequences: [["glob", "secret"]] });
    expect(await zeph.judge("find_path", { path: ".", pattern: "**/secret" })).toMatchObject({ verdict: "deny", gate: "sentinel" });
    expect(await zeph.judge("glob", { path: ".", pattern: "**/secret" })).toMatchObject({ verdict: "deny", gate: "sentinel" });
    await zeph.close();
    const spared = await opened({ trajectory_enabled: true, blocked_sequences: [["glob", "secret"]], allowlist: ["glob"] });
    expect(await spared.judge("find_path", { path: ".", pattern: "**/secret" })).toMatchObject({ verdict: "allow" });
    await spared.close();
  });
});

it("who only judges asks no embedder, and a call does", async () => {
  let posts = 0;
  const server = createServer((request, response) => {
    posts += 1;
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString());
      response.end(JSON.stringify({ data: input.map((_text: string, index: number) => ({ index, embedding: [1, 0] })) }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const provider = { name: "near", type: "ollama", base_url, model: "m", embedding_model: "e" };
  const zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    ...configured(
      { trajectory_enabled: true, block_risky_patterns: true },
      { audit: { path: join(place.state, "near.jsonl") }, llm: { providers: [provider] } },
    ),
  });
  await zeph.call("read", { path: "notes.txt" });
  await zeph.call("read", { path: "missing.txt" });
  for (let n = 0; n < 3; n++) await zeph.judge("read", { path: `other-${n}.txt` });
  await new Promise((done) => setTimeout(done, 50));
  expect(posts).toBe(0);
  // A call waits 300 ms for the embedder, and a busy machine may need longer to load it.
  await expect
    .poll(async () => {
      await zeph.call("read", { path: "notes.txt" });
      return posts;
    })
    .toBeGreaterThan(0);
  await zeph.close();
  server.close();
});

describe("a program", () => {
  it("is held to sequences of several calls too, until they are forgotten, and never to the meter", async () => {
    const governance = { trajectory_enabled: true, blocked_sequences: [["read", ".env", "write", "notes.txt"]] };
    const zeph = await createRuntime({
      cwd: place.work,
      store: "memory",
      ...configured(governance, { audit: { path: join(place.state, "program.jsonl") } }),
    });
    const write = () => zeph.call("write", { path: "notes.txt", content: "x" });
    expect(await write()).toMatchObject({ ok: true });
    await zeph.call("read", { path: ".env" });
    await zeph.call("read", { path: "notes.txt" });
    expect(await write()).toMatchObject({ ok: false, decision: { gate: "sentinel", rule: "blocked_sequences[0]" } });
    expect(await zeph.judge("write", { path: "notes.txt", content: "x" })).toMatchObject({ verdict: "deny", gate: "sentinel" });
    zeph.governance.forgetTrajectory();
    expect(await write()).toMatchObject({ ok: true });
    for (const url of ["https://page.example/", "https://out.example/"])
      expect(await zeph.call("fetch", { url })).toMatchObject({ error: { category: "network_error" } });
    await zeph.close();
  });
});
