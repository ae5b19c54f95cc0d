import { plural } from "../../../../text/words.ts";
import { argumentSummary } from "../../run/ending.ts";
import type { Theme } from "../theme.ts";
import { columnsOfLine, cutLine } from "../width.ts";
import { shownLine, timeTaken } from "./shown-text.ts";

/** What is under way and may change at any moment. */
export interface WorkFacts {
  /** Counts up while it is drawn again, for the sign that turns. */
  readonly frame: number;
  /** How long the model has been waited for; null while it speaks or calls run. */
  readonly thinkingMs: number | null;
  /** Calls that have not ended. */
  readonly calls: readonly RunningCall[];
  /** Messages that are sent when this turn ends. */
  readonly queued: readonly string[];
}

/** A call that has not ended. */
export interface RunningCall {
  readonly name: string;
  readonly args: unknown;
  readonly ms: number;
  /** What it says about how far it has come, and the count where there is one. */
  readonly progress?: { readonly message?: string; readonly done?: number; readonly total?: number };
}

const MOST_CALLS = 4;
const MOST_QUEUED = 3;
const LEAST_SUMMARY = 10;

/** A line for each call, or that the model thinks; and what is sent next. */
export function workLines({ frame, thinkingMs, calls, queued }: WorkFacts, width: number, theme: Theme): string[] {
  const { accent, dim, signs } = theme;
  const sign = accent(signs.spinner[frame % signs.spinner.length]!);
  const cut = (line: string) => cutLine(line, width, signs.cut);
  const thinking = thinkingMs !== null && calls.length === 0 ? [`${sign} ${dim(`thinking ${timeTaken(thinkingMs)}, Esc stops`)}`] : [];
  const others = calls.length - MOST_CALLS;
  return [
    ...thinking,
    ...calls.slice(0, MOST_CALLS).map((call) => `${sign} ${runningText(call, width - columnsOfLine(sign) - 1, theme)}`),
    ...(others > 0 ? [dim(`  and ${others} more`)] : []),
    ...queuedLines(queued, width, theme),
  ].map(cut);
}

/** Messages that are sent when this turn ends. */
export function queuedLines(queued: readonly string[], width: number, theme: Theme): string[] {
  const others = queued.length - MOST_QUEUED;
  return [
    ...queued.slice(0, MOST_QUEUED).map((text) => queuedLine(text, width, theme)),
    ...(others > 0 ? [theme.dim(`  and ${plural(others, "more message")}`)] : []),
  ].map((line) => cutLine(line, width, theme.signs.cut));
}

function runningText({ name, args, ms, progress }: RunningCall, width: number, { bold, dim, signs }: Theme): string {
  const shown = cutLine(shownLine(name, signs), Math.max(1, Math.floor(width / 3)), signs.cut);
  const words = [timeTaken(ms), progressText(progress)].map((text) => shownLine(text, signs)).filter((text) => text !== "");
  const room = Math.max(0, width - columnsOfLine(shown) - 2);
  const ended = cutLine(words.join(", "), Math.max(1, room - LEAST_SUMMARY), signs.cut);
  const summary = cutLine(argumentSummary(args), Math.max(0, room - columnsOfLine(ended)), signs.cut);
  return `${bold(shown)}${summary === "" ? "" : ` ${summary}`} ${dim(ended)}`;
}

function progressText(progress: RunningCall["progress"]): string {
  if (!progress) return "";
  const { message = "", done, total } = progress;
  const count = done === undefined ? "" : total === undefined ? String(done) : `${done} of ${total}`;
  return [count, message].filter((text) => text !== "").join(", ");
}

function queuedLine(text: string, width: number, { dim, signs }: Theme): string {
  const begin = "  next: ";
  const end = "  (Esc takes it back)";
  const room = Math.max(1, width - begin.length - end.length);
  return dim(begin + cutLine(shownLine(text, signs), room, signs.cut) + end);
}
