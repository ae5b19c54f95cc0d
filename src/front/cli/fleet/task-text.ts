import type { FleetTask } from "../../../runtime/fleet/fleet-client.ts";
import { visible } from "../../../text/visible.ts";
import { cutTo } from "../../../text/width/columns.ts";
import { duration, plural } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { localTime } from "../run/print.ts";
import { lineWidth, type Terminal } from "../terminal/terminal.ts";

/** A task as programs read it. */
export const fleetTaskJson = (task: FleetTask): object => ({
  id: task.id,
  key: task.key,
  session: task.session,
  batch: task.batch,
  state: task.state,
  text: task.payload.text,
  ...(task.payload.repo && { repo: task.payload.repo }),
  ...(task.payload.person !== undefined && { person: task.payload.person }),
  attempt: task.attempt,
  worker: task.holder,
  cancel: task.cancel,
  result: task.result,
  created_at: new Date(task.createdAt).toISOString(),
  ended_at: task.endedAt === null ? null : new Date(task.endedAt).toISOString(),
});

export const taskStateText = ({ state, result }: Pick<FleetTask, "state" | "result">, out: Terminal["out"]): string => {
  const colour = { queued: out.dim, running: out.cyan, done: out.green, failed: out.red, unknown: out.yellow, cancelled: out.dim }[state];
  return colour(state === "done" && result?.ok === false ? "done, with refusals" : state);
};

/** One line for each, the newest first. */
export function taskLines(tasks: readonly FleetTask[], { stdout, out }: Terminal): string {
  return tasks
    .map((task) => {
      const about = visible(task.payload.text || `(a message to session ${task.session})`).replace(/\s+/g, " ");
      const head = `${task.id}  ${task.state.padEnd(9)}`;
      const room = lineWidth(stdout) - head.length - 2;
      return `${task.id}  ${taskStateText(task, out)}${" ".repeat(Math.max(0, 9 - task.state.length))}  ${cutTo(about, Math.max(20, room))}\n`;
    })
    .join("");
}

/** Everything that is known of one, with the ids of the questions that its session waits for. */
export function taskText(task: FleetTask, { out }: Terminal, questions: readonly string[]): string {
  const { payload, result } = task;
  const rows: readonly (readonly [string, string])[] = [
    ["state", taskStateText(task, out)],
    ...questions.map((id) => ["waits", `for another person's answer: zeph fleet approvals ${id.slice(0, 8)}`] as const),
    ["session", visible(task.session)],
    ...(task.batch === null ? [] : [["batch", visible(task.batch)] as const]),
    ...(payload.repo
      ? [["repository", visible(`${payload.repo.url}${payload.repo.ref === undefined ? "" : `@${payload.repo.ref}`}`)] as const]
      : []),
    ["asked", `${localTime(task.createdAt)}${payload.person === undefined ? "" : ` by ${visible(payload.person)}`}`],
    ...(task.endedAt === null ? [] : [["ended", `${localTime(task.endedAt)}, after ${duration(task.endedAt - task.createdAt)}`] as const]),
    ...(task.attempt > 1 ? [["attempts", String(task.attempt)] as const] : []),
    ...(task.holder === null ? [] : [["worker", visible(task.holder)] as const]),
    ...(task.cancel === null ? [] : [["cancelled", visible(task.cancel)] as const]),
    ...(result && result.unknown > 0 ? [["unknown", `of ${plural(result.unknown, "call")} nobody knows what came of it`] as const] : []),
    ...(result?.snapshot === undefined ? [] : [["files", visible(result.snapshot)] as const]),
    ...(result?.tokens === undefined ? [] : [["tokens", String(result.tokens)] as const]),
    ...(result?.usd === undefined ? [] : [["dollars", result.usd.toFixed(4)] as const]),
  ];
  const head = rows.map(([name, value]) => `${out.dim(name.padEnd(11))}${value}\n`).join("");
  const text = payload.text === "" ? "" : `\n${visible(payload.text)}\n`;
  return `${out.bold(task.id)}\n${head}${text}${result && result.text !== "" ? `\n${visible(result.text)}\n` : ""}`;
}

/** How a task that is over ends the command that waited for it. */
export function taskExit({ state, result }: Pick<FleetTask, "state" | "result">): number {
  if (state === "cancelled") return EXIT.cancelled;
  if (state === "done") return result?.ok === false ? EXIT.denied : EXIT.ok;
  return EXIT.failed;
}
