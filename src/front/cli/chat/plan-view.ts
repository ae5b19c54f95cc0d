import type { Goal, TaskStatus } from "../../../core/ports/goal.ts";
import { oneLine, visible } from "../../../text/visible.ts";
import { cutTo } from "../../../text/width/columns.ts";

const MARKS: Readonly<Record<TaskStatus, string>> = { open: "[ ]", active: "[>]", done: "[x]", failed: "[!]" };
const MOST = 20;
const LONGEST = 500;

type PlanColors = Readonly<Record<"bold" | "cyan" | "dim" | "red", (text: string) => string>>;

/** A plan and its progress: a line for each task. */
export function planLines({ text, tasks, status }: Goal, width: number, colors: PlanColors): string[] {
  const done = tasks.filter((task) => task.status === "done").length;
  const state = status === "active" ? `${done} of ${tasks.length} done` : status;
  const colour: Readonly<Record<TaskStatus, (text: string) => string>> = {
    open: (line) => line,
    active: colors.bold,
    done: colors.dim,
    failed: colors.red,
  };
  // The ones around what is done now, if there are more than fit.
  const now = tasks.findIndex((task) => task.status !== "done");
  const from = Math.max(0, Math.min(now - 2, tasks.length - MOST));
  const shown = tasks.slice(from, from + MOST);
  const before = from > 0 ? [colors.dim(`  … ${from} before these`)] : [];
  const left = tasks.length - from - shown.length;
  return [
    `${colors.cyan("plan")} ${cutTo(`${oneLine(visible(text.slice(0, LONGEST)))}: ${state}`, width - 5)}`,
    ...before,
    ...shown.map(({ n, title, status, note }) => {
      const words = `${n} ${oneLine(visible(title.slice(0, LONGEST)))}${note === undefined ? "" : `: ${oneLine(visible(note.slice(0, LONGEST)))}`}`;
      return colour[status](cutTo(`  ${MARKS[status]} ${words}`, width));
    }),
    ...(left > 0 ? [colors.dim(`  … ${left} more`)] : []),
  ];
}
