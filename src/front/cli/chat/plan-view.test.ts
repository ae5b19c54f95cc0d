import pc from "picocolors";
import { expect, it } from "vitest";
import type { Goal, TaskStatus } from "../../../core/ports/goal.ts";
import { columnsOf } from "../../../text/width/columns.ts";
import { planLines } from "./plan-view.ts";

const plain = pc.createColors(false);
const goal = (states: readonly TaskStatus[], more: Partial<Goal> = {}): Goal => ({
  id: "g",
  workspace: "/w",
  text: "Make the tests green",
  status: "active",
  tasks: states.map((status, n) => ({ n: n + 1, title: `Task ${n + 1}`, needs: [], status })),
  createdAt: 0,
  updatedAt: 0,
  ...more,
});

it("the view of a plan has a mark for each task", () => {
  expect(planLines(goal(["done", "active", "open", "failed"]), 60, plain)).toEqual([
    "plan Make the tests green: 1 of 4 done",
    "  [x] 1 Task 1",
    "  [>] 2 Task 2",
    "  [ ] 3 Task 3",
    "  [!] 4 Task 4",
  ]);
});

it("the view of a plan shows what is around the work when there is more", () => {
  const shown = planLines(goal([...Array<TaskStatus>(30).fill("done"), "active", ...Array<TaskStatus>(29).fill("open")]), 60, plain);
  expect(shown[1]).toBe("  … 28 before these");
  expect(shown).toContain("  [>] 31 Task 31");
  expect(shown.at(-1)).toBe("  … 12 more");
  expect(shown).toHaveLength(23);
});

it("fits its lines and obeys nothing", () => {
  const long = goal(["active"], { text: `${"長い".repeat(80)}\u001b[2J\nx`, status: "done" });
  for (const line of planLines(
    { ...long, tasks: [{ ...long.tasks[0]!, title: `a\u0007${"b ".repeat(200)}`, note: "n".repeat(99) }] },
    60,
    plain,
  )) {
    expect(columnsOf(line)).toBeLessThanOrEqual(60);
    expect(line).not.toMatch(/\p{Cc}/u);
  }
});
