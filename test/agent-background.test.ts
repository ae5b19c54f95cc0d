import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { eventJson } from "../src/core/event-json.ts";
import type { Message } from "../src/core/ports/model.ts";
import { type AuditEntry, createAgent, createRuntime, type RuntimeOptions, type ZephEvent } from "../src/index.ts";
import { agentIn, all, asks, done, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const log = (word: string) =>
  Array.from(
    { length: 300 },
    (_, n) => `2026-01-01T12:00:${String(n % 60).padStart(2, "0")}Z INFO ${word} request ${n} done in ${n} ms\n`,
  ).join("");
const token = `ghp_${"a1B2".repeat(9)}`;
const place = workspace([
  { op: "file", path: "work/first.log", content: log("first") },
  { op: "file", path: "work/second.log", content: `${log("second")}2026-01-01T12:09:00Z ERROR login with ${token} failed\n` },
]);
afterAll(() => place.remove());
const open = { tools: { sandbox: { enabled: false }, permissions: { bash: [{ pattern: "*", action: "allow" }] } } };

const said = (messages: readonly Message[]) => messages.flatMap((m) => (m.role === "user" ? [m] : []));

describe("background commands", () => {
  it("are told of at the start of the next turn, filtered like any other", async () => {
    const command = "until [ -e first-on ]; do sleep 0.1; done; cat second.log; exit 3";
    const model = modelSaying([asks("bash", { command, background: true })], [says("started")], [says("heard")]);
    const agent = await agentIn(place, model, { config: open });
    await all(agent.send("go"));
    expect(agent.pending()).toBe(1);
    writeFileSync(join(place.work, "first-on"), "");
    await expect.poll(() => agent.runs()[0]?.state).toBe("ended");
    const events = await all(agent.send("and?"));
    expect(events.find(({ type }) => type === "background")).toMatchObject({ command, exitCode: 3 });
    const [, told, last] = said(model.given.at(-1)!.messages);
    expect(told).toMatchObject({
      from: "background",
      text: expect.stringMatching(/^\[background complete\] run_id=bg\d+ exit_code=3\n/),
    });
    expect(told!.text).toContain("login with");
    expect(told!.text).not.toContain(token);
    expect(told!.text.split("\n").length).toBeLessThan(200);
    expect(last).toEqual({ role: "user", text: "and?" });
    expect(agent.pending()).toBe(0);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("are told of with the next request of the same turn, when they have ended", async () => {
    const command = "until [ -e same-turn ]; do sleep 0.05; done; echo over";
    const model = modelSaying(
      [asks("bash", { command, background: true })],
      [asks("bash", { command: "touch same-turn; until [ -e seen ]; do sleep 0.05; done" })],
      [says("heard")],
    );
    const agent = await agentIn(place, model, { config: open });
    const going = all(agent.send("go"));
    await expect.poll(() => agent.runs()[0]?.state, { timeout: 20_000 }).toBe("ended");
    writeFileSync(join(place.work, "seen"), "");
    await going;
    expect(said(model.given.at(-1)!.messages).at(-1)).toMatchObject({
      from: "background",
      text: expect.stringMatching(/^\[background complete\] run_id=bg\d+ exit_code=0\nover/),
    });
    expect(agent.pending()).toBe(0);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("can be attended to without a word from the person", async () => {
    const model = modelSaying(
      [asks("bash", { command: "until [ -e on ]; do sleep 0.1; done; echo over", background: true })],
      [says("started")],
      [says("It is over.")],
    );
    const agent = await agentIn(place, model, { config: open });
    expect(await all(agent.attend())).toEqual([]);
    await all(agent.send("go"));
    expect(agent.pending()).toBe(1);
    const attending = all(agent.attend());
    writeFileSync(join(place.work, "on"), "");
    const events = await attending;
    expect(events.map(({ type }) => type)).toEqual(["run_end", "turn_start", "background", "text", "done"]);
    expect(said(model.given.at(-1)!.messages).at(-1)!.text).toContain("over");
    await agent.close();
  });

  it("are no loop when a model waits for them", async () => {
    const wait = () => asks("background", { action: "list" });
    const model = modelSaying([asks("bash", { command: "sleep 30", background: true })], ...Array.from({ length: 5 }, () => [wait()]), [
      says("enough"),
    ]);
    const agent = await agentIn(place, model, { config: open });
    expect(done(await all(agent.send("go"))).why).toBe("answered");
    await agent.close();
  });
});

describe("the list of background commands", () => {
  const idle = { config: open };
  const started = (...commands: string[]) =>
    modelSaying(...commands.map((command) => [asks("bash", { command, background: true })]), [says("started")], [says("heard")]);

  it("tells what runs and how the others ended, and an event comes for each start and end", async () => {
    const events: ZephEvent[] = [];
    const agent = await agentIn(place, started("exit 3", "sleep 600"), { ...idle, onEvent: (event) => events.push(event) });
    await all(agent.send("go"));
    await vi.waitFor(() => expect(agent.runs()[0]).toMatchObject({ command: "exit 3", state: "ended", exitCode: 3 }), 60_000);
    const [short, long] = agent.runs();
    expect(short!.until).toBeGreaterThanOrEqual(short!.since);
    expect(long).toEqual({ id: expect.any(String), command: "sleep 600", since: expect.any(Number), state: "running" });
    const told = events.flatMap((event) => (event.type === "run_start" || event.type === "run_end" ? [[event.type, event.run.id]] : []));
    expect(told.filter(([type]) => type === "run_start")).toEqual([
      ["run_start", short!.id],
      ["run_start", long!.id],
    ]);
    expect(told.filter(([type]) => type === "run_end")).toEqual([["run_end", short!.id]]);
    expect(eventJson(events.find(({ type }) => type === "run_end")!)).toMatchObject({ run_id: short!.id, state: "ended", exit_code: 3 });
    await agent.close();
  });

  it("lets the person end one, which the log and the model are told", async () => {
    const audit: AuditEntry[] = [];
    const model = started("sleep 600");
    const agent = await agentIn(place, model, { ...idle, audit: (entry) => void audit.push(entry) });
    await all(agent.send("go"));
    const command = agent.commands().find(({ name }) => name === "/background")!;
    const never = new AbortController().signal;
    expect((await command.run("", never)).text).toMatch(/^1 {2}sleep 600 {2}runs for \d+ s$/);
    expect(await command.complete!("kill ")).toEqual(["1"]);
    await expect(command.run("kill 2", never)).rejects.toThrow("There is no background command 2.");
    expect((await command.run("kill 1", never)).text).toMatch(/^1 {2}sleep 600 {2}was ended, exit 130, after \d+ s$/);
    await expect(command.run("kill 1", never)).rejects.toThrow("1 has ended already.");
    await expect(agent.endRun("nothing")).rejects.toThrow("There is no background run nothing.");
    const [run] = agent.runs();
    expect(run).toMatchObject({ state: "killed", exitCode: 130 });
    expect(audit.filter(({ kind }) => kind === "note").map(({ note }) => note)).toContain(
      `the person ended the background command ${run!.id}`,
    );
    await all(agent.send("and?"));
    expect(said(model.given.at(-1)!.messages)[1]!.text).toContain(`run_id=${run!.id} exit_code=130`);
    await agent.close();
  });

  it("shows an agent over a shared runtime only its own", async () => {
    const config = { ...open, audit: { path: join(place.state, "shared.jsonl") } };
    const runtime = await createRuntime({ cwd: place.work, store: "memory", config } as RuntimeOptions);
    const one = await createAgent({ runtime, model: started("sleep 600") });
    const other = await createAgent({ runtime, model: started("sleep 601") });
    await all(one.send("go"));
    await all(other.send("go"));
    expect([one.runs(), other.runs()].map((runs) => runs.map(({ command }) => command))).toEqual([["sleep 600"], ["sleep 601"]]);
    await expect(other.endRun(one.runs()[0]!.id)).rejects.toThrow("There is no background run");
    await runtime.close();
  });
});

describe("what is kept for a conversation", () => {
  it("is found again when it is resumed, and new handles do not hide old ones", async () => {
    const store = join(place.state, "kept.db");
    const noisy = (word: string) => asks("bash", { command: `cat ${word}.log` });
    const first = await agentIn(place, modelSaying([noisy("first")], [says("ok")]), { store, config: open });
    await all(first.send("go"));
    await first.close();
    const look = (id: string) => asks("read_overflow", { id, lines: "1-1" });
    const model = modelSaying([noisy("second")], [look("raw#1"), look("raw#2")], [says("ok")]);
    const second = await agentIn(place, model, { store, config: open, conversation: "last" });
    await all(second.send("again"));
    const texts = (await second.history()).flatMap((m) => (m.role === "tool" ? [m.text] : [])).slice(-2);
    expect(texts[0]).toContain("INFO first");
    expect(texts[1]).toContain("INFO second");
    await second.close();
  });
});
