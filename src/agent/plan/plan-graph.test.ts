import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messageOf } from "../../../test/scratch.ts";
import type { Task } from "../../core/ports/goal.ts";
import { oneLine } from "../../text/visible.ts";
import { isFinished, LONGEST_TITLE, MOST_TASKS, readyTasks, tasksOf } from "./plan-graph.ts";

interface Given {
  readonly id: number;
  readonly title: string;
  readonly needs: readonly number[];
}
/** Each task needs some of those before it, and then all are shuffled. */
const graphs = fc
  .integer({ min: 1, max: MOST_TASKS })
  .chain((size) =>
    fc.tuple(
      ...Array.from({ length: size }, (_, at) =>
        fc.subarray(
          Array.from({ length: at }, (_, n) => n + 1),
          { maxLength: Math.min(5, at) },
        ),
      ),
    ),
  )
  .chain((needs) => {
    const tasks = needs.map((list, at): Given => ({ id: at + 1, title: `task ${at + 1}`, needs: list }));
    return fc.shuffledSubarray(tasks, { minLength: tasks.length });
  });

describe("a plan that is accepted", () => {
  it("can be worked off in its order, and by taking any task that is ready", () => {
    fc.assert(
      fc.property(graphs, fc.infiniteStream(fc.nat()), (given, choice) => {
        const tasks = tasksOf({ tasks: given });
        for (const { n, needs } of tasks) expect(needs.every((need) => need < n)).toBe(true);
        let left: readonly Task[] = tasks;
        for (let step = 0; step < tasks.length; step++) {
          const ready = readyTasks(left);
          expect(ready.length).toBeGreaterThan(0);
          const { n } = ready[(choice.next().value as number) % ready.length]!;
          expect(isFinished(left)).toBe(false);
          left = left.map((task) => (task.n === n ? { ...task, status: "done" } : task));
        }
        expect(isFinished(left)).toBe(true);
      }),
    );
  });

  it("keeps every task and every need", () => {
    fc.assert(
      fc.property(graphs, (given) => {
        const tasks = tasksOf({ tasks: given });
        const pairs = (list: readonly { title: string; needs: readonly string[] }[]) =>
          list.flatMap(({ title, needs }) => [title, ...needs.map((need) => `${title} < ${need}`)]).sort();
        const titleOf = (n: number) => tasks[n - 1]!.title;
        expect(pairs(tasks.map(({ title, needs }) => ({ title, needs: needs.map(titleOf) })))).toEqual(
          pairs(given.map(({ title, needs }) => ({ title, needs: needs.map((id) => `task ${id}`) }))),
        );
      }),
    );
  });

  it("stays as it was listed where nothing speaks against it", () => {
    const tasks = tasksOf({
      tasks: [
        { id: "b", title: "B", needs: ["a"] },
        { id: "c", title: "C" },
        { id: "a", title: "A", needs: [] },
      ],
    });
    expect(tasks.map(({ n, title, needs }) => [n, title, needs])).toEqual([
      [1, "C", []],
      [2, "A", []],
      [3, "B", [2]],
    ]);
  });
});

describe("a plan that is refused", () => {
  it("every circle is found, and the message walks along it", () => {
    fc.assert(
      fc.property(graphs, fc.nat(), fc.integer({ min: 2, max: 6 }), (given, from, length) => {
        fc.pre(given.length >= length);
        const ring = Array.from({ length }, (_, at) => given[(from + at) % given.length]!.id);
        const needed = new Map(ring.map((id, at) => [id, ring[(at + 1) % length]!]));
        const tasks = given.map((task) => (needed.has(task.id) ? { ...task, needs: [...task.needs, needed.get(task.id)!] } : task));
        const message = messageOf(() => tasksOf({ tasks }));
        const path = /in a circle: ([\d >-]+)\.$/.exec(message)![1]!.split(" -> ").map(Number);
        expect(path.at(0)).toBe(path.at(-1));
        expect(path.length).toBeGreaterThan(2);
        for (let at = 0; at + 1 < path.length; at++) expect(tasks.find(({ id }) => id === path[at])!.needs).toContain(path[at + 1]);
      }),
    );
  });

  it("names the circle", () => {
    const plan = {
      tasks: [
        { id: 1, title: "a" },
        { id: 3, title: "b", needs: [1, 5] },
        { id: 5, title: "c", needs: [3] },
        { id: 7, title: "d", needs: [5] },
      ],
    };
    expect(messageOf(() => tasksOf(plan))).toBe("The tasks need each other in a circle: 3 -> 5 -> 3.");
  });

  it.each([
    [null, 'a list "tasks"'],
    [{}, 'a list "tasks"'],
    [{ tasks: [] }, 'a list "tasks"'],
    [{ tasks: [1] }, "tasks[0] must be an object"],
    [{ tasks: [{ id: 1 }] }, "tasks[0] has no title"],
    [{ tasks: [{ id: 1, title: " \n " }] }, "tasks[0] has no title"],
    [{ tasks: [{ id: 1, title: "a", needs: 1 }] }, "must be a list of ids"],
    [{ tasks: [{ id: 1, title: "a", needs: [null] }] }, "an id must be a number"],
    [{ tasks: [{ id: "x".repeat(30), title: "a" }] }, "an id must be a number"],
    [{ tasks: [{ id: 1, title: "a", needs: [1] }] }, "Task 1 needs itself"],
    [{ tasks: [{ id: 1, title: "a", needs: [2] }] }, "Task 1 needs task 2, which is not there"],
    [
      {
        tasks: [
          { id: 1, title: "a" },
          { id: "1", title: "b" },
        ],
      },
      "The id 1 is there twice",
    ],
    [{ tasks: Array.from({ length: MOST_TASKS + 1 }, (_, id) => ({ id, title: "a" })) }, "There are 51 tasks; 50 is the most"],
  ])("%j", (plan, why) => {
    expect(messageOf(() => tasksOf(plan))).toContain(why);
  });
});

describe("a title", () => {
  it("is one line of bounded length, without anything a terminal would obey", () => {
    const [task] = tasksOf({ tasks: [{ id: 1, title: `a\n2. [x] forged\u001b[2J${"🧪".repeat(300)}` }] });
    expect(task!.title.length).toBeLessThanOrEqual(LONGEST_TITLE);
    expect(task!.title).toMatch(/^a 2\. \[x\] forged \[2J(?:🧪)+…$/u);
  });
  it("of a few words stays as it is", () => {
    expect(oneLine("  größe \t prüfen ", 200)).toBe("größe prüfen");
  });
});
