import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Message } from "../src/core/ports/model.ts";
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
    const command = "cat second.log; exit 3";
    const model = modelSaying([asks("bash", { command, background: true })], [says("started")], [says("heard")]);
    const agent = await agentIn(place, model, { config: open });
    await all(agent.send("go"));
    expect(agent.pending()).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const events = await all(agent.send("and?"));
    expect(events.find(({ type }) => type === "background")).toMatchObject({ command, exitCode: 3 });
    const [, told, last] = said(model.given.at(-1)!.messages);
    expect(told).toMatchObject({
      from: "background",
      text: expect.stringMatching(/^\[background complete\] run_id=[0-9a-f-]{36} exit_code=3\n/),
    });
    expect(told!.text).toContain("login with");
    expect(told!.text).not.toContain(token);
    expect(told!.text.split("\n").length).toBeLessThan(200);
    expect(last).toEqual({ role: "user", text: "and?" });
    expect(agent.pending()).toBe(0);
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("can be attended to without a word from the person", async () => {
    const model = modelSaying(
      [asks("bash", { command: "sleep 0.3; echo over", background: true })],
      [says("started")],
      [says("It is over.")],
    );
    const agent = await agentIn(place, model, { config: open });
    expect(await all(agent.attend())).toEqual([]);
    await all(agent.send("go"));
    expect(agent.pending()).toBe(1);
    const events = await all(agent.attend());
    expect(events.map(({ type }) => type)).toEqual(["turn_start", "background", "text", "done"]);
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
