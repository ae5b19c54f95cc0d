import type { BatchResult, FleetTaskState, QueueStatus } from "../../../runtime/fleet/fleet-client.ts";
import { visible } from "../../../text/visible.ts";
import { cutTo } from "../../../text/width/columns.ts";
import { grouped } from "../../../text/words.ts";
import { EXIT } from "../exit.ts";
import { lineWidth, type Terminal } from "../terminal/terminal.ts";
import { taskStateText } from "./task-text.ts";

export type StateCounts = QueueStatus["counts"];

/** `9,990 done, 10 failed`. */
export function countsText(counts: StateCounts): string {
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  return told.map(([state, count]) => `${grouped(count)} ${state}`).join(", ") || "no tasks";
}

/** 5: some failed, ended as unknown or were cancelled. 4: some are not over. 3: all are done, and something that one wanted was refused. */
export function batchExit({ failed, unknown, cancelled, queued, running }: StateCounts, refused: number): number {
  if (failed + unknown + cancelled > 0) return EXIT.failed;
  if (queued + running > 0) return EXIT.unanswered;
  return refused > 0 ? EXIT.denied : EXIT.ok;
}

/** A result as programs read it. */
export const resultJson = ({ id, key, state, attempt, result }: BatchResult): object => ({
  key,
  state,
  ok: result?.ok ?? null,
  text: result?.text ?? null,
  unknown: result?.unknown ?? 0,
  attempt,
  ...(result?.tokens !== undefined && { tokens: result.tokens }),
  ...(result?.usd !== undefined && { usd: result.usd }),
  worker: result?.worker || null,
  id,
});

const WIDEST_STATE = "done, with refusals".length;
const KEY_WIDTH = 16;

export function resultLine(one: BatchResult, { stdout, out }: Terminal): string {
  const { state, key, result } = one;
  const shown: FleetTaskState | string = state === "done" && result?.ok === false ? "done, with refusals" : state;
  const name = cutTo(visible(key), KEY_WIDTH).padEnd(KEY_WIDTH);
  const room = Math.max(20, lineWidth(stdout) - KEY_WIDTH - WIDEST_STATE - 4);
  const text = cutTo(visible(result?.text ?? "").replace(/\s+/g, " "), room);
  return `${name}  ${taskStateText(one, out)}${" ".repeat(WIDEST_STATE - shown.length)}  ${text}\n`.replace(/ +\n$/, "\n");
}
