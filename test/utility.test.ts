import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Prompt } from "../src/index.ts";
import { openStore } from "../src/store/open.ts";
import { agentIn, all, asks, done, illegal, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([
  { op: "file", path: "work/one.txt", content: "the first word\n" },
  { op: "file", path: "work/two.txt", content: "the second word\n" },
  { op: "file", path: "work/three.txt", content: "the third word\n" },
  { op: "file", path: "work/four.txt", content: "the fourth word\n" },
]);
afterAll(() => place.remove());

/** Nothing a model reads is worth that much. */
const harsh = { tools: { utility: { enabled: true, threshold: 10 } } };
const results = (history: Prompt["messages"]) => history.flatMap((message) => (message.role === "tool" ? [message.text] : []));

describe("a turn in which everything that can be skipped is skipped", () => {
  it("ends answered, with the file's content, when the model asks again", async () => {
    const model = modelSaying([asks("read", { path: "one.txt" })], [asks("read", { path: "one.txt" })], [says("It says: the first word.")]);
    const agent = await agentIn(place, model, { config: harsh });
    const events = await all(agent.send("What does it say?"));
    // Nobody refused anything: it could be had by asking again.
    expect(done(events)).toMatchObject({ why: "answered", totals: { calls: 2, denied: 0 } });
    const [skipped, read] = results(await agent.history());
    expect(skipped).toMatch(/category: policy_blocked\nerror: skipped: read \{"path":"one.txt".*ask for it again/);
    expect(read).toContain("the first word");
    expect(illegal(await agent.history())).toBeNull();
    await agent.close();
  });

  it("goes on when the model does not ask again: the third of them runs", async () => {
    const model = modelSaying(...["one", "two", "three"].map((name) => [asks("read", { path: `${name}.txt` })]), [says("done")]);
    const agent = await agentIn(place, model, { config: harsh });
    expect(done(await all(agent.send("Go on."))).why).toBe("answered");
    expect(results(await agent.history()).map((text) => text.includes("skipped:"))).toEqual([true, true, false]);
    await agent.close();
  });

  it("asks for many at once, and again for all of them", async () => {
    const round = () => ["one", "two", "three", "four"].map((name) => asks("read", { path: `${name}.txt` }));
    const model = modelSaying(round(), round(), [says("done")]);
    const agent = await agentIn(place, model, { config: harsh });
    expect(done(await all(agent.send("Go on."))).why).toBe("answered");
    // The third ran at once, because two before it were skipped.
    const said = results(await agent.history()).join("\n");
    for (const word of ["first", "second", "third", "fourth"]) expect(said).toContain(`the ${word} word`);
    await agent.close();
  });

  it("runs what the person named at once, and what does more than read", async () => {
    const model = modelSaying(
      [asks("read", { path: "two.txt" }), asks("write", { path: "new.txt", content: "x" }), asks("load_skill", { name: "none" })],
      [says("done")],
    );
    const agent = await agentIn(place, model, { config: harsh, confirm: () => "once" });
    await all(agent.send("What is in two.txt?"));
    expect(results(await agent.history()).join("\n")).not.toContain("skipped:");
    expect(readFileSync(join(place.work, "new.txt"), "utf8")).toBe("x");
    await agent.close();
  });
});

it("a skipped call is no failure: not of the tool, not of the model, and the model is not asked to reflect", async () => {
  const file = join(place.state, "reputation.db");
  const rounds = Array.from({ length: 16 }, (_, n) => [asks("read", { path: `${["one", "two", "three", "four"][n % 4]}.txt` })]);
  const agent = await agentIn(place, modelSaying(...rounds, [says("done")]), {
    store: file,
    config: { tools: { ...harsh.tools, anomaly: { failure_threshold: 0 } }, agent: { max_tool_iterations: 20 } },
  });
  const events = await all(agent.send("Go on."));
  const history = await agent.history();
  const skips = results(history).filter((text) => text.includes("skipped:"));
  expect(skips.length).toBeGreaterThan(2);
  expect([done(events).why, JSON.stringify(history).includes("[reflection]")]).toEqual(["answered", false]);
  expect(events.filter((event) => event.type === "warning")).toEqual([]);
  expect(agent.zeph.governance.gates().find(({ gate }) => gate === "anomaly")!.state).not.toMatch(/blocked|failing/);
  await agent.close();
  const store = openStore(file);
  expect((await store.reputation.get("test/model")).bad).toBe(0);
  await store.close();
});

it("a call that was skipped is in the audit log with its gate, rule and reason", async () => {
  const agent = await agentIn(place, modelSaying([asks("read", { path: "one.txt", offset: 1 })], [says("ok")]), { config: harsh });
  await all(agent.send("Go on."));
  await agent.close();
  const line = place
    .audit()
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text))
    .findLast(({ gate }) => gate === "utility");
  expect(line).toMatchObject({
    tool: "read",
    outcome: "denied",
    gate: "utility",
    rule: expect.stringMatching(/^score [\d.]+ < tools\.utility\.threshold = 10$/),
    error: expect.stringMatching(/^skipped: /),
  });
});

it("the gate is off unless it is switched on", async () => {
  const agent = await agentIn(place, modelSaying([asks("read", { path: "one.txt" })], [says("ok")]), { config: { tools: {} } });
  await all(agent.send("Go on."));
  expect(results(await agent.history())[0]).toContain("the first word");
  expect(agent.zeph.governance.gates().find(({ gate }) => gate === "utility")!.state).toBe("off");
  await agent.close();
});
