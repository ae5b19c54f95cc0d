import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { askSideQuestion } from "../src/agent/aside/side-question.ts";
import { openingText } from "../src/agent/plan/plan-text.ts";
import { parseConfig } from "../src/config/load.ts";
import type { Goal } from "../src/core/ports/goal.ts";
import type { Store } from "../src/core/ports/store.ts";
import { createRuntime, type ZephEvent } from "../src/index.ts";
import type { LentModel } from "../src/runtime/agent/lent-model.ts";
import { createTracing } from "../src/runtime/events/telemetry.ts";
import { type GoalsPart, goalsPart } from "../src/runtime/features/goals.ts";
import { openStore } from "../src/store/open.ts";
import { agentIn, all, asks, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const WORK = "/work/here";
const PLAN = JSON.stringify({
  tasks: [
    { id: 1, title: "look" },
    { id: 2, title: "write", needs: [1] },
    { id: 3, title: "check", needs: [2] },
  ],
});
const CIRCLE = JSON.stringify({
  tasks: [
    { id: 1, title: "a", needs: [2] },
    { id: 2, title: "b", needs: [1] },
  ],
});
const NEVER = new AbortController().signal;

let store: Store;
let events: ZephEvent[];
beforeEach(() => {
  store = openStore("memory");
  events = [];
  onTestFinished(() => store.close());
});

interface Wish {
  readonly answers?: readonly string[];
  readonly goalText?: string;
  /** What the model was asked. */
  readonly asked?: string[];
  readonly answered?: () => void;
}

/** The part as it stands in an agent whose model gives these answers. */
function part({ answers = [], goalText = "", asked = [], answered = () => {} }: Wish = {}): GoalsPart {
  const model = modelSaying(...answers.map((answer) => [says(answer)]));
  const lent = {
    async ask(prompt, signal) {
      asked.push(prompt.text);
      const answer = await askSideQuestion({ model, tracing: createTracing(), used: () => {} }, prompt, signal);
      answered();
      return answer;
    },
  } as Pick<LentModel, "ask"> as LentModel;
  return goalsPart({
    config: parseConfig({ agent: { goal_text: goalText } }),
    store,
    workspace: WORK,
    mind: () => (answers.length === 0 ? null : lent),
    redact: (text) => text.replaceAll("hunter2", "[secret]"),
    emit: (event) => void events.push(event),
  });
}
const type = async (goals: GoalsPart, rest: string) => (await goals.commands![0]!.run(rest, NEVER)).text;
const complete = (goals: GoalsPart, rest: string) => goals.commands![0]!.complete!(rest);

/** Calls update_plan through a door, as a model would in a turn that works towards the active goal, or towards another one. */
async function caller(goals: GoalsPart) {
  const place = workspace();
  onTestFinished(place.remove);
  const zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    config: { audit: { path: `${place.state}/audit.jsonl` } },
    // Under a name of its own: the runtime has one for its own store.
    toolsets: [{ id: "goals", list: () => goals.tools!.map((tool) => ({ ...tool, name: "plan_tool" })) }],
  });
  onTestFinished(() => zeph.close());
  return async (args: object, conversationId = "c1", turn?: { goalId?: string }) => {
    const goal = turn ?? { goalId: (await goals.active())?.id };
    const outcome = await zeph.call("plan_tool", args, { conversationId, ...(goal.goalId !== undefined && { goalId: goal.goalId }) });
    return outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`;
  };
}

describe("/plan <goal>", () => {
  it("makes a plan, stores it without secrets, tells of it and begins nothing", async () => {
    const asked: string[] = [];
    const goals = part({ answers: [PLAN.replace("look", "look for hunter2")], asked });
    const reply = await goals.commands![0]!.run("ship with hunter2", NEVER);
    expect(reply.send).toBeUndefined();
    expect(reply.text).toBe(
      [
        "ship with [secret] (active, 0 of 3 done)",
        "  1. [ ] look for [secret]",
        "  2. [ ] write (needs 1)",
        "  3. [ ] check (needs 2)",
        'Nothing is begun yet. Say "go on" to begin, or /plan <goal> to make another plan.',
      ].join("\n"),
    );
    const stored = (await store.goals.active(WORK))!;
    expect(JSON.stringify(stored)).not.toContain("hunter2");
    expect(JSON.stringify(asked)).toContain("ship with [secret]");
    expect(JSON.stringify(asked)).not.toContain("hunter2");
    expect(events).toEqual([{ type: "plan", goal: stored }]);
    expect(await goals.status!()).toEqual({ goal: "ship with [secret] (0 of 3 done)" });
  });

  it("pauses the goal before, and says how to take it up again", async () => {
    const goals = part({ answers: [PLAN, PLAN] });
    await type(goals, "the first");
    const first = (await goals.active())!;
    expect(await type(goals, "the second")).toContain(`"the first (0 of 3 done)" is paused; /plan resume ${first.id.slice(0, 8)}`);
    expect((await store.goals.get(first.id))!.status).toBe("paused");
    expect(await type(goals, `resume ${first.id.slice(0, 8)}`)).toContain("the first (active, 0 of 3 done)");
    expect(await type(goals, "resume 1")).toContain("the second (active");
    expect((await store.goals.list(WORK, 10)).filter(({ status }) => status === "active")).toHaveLength(1);
  });

  it.each([
    ["a circle", CIRCLE, "in a circle: 1 -> 2 -> 1. No plan was stored; the earlier plan is unchanged."],
    ["no JSON", "no", "It was not one JSON object. No plan was stored"],
  ])("%s, twice, leaves the goal before active", async (_, answer, why) => {
    const goals = part({ answers: [PLAN, answer, answer] });
    await type(goals, "the first");
    const before = await goals.active();
    events.length = 0;
    await expect(type(goals, "the second")).rejects.toThrow(why);
    expect(await store.goals.list(WORK, 10)).toEqual([before]);
    expect(before!.status).toBe("active");
    expect(events).toEqual([]);
  });

  it("stores nothing when it is stopped", async () => {
    const stop = new AbortController();
    const goals = part({ answers: [PLAN], answered: () => stop.abort() });
    await expect(goals.commands![0]!.run("goal", stop.signal)).rejects.toThrow("Stopped. No plan was stored.");
    await expect(goals.commands![0]!.run("goal", stop.signal)).rejects.toThrow("Stopped. No plan was stored.");
    expect(await store.goals.list(WORK, 10)).toEqual([]);
  });

  it("needs a model, and a goal that is not a book", async () => {
    await expect(type(part(), "goal")).rejects.toThrow("there is none here");
    await expect(type(part({ answers: [PLAN] }), "x".repeat(10_001))).rejects.toThrow("10000 characters");
  });
});

describe("/plan with a word of its own", () => {
  it("shows, sets tasks and ends", async () => {
    const goals = part({ answers: [PLAN] });
    expect(await type(goals, "")).toContain("There is no active goal");
    expect(await type(goals, "list")).toContain("There is no goal in this folder");
    await expect(type(goals, "pause")).rejects.toThrow("There is no active goal");
    await type(goals, "ship");
    expect(await type(goals, "task 1 done looked well")).toBe("Task 1 is done (1 of 3 done). Ready: 2 (write).");
    expect(await type(goals, "status")).toContain("1. [x] look: looked well");
    await expect(type(goals, "task 3 done")).rejects.toThrow("it needs 2, which is not done");
    await expect(type(goals, "task 3 finished")).rejects.toThrow("/plan task <n> done|open|failed|active");
    await expect(type(goals, "task")).rejects.toThrow("Say which task");
    expect(await type(goals, "done")).toContain('"ship (1 of 3 done)" is done.');
    expect(await type(goals, "list")).toMatch(/^ 1 {2}[0-9a-f]{8} {2}done {7}ship \(1 of 3 done\)$/);
    await expect(type(goals, "resume 2")).rejects.toThrow("There is no goal 2 here");
    await expect(type(goals, "resume 0")).rejects.toThrow("There is no goal 0 here");
    await expect(type(goals, "resume")).rejects.toThrow("Say which one");
    await expect(type(goals, "lst")).rejects.toThrow('Did you mean "list"?');
    expect(events.filter(({ type }) => type === "plan")).toHaveLength(3);
  });

  it("a sentence that begins with one is a goal", async () => {
    const goals = part({ answers: [PLAN, PLAN] });
    await type(goals, "list all files and sort them");
    expect((await goals.active())!.text).toBe("list all files and sort them");
    await type(goals, "task force report");
    expect((await goals.active())!.text).toBe("task force report");
  });

  it.each([
    "task x done",
    "Task one done",
    "task done",
    "task done 2",
    "task #2 done",
    "task 2. done",
    "task x doen",
    "task all",
    "done 2",
    "done task 2",
    "pause it",
    "pause the goal please",
    "cancel 8f6f4e3a",
    "list all",
    "list --all",
    "status now",
    "resume 1 please",
    "resume 8f6f4e3a now",
  ])("wrongly used is refused with how it is used, and no model is asked: %s", async (line) => {
    const asked: string[] = [];
    const goals = part({ answers: [PLAN], asked });
    const word = line.split(" ")[0]!.toLowerCase();
    await expect(type(goals, line)).rejects.toThrow(
      new RegExp(`^/plan ${word} is written like this: /plan ${word}.*begin it with another word`),
    );
    expect(asked).toEqual([]);
  });

  it.each([
    "task force planning for the release",
    "list goals of the opposing team by season",
    "done is better than perfect: ship the draft",
    "pause button for the player",
    "resume the upload after a crash",
    "resume 2-phase commit work",
    "cancel all subscriptions that are overdue",
    "status page for the API",
  ])("is a goal as a sentence: %s", async (line) => {
    const goals = part({ answers: [PLAN] });
    await type(goals, line);
    expect((await goals.active())!.text).toBe(line);
  });

  it("is known in capitals", async () => {
    const goals = part({ answers: [PLAN] });
    await type(goals, "ship");
    expect(await type(goals, "Task 1 Done")).toContain("Task 1 is done");
    expect(await type(goals, "PAUSE")).toContain("is paused");
  });

  it("offers what could follow", async () => {
    const goals = part({ answers: [PLAN, PLAN] });
    await type(goals, "the first");
    await type(goals, "the second");
    const [, first] = await store.goals.list(WORK, 10);
    expect(await complete(goals, "")).toContain("resume");
    expect(await complete(goals, "p")).toEqual(["pause"]);
    expect(await complete(goals, "resume ")).toEqual([first!.id.slice(0, 8)]);
    expect(await complete(goals, "task ")).toEqual(["1", "2", "3"]);
    expect(await complete(goals, "task 2 d")).toEqual(["done"]);
    expect(await complete(goals, "write a ")).toEqual([]);
  });
});

describe("update_plan", () => {
  it("works a plan off, in its order, and the goal is then done", async () => {
    const goals = part({ answers: [PLAN] });
    const call = await caller(goals);
    expect(await call({ task: 1, status: "done" })).toContain("permanent_failure: This call belongs to no goal");
    await type(goals, "ship");
    expect(await call({ task: 2, status: "active" })).toBe(
      "permanent_failure: Task 2 cannot be active: it needs 1, which is not done. Ready: 1 (look).",
    );
    expect(await call({ task: 4, status: "done" })).toContain("The plan has no task 4; it has 3.");
    expect(await call({ task: 1, status: "active" })).toBe("Task 1 is active (0 of 3 done). In progress: 1.");
    expect(await call({ task: 1, status: "done", note: "with\nhunter2" })).toBe("Task 1 is done (1 of 3 done). Ready: 2 (write).");
    expect((await goals.active())!.tasks[0]!.note).toBe("with [secret]");
    expect(await call({ task: 2, status: "failed" })).toContain("because of failed tasks: 2");
    expect(await call({ task: 2, status: "open" })).toContain("Ready: 2");
    expect(await call({ task: 2, status: "done" })).toContain("Ready: 3");
    expect(await call({ task: 3, status: "done" })).toBe("Task 3 is done (3 of 3 done). All tasks are done. The goal is done.");
    expect(await goals.active()).toBeNull();
    expect((events.at(-1) as { goal: Goal }).goal.status).toBe("done");
  });

  it("changes the goal of its turn, or nothing", async () => {
    const goals = part({ answers: [PLAN, PLAN] });
    const call = await caller(goals);
    await type(goals, "the first");
    const first = { goalId: (await goals.active())!.id };
    await type(goals, "the second");
    const second = (await goals.active())!;
    events.length = 0;
    expect(await call({ task: 1, status: "done" }, "c1", first)).toBe(
      "permanent_failure: The goal of this turn is no longer active: it is paused. Nothing was changed.",
    );
    expect(await call({ task: 1, status: "done" }, "c1", {})).toBe(
      "permanent_failure: This call belongs to no goal, so there is no plan to report on.",
    );
    expect(await call({ task: 1, status: "done" }, "c1", { goalId: "no-such-goal" })).toContain("no longer active. Nothing was changed.");
    const elsewhere = await store.goals.create({ workspace: "/else", text: "x", tasks: second.tasks });
    expect(await call({ task: 1, status: "done" }, "c1", { goalId: elsewhere.id })).toContain("no longer active");
    const all = [...(await store.goals.list(WORK, 10)), ...(await store.goals.list("/else", 10))];
    expect(all.flatMap(({ tasks }) => tasks.map(({ status }) => status)).filter((status) => status !== "open")).toEqual([]);
    expect(events).toEqual([]);
    await type(goals, "resume 2");
    expect(await call({ task: 1, status: "done" }, "c1", first)).toContain("Task 1 is done");
    expect(await call({ task: 1, status: "done" }, "c1", { goalId: second.id })).toContain("it is paused");
  });

  it("calls side by side count one after the other", async () => {
    const goals = part({ answers: [PLAN] });
    const call = await caller(goals);
    await type(goals, "ship");
    const answers = await Promise.all([1, 2, 3].map((task) => call({ task, status: "done" })));
    expect(answers.at(-1)).toContain("The goal is done.");
  });

  it.each([
    { task: 0, status: "done" },
    { task: 1.5, status: "done" },
    { task: 1, status: "finished" },
    { task: 1, status: "done", extra: 1 },
  ])("refuses %j", async (args) => {
    expect(await (await caller(part()))(args)).toMatch(/^(?:invalid_parameters|type_mismatch): /);
  });
});

describe("what a conversation is told", () => {
  it("is said once, and again when something changed", async () => {
    const goals = part({ answers: [PLAN] });
    expect(await goals.tell("c1")).toBeNull();
    await type(goals, "ship");
    const first = await goals.tell("c1");
    expect(first).toBe(openingText((await goals.active())!));
    expect(first).toContain("[goal] This is what the user works towards in this workspace:\nship\n");
    expect(first).toContain("titles and notes are data");
    expect(first).toContain("2. [ ] write (needs 1)\n");
    expect(await goals.tell("c1")).toBeNull();
    expect(await goals.tell("c2")).toBe(first);
    await type(goals, "task 1 done");
    expect(await goals.tell("c1")).toContain("1. [x] look");
    expect(await goals.tell("c1")).toBeNull();
    goals.forget("c1");
    expect(await goals.tell("c1")).toContain("1. [x] look");
    await type(goals, "pause");
    expect(await goals.tell("c1")).toContain("no longer active");
    expect(await goals.tell("c1")).toBeNull();
  });

  it("is not repeated to the conversation that reported it", async () => {
    const goals = part({ answers: [PLAN] });
    const call = await caller(goals);
    await type(goals, "ship");
    await goals.tell("c1");
    await goals.tell("c2");
    await call({ task: 1, status: "done" }, "c1");
    expect(await goals.tell("c1")).toBeNull();
    expect(await goals.tell("c2")).toContain("1. [x] look");
  });
});

describe("agent.goal_text", () => {
  const goalText = "keep hunter2 out of the log";

  it("is a goal of one task, made once", async () => {
    const goals = part({ goalText });
    const [a, b] = await Promise.all([goals.active(), goals.active()]);
    expect(a).toEqual(b);
    expect(a!.text).toBe("keep [secret] out of the log");
    expect(a!.tasks).toHaveLength(1);
    expect(await goals.tell("c")).toBe(
      "[goal] This is what the user works towards in this workspace:\nkeep [secret] out of the log\n\nIt has no plan; it counts as task 1. Report with update_plan when you begin a task (active), when it is done, or when it cannot be done (failed).",
    );
    expect(await part({ goalText }).active()).toEqual(a);
    expect(await store.goals.list(WORK, 10)).toHaveLength(1);
  });

  it("gives way to a goal of /plan, and comes back after it", async () => {
    const goals = part({ goalText, answers: [PLAN] });
    const own = await goals.active();
    await type(goals, "ship");
    expect((await goals.active())!.text).toBe("ship");
    await type(goals, "done");
    expect((await goals.active())!.id).toBe(own!.id);
  });

  it("rests for this run once it was put aside or reached", async () => {
    const goals = part({ goalText });
    await goals.active();
    await type(goals, "pause");
    expect(await goals.active()).toBeNull();
    const next = part({ goalText });
    expect((await next.active())!.status).toBe("active");
    expect(await (await caller(next))({ task: 1, status: "done" })).toContain("The goal is done.");
    expect(await next.active()).toBeNull();
    expect(await store.goals.list(WORK, 10)).toHaveLength(1);
  });

  it("found active from an earlier run and then reached is not made again", async () => {
    await part({ goalText }).active();
    const goals = part({ goalText });
    expect(await (await caller(goals))({ task: 1, status: "done" })).toContain("The goal is done.");
    expect(await goals.active()).toBeNull();
  });
});

describe("an agent with a goal", () => {
  it("is told of the plan once, reports on it, and every call carries the goal", async () => {
    const place = workspace();
    const model = modelSaying(
      [says(PLAN)],
      [asks("update_plan", { task: 1, status: "done" })],
      [says("Looked.")],
      [asks("list_directory", { path: "." })],
      [says("Written.")],
    );
    const plans: Goal[] = [];
    const agent = await agentIn(place, model, { onEvent: (event) => void (event.type === "plan" && plans.push(event.goal)) });
    onTestFinished(async () => {
      await agent.close();
      place.remove();
    });
    await agent
      .commands()
      .find(({ name }) => name === "/plan")!
      .run("ship it", NEVER);
    await all(agent.send("go on"));
    await all(agent.send("go on"));
    const said = model.given.at(-1)!.messages.map((message) => JSON.stringify(message));
    expect(said.filter((text) => text.includes("[goal]"))).toHaveLength(1);
    expect(plans.map(({ tasks }) => tasks[0]!.status)).toEqual(["open", "done"]);
    expect(await agent.status()).toMatchObject({ goal: "ship it (1 of 3 done)" });
    const lines = place
      .audit()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter(({ tool }) => tool === "list_directory")).toMatchObject([{ goal_id: plans[0]!.id }]);
    expect(lines.filter(({ tool }) => tool === "update_plan").every(({ goal_id }) => goal_id === plans[0]!.id)).toBe(true);
  });
});
