import { describe, expect, it } from "vitest";
import type { Task } from "../../../src/core/ports/goal.ts";
import type { ScheduledTask, Store } from "../../../src/core/ports/store.ts";
import type { WithStore } from "./with-store.ts";

/** What every store must do with summaries, goals and tasks for later. */
export function describePlans(name: string, withStore: WithStore): void {
  describe(`${name}: summaries`, () => {
    const summary = { until: 4, text: "What was said", opening: "Go on", method: "manual" } as const;

    it(
      "are added, oldest first, and go with their conversation",
      withStore(async ({ conversations, summaries }) => {
        const [a, b] = [await conversations.create("/w", "a"), await conversations.create("/w", "b")];
        const first = await summaries.add({ conversation: a.id, ...summary });
        const second = await summaries.add({ conversation: a.id, ...summary, until: 9, method: "triggered", opening: "" });
        const other = await summaries.add({ conversation: b.id, ...summary, method: "autonomous" });
        expect(first).toEqual({ id: expect.any(String), conversation: a.id, createdAt: expect.any(Number), ...summary });
        expect(await summaries.of(a.id)).toEqual([first, second]);
        await conversations.delete(a.id);
        expect(await summaries.of(a.id)).toEqual([]);
        expect(await summaries.of(b.id)).toEqual([other]);
      }),
    );

    it(
      "of no conversation, or of no known method, are refused",
      withStore(async ({ conversations, summaries }) => {
        await expect(summaries.add({ conversation: "none", ...summary })).rejects.toThrow("no conversation none");
        const { id } = await conversations.create("/w", "a");
        await expect(summaries.add({ conversation: id, ...summary, method: "other" as "manual" })).rejects.toThrow();
        expect(await summaries.of(id)).toEqual([]);
      }),
    );
  });

  describe(`${name}: goals`, () => {
    const plan: readonly Task[] = [
      { n: 1, title: "Look", needs: [], status: "open" },
      { n: 2, title: "Build", needs: [1], status: "open", note: "carefully" },
      { n: 3, title: "Test", needs: [1, 2], status: "active" },
    ];

    it(
      "are kept with their tasks; one of a workspace is active, the one before is paused",
      withStore(async ({ goals }) => {
        const first = await goals.create({ workspace: "/w", text: "Ship", tasks: plan });
        expect(first).toMatchObject({ workspace: "/w", text: "Ship", status: "active", tasks: plan });
        const elsewhere = await goals.create({ workspace: "/other", text: "Other", tasks: [] });
        const second = await goals.create({ workspace: "/w", text: "Next", tasks: [] });
        expect(await goals.active("/w")).toEqual(second);
        expect(await goals.active("/other")).toEqual(elsewhere);
        expect(await goals.active("/none")).toBeNull();
        expect((await goals.get(first.id))!.status).toBe("paused");
        expect((await goals.list("/w", 10)).map(({ text }) => text)).toEqual(["Next", "Ship"]);
        expect(await goals.list("/w", 1)).toHaveLength(1);
        expect(await goals.get("none")).toBeNull();
      }),
    );

    it(
      "change status: to make one active pauses the other",
      withStore(async ({ goals }) => {
        const first = await goals.create({ workspace: "/w", text: "a", tasks: [] });
        const second = await goals.create({ workspace: "/w", text: "b", tasks: [] });
        expect(await goals.setStatus(first.id, "active")).toBe(true);
        expect((await goals.active("/w"))!.id).toBe(first.id);
        expect((await goals.get(second.id))!.status).toBe("paused");
        expect(await goals.setStatus(first.id, "active")).toBe(true);
        expect(await goals.setStatus(first.id, "done")).toBe(true);
        expect(await goals.active("/w")).toBeNull();
        expect(await goals.setStatus("none", "done")).toBe(false);
      }),
    );

    it(
      "have tasks that change one by one",
      withStore(async ({ goals }) => {
        const { id, updatedAt } = await goals.create({ workspace: "/w", text: "a", tasks: plan });
        expect(await goals.setTask(id, 1, { status: "done", note: "found it" })).toBe(true);
        expect(await goals.setTask(id, 2, { status: "failed" })).toBe(true);
        const goal = (await goals.get(id))!;
        expect(goal.tasks).toEqual([
          { ...plan[0], status: "done", note: "found it" },
          { n: 2, title: "Build", needs: [1], status: "failed" },
          plan[2],
        ]);
        expect(goal.updatedAt).toBeGreaterThan(updatedAt);
        expect(await goals.setTask(id, 9, { status: "done" })).toBe(false);
        expect(await goals.setTask("none", 1, { status: "done" })).toBe(false);
      }),
    );

    it.each([
      ["need each other", [{ needs: [2] }, { needs: [1] }], "need each other in a circle: 1, 2"],
      ["need themselves", [{ needs: [1] }], "circle: 1"],
      ["need what is not there", [{ needs: [2] }], "Task 1 needs task 2, which is not there"],
      ["need half a task", [{ needs: [] }, { needs: [0.5] }], "needs task 0.5"],
      ["have strange numbers", [{ n: 3, needs: [] }], "Task 3 stands in place 1"],
    ])("whose tasks %s are refused, and the active one stays active", (_what, tasks, why) =>
      withStore(async ({ goals }) => {
        const before = await goals.create({ workspace: "/w", text: "before", tasks: plan });
        const bad = tasks.map((task, index): Task => ({ n: index + 1, title: "t", status: "open", ...task }));
        await expect(goals.create({ workspace: "/w", text: "bad", tasks: bad })).rejects.toThrow(why);
        expect(await goals.active("/w")).toEqual(before);
        expect(await goals.list("/w", 5)).toHaveLength(1);
      })(),
    );
  });

  describe(`${name}: schedule`, () => {
    const task = { workspace: "/w", task: "Water the plants", when: "tomorrow", cron: null, nextAt: 1000, untrusted: false, bound: null };

    it(
      "keeps tasks, the soonest first, those that are over last",
      withStore(async ({ schedule }) => {
        const late = await schedule.add({ ...task, nextAt: 2000, cron: "* * * * *", untrusted: true });
        const soon = await schedule.add(task);
        const over = await schedule.add({ ...task, nextAt: null });
        const elsewhere = await schedule.add({ ...task, workspace: "/other", nextAt: 1 });
        expect(late).toEqual({
          ...task,
          id: expect.any(String),
          nextAt: 2000,
          cron: "* * * * *",
          untrusted: true,
          createdAt: expect.any(Number),
          last: null,
        });
        expect(await schedule.list("/w")).toEqual([soon, late, over]);
        expect(await schedule.list()).toEqual([elsewhere, soon, late, over]);
        expect(await schedule.get(soon.id)).toEqual(soon);
        expect(await schedule.get("none")).toBeNull();
        expect(await schedule.nextAt("/w")).toBe(1000);
        expect(await schedule.nextAt("/none")).toBeNull();
        expect(await schedule.remove(soon.id)).toBe(true);
        expect(await schedule.remove(soon.id)).toBe(false);
        expect(await schedule.nextAt("/w")).toBe(2000);
      }),
    );

    it(
      "hands out what is due, the longest due first, once for each time",
      withStore(async ({ schedule }) => {
        const again = await schedule.add({ ...task, nextAt: 500, cron: "x" });
        const once = await schedule.add({ ...task, nextAt: 400 });
        await schedule.add({ ...task, workspace: "/other", nextAt: 1 });
        const asked: (number | null)[] = [];
        const take = (now: number, next: number | null = null) =>
          schedule.take("/w", now, (due) => {
            asked.push(due.nextAt);
            return next;
          });
        expect(await take(399)).toBeNull();
        expect(await take(600)).toMatchObject({ id: once.id, nextAt: null });
        expect(await take(600, 900)).toMatchObject({ id: again.id, nextAt: 900 });
        expect(await take(600)).toBeNull();
        expect(await take(900, Number.NaN)).toMatchObject({ id: again.id, nextAt: null });
        expect(await take(1e15)).toBeNull();
        expect(asked).toEqual([400, 500, 900]);
      }),
    );

    it(
      "leaves a task due whose next time cannot be told",
      withStore(async ({ schedule }) => {
        await schedule.add(task);
        const broken = schedule.take("/w", 2000, () => {
          throw new Error("no such cron");
        });
        await expect(broken).rejects.toThrow("no such cron");
        expect(await schedule.nextAt("/w")).toBe(1000);
      }),
    );

    it(
      "remembers how the last time ended, and forgets a conversation that is gone",
      withStore(async ({ schedule, conversations }) => {
        const { id } = await schedule.add(task);
        const talk = await conversations.create("/w", "t");
        await schedule.ended(id, { at: 5, ok: true, conversation: talk.id });
        expect((await schedule.get(id))!.last).toEqual({ at: 5, ok: true, conversation: talk.id });
        await conversations.delete(talk.id);
        expect((await schedule.get(id))!.last).toEqual({ at: 5, ok: true });
        await schedule.ended(id, { at: 6, ok: false, conversation: "none" });
        expect((await schedule.get(id))!.last).toEqual({ at: 6, ok: false });
        await schedule.ended("none", { at: 6, ok: false });
      }),
    );
  });
}

/** Of two connections that take turns at taking, each due task goes to one. */
export async function sharedSchedule(one: Store, two: Store): Promise<void> {
  for (let n = 0; n < 40; n++)
    await one.schedule.add({ workspace: "/w", task: String(n), when: "now", cron: null, nextAt: n, untrusted: false, bound: null });
  const taken: ScheduledTask[] = [];
  const takeAll = async ({ schedule }: Store) => {
    for (let task = await schedule.take("/w", 100, () => null); task; task = await schedule.take("/w", 100, () => null)) taken.push(task);
  };
  await Promise.all([takeAll(one), takeAll(two), takeAll(one)]);
  expect(taken.map(({ task }) => Number(task)).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n));
}
