import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { agentIn, asks, modelSaying, says } from "../../../test/talking.ts";
import { workspace } from "../../../test/workspace.ts";
import type { Model } from "../../core/ports/model.ts";
import type { ScheduledTask } from "../../core/ports/store.ts";
import type { AgentOptions } from "./agent-types.ts";
import { taskRun } from "./scheduled-run.ts";

const NEVER = new AbortController().signal;
const TASK: ScheduledTask = {
  id: "1",
  workspace: "/w",
  task: "Water the plants",
  when: "every day at 8",
  cron: "0 8 * * *",
  nextAt: null,
  untrusted: false,
  bound: null,
  createdAt: 0,
  last: null,
};

async function agent(model: Model, options: AgentOptions & { config?: object } = {}) {
  const place = workspace();
  const made = await agentIn(place, model, options);
  onTestFinished(async () => {
    await made.close();
    place.remove();
  });
  return { ...made, work: place.work };
}

it("gives the task to a model in a conversation of its own, and its last words back", async () => {
  const model = modelSaying(
    [says("Let me see."), asks("list_directory", { path: "." })],
    [says("All "), says("watered.")],
    [says("Again.")],
  );
  const { runTask } = await agent(model);
  const first = await taskRun({ runTask })(TASK, NEVER);
  expect(first).toEqual({ ok: true, text: "All watered.", conversation: expect.stringMatching(/^[\w-]{36}$/) });
  expect(model.given[0]!.messages[0]).toMatchObject({
    role: "user",
    text: expect.stringMatching(/^\[scheduled\] .*"every day at 8".*\n\nWater the plants$/s),
  });
  const second = await taskRun({ runTask })(TASK, NEVER);
  expect(second.conversation).not.toBe(first.conversation);
  expect(model.given[2]!.messages).toHaveLength(1);
});

it("asks nobody, even if somebody is there: what needs a yes is refused", async () => {
  const asked: unknown[] = [];
  const confirm = (question: unknown) => {
    asked.push(question);
    return "once" as const;
  };
  const model = modelSaying([asks("write", { path: "a.txt", content: "x" })], [says("I could not.")]);
  const { runTask, work } = await agent(model, { confirm });
  expect(await taskRun({ runTask })(TASK, NEVER)).toMatchObject({
    ok: false,
    text: "I could not. (1 call was refused, because nobody could be asked or a rule forbids it)",
  });
  expect(asked).toEqual([]);
  expect(existsSync(join(work, "a.txt"))).toBe(false);
  expect(JSON.stringify(model.given[1]!.messages.at(-1))).toContain("confirmation_required");
});

it("what was asked for under a stranger's influence begins under it", async () => {
  const model = modelSaying(
    [asks("scheduler", { task: "again", when: "in 1 hour" })],
    [says("ok")],
    [asks("scheduler", { task: "clean", when: "in 2 hours" })],
    [says("ok")],
  );
  const place = workspace();
  const store = join(place.state, "store.db");
  const made = await agentIn(place, model, { store });
  onTestFinished(place.remove);
  await taskRun(made)({ ...TASK, untrusted: true }, NEVER);
  await taskRun(made)(TASK, NEVER);
  await made.close();
  const { openStore } = await import("../../store/open.ts");
  const kept = openStore(store);
  const tasks = await kept.schedule.list();
  await kept.close();
  // After a stranger's text a task for later needs a yes, and nobody is there to give it.
  expect(tasks.map(({ task, untrusted }) => [task, untrusted])).toEqual([["clean", false]]);
});

it("a turn that does not come to an answer is a failure", async () => {
  const model = modelSaying(async function* () {
    yield says("I ");
    throw new Error("The line is dead.");
  });
  const { runTask } = await agent(model, { config: { tools: { retry: { max_attempts: 1 } } } });
  expect(await taskRun({ runTask })(TASK, NEVER)).toMatchObject({ ok: false, text: expect.stringContaining("The line is dead.") });
});

it("is stopped by its signal", async () => {
  const stop = new AbortController();
  const model = modelSaying(async function* (_prompt, signal) {
    yield says("I wait");
    stop.abort();
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  });
  const { runTask } = await agent(model);
  expect(await taskRun({ runTask })(TASK, stop.signal)).toMatchObject({ ok: false });
});

it("ends with the agent: who closes it waits for nothing that goes on", async () => {
  let stopped = false;
  const model = modelSaying(async function* (_prompt, signal) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    stopped = true;
    yield says("too late");
  });
  const made = await agent(model);
  const running = taskRun(made)(TASK, NEVER);
  while (model.given.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await made.close();
  expect(stopped).toBe(true);
  expect(await running).toMatchObject({ ok: false });
});
