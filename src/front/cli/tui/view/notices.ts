import type { Ending, Totals, ZephEvent } from "../../../../core/event.ts";
import type { Goal } from "../../../../core/ports/goal.ts";
import { plural } from "../../../../text/words.ts";
import { dollars } from "../../chat/chat-totals.ts";
import { planLines } from "../../chat/plan-view.ts";
import { reloadText } from "../../run/reload-text.ts";
import type { Paint, Theme } from "../theme.ts";
import { cutLine, wrapLine } from "../width.ts";
import { colorsOf, shortCount, shownText, timeTaken } from "./shown-text.ts";

type EventOf<T extends ZephEvent["type"]> = Extract<ZephEvent, { type: T }>;

/** A sentence about something that went wrong or needs to be known: `! The model is overloaded. …` */
export function warningLines(text: string, width: number, { warn, signs }: Theme): string[] {
  return said(`${signs.failed} ${text}`, width, warn);
}

/** A sentence by the way. */
export const noteLines = (text: string, width: number, { dim }: Pick<Theme, "dim">): string[] => said(`  ${text}`, width, dim);

const said = (text: string, width: number, paint: Paint): string[] =>
  wrapLine(paint(shownText(text).trimEnd()), width, { hang: "  ", hard: true });

/** So much of the beginning and of the end of a long message stays above the answer. */
const MESSAGE_HEAD = { lines: 12, chars: 4000 };
const MESSAGE_TAIL = { lines: 3, chars: 1000 };

/** What the person said, as it stays above the answer. A long paste would push everything else out of the scrollback: its middle is counted. */
export function messageLines(text: string, width: number, { you, dim, signs: { prompt, cut } }: Theme): string[] {
  const hang = " ".repeat(2);
  const laid = (part: string) =>
    shownText(part)
      .split("\n")
      .flatMap((line) => wrapLine(line, Math.max(1, width - 2), { hard: true }));
  const isLong = text.length > 2 * MESSAGE_HEAD.chars;
  const head = laid(isLong ? text.slice(0, MESSAGE_HEAD.chars) : text);
  const tail = isLong ? laid(text.slice(-MESSAGE_TAIL.chars)) : head;
  const isWhole = !isLong && head.length <= 2 * MESSAGE_HEAD.lines;
  const first = isWhole ? head : head.slice(0, MESSAGE_HEAD.lines);
  const drawn = first.map((line, n) => `${n === 0 ? `${you(prompt)} ` : hang}${you(line)}`);
  if (isWhole) return drawn;
  const amount = `${shortCount(text.length)} characters in ${plural(text.split("\n").length, "line")}`;
  return [
    ...drawn,
    ...noteLines(`${cut} ${amount}`, width, { dim }),
    ...tail.slice(-MESSAGE_TAIL.lines).map((line) => `${hang}${you(line)}`),
  ];
}

/** A request to the model is repeated. `voidLines`: so many lines above no longer count, and stay where they are. */
export const retryLines = ({ why, inMs, attempt }: EventOf<"retry">, voidLines: number, width: number, theme: Theme): string[] => [
  ...warningLines(`${why} Again in ${timeTaken(inMs)} (${attempt}).`, width, theme),
  ...(voidLines > 0 ? noteLines(`discarded: ${plural(voidLines, "line")} above`, width, theme) : []),
];

export const compactedLines = ({ method, messages, tokens }: EventOf<"compacted">, width: number, theme: Theme): string[] =>
  noteLines(
    `compacted (${method}): ${plural(messages, "message")}, ${shortCount(tokens.before)} ${theme.signs.arrow} ${shortCount(tokens.after)} tokens`,
    width,
    theme,
  );

export const backgroundLines = ({ command, exitCode }: EventOf<"background">, width: number, theme: Theme): string[] =>
  (exitCode === 0 ? noteLines : warningLines)(`in the background: ${command.trim()} ended, exit ${exitCode}`, width, theme);

export const budgetLines = ({ limit, used, most }: EventOf<"budget">, width: number, theme: Theme): string[] =>
  warningLines(`${Math.floor((100 * used) / most)} % of limits.${limit} are used.`, width, theme);

export const reloadLines = (event: EventOf<"reload">, width: number, theme: Theme): string[] =>
  (event.problem === undefined ? noteLines : warningLines)(reloadText(event), width, theme);

/** Thoughts are folded into how long they took. */
export const thoughtLines = (ms: number, width: number, theme: Theme): string[] => noteLines(`thought for ${timeTaken(ms)}`, width, theme);

/** The plan and its progress. */
export const goalLines = (goal: Goal, width: number, theme: Theme): string[] =>
  planLines(goal, width, colorsOf(theme)).map((line) => cutLine(theme.isUtf8 ? line : line.replaceAll("…", "..."), width, theme.signs.cut));

/** How a turn ended, and what it took. */
export interface ShownTurnEnd {
  readonly why: Ending;
  /** What happened and what to do, where there is something to say. */
  readonly message?: string;
  readonly totals: Totals;
  readonly ms: number;
}

const STOPPED = "Stopped. What was said and done so far is kept.";

/** `5.9 s, 8 calls, 53k in, 780 out, $0.040`, after what there is to say about it. */
export function turnEndLines({ why, message, totals, ms }: ShownTurnEnd, width: number, theme: Theme): string[] {
  const { usage, calls, cost } = totals;
  const text = why === "cancelled" ? STOPPED : message;
  const counts = [
    timeTaken(ms),
    plural(calls, "call"),
    `${shortCount(usage.input)} in`,
    `${shortCount(usage.output)} out`,
    ...(cost === undefined ? [] : [dollars(cost)]),
  ];
  return [...(text === undefined ? [] : warningLines(text, width, theme)), ...noteLines(counts.join(", "), width, theme)];
}
