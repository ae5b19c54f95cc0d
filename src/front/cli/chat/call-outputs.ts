import type { Outcome } from "../../../core/layer.ts";
import { mediaText } from "../../../core/media/media.ts";
import type { ToolRequest } from "../../../core/request.ts";
import type { ToolOutput } from "../../../core/tool.ts";
import { failureReason } from "../../../question/failure-reason.ts";
import { colouredDiff } from "../../../question/text.ts";
import { visible } from "../../../text/visible.ts";
import { cutTo, wrap } from "../../../text/width/columns.ts";
import { plural } from "../../../text/words.ts";
import { EXIT, exitCode } from "../exit.ts";
import { approveHint } from "../run/ending.ts";
import type { Colors } from "../terminal/terminal.ts";
import { briefDiff } from "./diff-view.ts";

/** The outputs of calls, for as long as there is room. Each has a number that /show takes. */
export interface CallOutputs {
  /** The number of this call. */
  add(request: ToolRequest, outcome: Outcome): number;
  /** The number of a text that is no call's. */
  keep(title: string, text: string): number;
  /** Keeps the thoughts of the model before it went on. */
  think(text: string): void;
  /** Of the last call when no number is given; undefined when it is not there, or no longer. */
  get(n?: number): CallOutput | undefined;
  thoughts(): string;
  /** The id of the last call that a person could let through all the same. */
  refused(): string | undefined;
  /** The numbers it has; null when there are none. */
  range(): readonly [number, number] | null;
}
export interface CallOutput {
  readonly n: number;
  readonly title: string;
  /** Of a call. */
  readonly callId?: string;
  readonly text: string;
  readonly diff: string;
  /** Where the whole text is kept when this is a part of it, and how many lines it has. */
  readonly part?: { readonly id: string; readonly lines?: number };
}

const MOST = 50;
const MOST_CHARS = 2 * 1024 * 1024;
const MOST_THOUGHT = 256 * 1024;
const CUT = "\n… (the rest is not kept)";

export function createCallOutputs(): CallOutputs {
  const kept = new Map<number, CallOutput>();
  let last = 0;
  let size = 0;
  let thoughts = "";
  let refused: string | undefined;
  const sizeOf = ({ text, diff }: CallOutput) => text.length + diff.length;
  const put = (one: Omit<CallOutput, "n">): number => {
    last += 1;
    const bound = { ...one, n: last, text: bounded(one.text), diff: bounded(one.diff) };
    kept.set(last, bound);
    size += sizeOf(bound);
    for (const [n, old] of kept) {
      if (n === last || (kept.size <= MOST && size <= MOST_CHARS)) break;
      kept.delete(n);
      size -= sizeOf(old);
    }
    return last;
  };
  return {
    add(request, outcome) {
      const part = partOf(outcome.output);
      const { callId } = outcome;
      if (approveHint(outcome) !== null) refused = callId;
      return put({ title: request.name, callId, text: textOf(outcome), diff: outcome.output?.diff ?? "", ...(part && { part }) });
    },
    keep: (title, text) => put({ title, text, diff: "" }),
    think: (text) => {
      thoughts = text.slice(-MOST_THOUGHT);
    },
    get: (n = last) => kept.get(n),
    thoughts: () => thoughts,
    refused: () => refused,
    range: () => (kept.size === 0 ? null : [kept.keys().next().value!, last]),
  };
}

/** Our own note; whatever else looks like one was escaped before. */
const LEFT_OUT = /^\[-\d+ [^\]\n]*?\b(raw#\d+)(?: \d{3})?\]$/m;

/** The whole text behind an output: `raw#n` where a filter left lines out, an id where it was too long after that. */
function partOf(output: ToolOutput | undefined): CallOutput["part"] {
  if (!output) return undefined;
  const { text, filter, overflow } = output;
  const raw = filter && filter.lines < filter.rawLines ? LEFT_OUT.exec(text)?.[1] : undefined;
  if (raw !== undefined) return { id: raw, lines: filter!.rawLines };
  return overflow === undefined ? undefined : { id: overflow, ...(filter && { lines: filter.lines }) };
}

const bounded = (text: string): string => (text.length <= MOST_CHARS / 2 ? text : text.slice(0, MOST_CHARS / 2 - CUT.length) + CUT);

const textOf = (outcome: Outcome): string =>
  [...(outcome.ok ? [] : [failureReason(outcome)]), ...(outcome.output ? [outcome.output.text] : [])].join("\n\n");

/** All of it, for /show. */
export function callOutputText({ n, title, text, diff }: CallOutput, colors: Colors): string {
  const body = [visible(text), ...(diff === "" ? [] : [colouredDiff(diff, colors)])].map((part) => part.replace(/\n$/, ""));
  return `${colors.cyan(`[${n}] ${visible(title)}`)}\n${body.join("\n")}\n`;
}

/** So much of a diff, of an output and of an answer is shown. */
const DIFF_LINES = 20;
const OUTPUT_LINES = 3;
const ANSWER_LINES = 20;
const ANSWER_CHARS = 4000;
const INDENT = "  ";
/** These are for the model; the line above says it. */
const SAID = /^(?:\[exit code \d+\]|\(no output\))$/;

/** What is shown below the line of a call: its diff, the end of what a command printed, or the beginning of what went wrong. */
export type OutputPiece =
  | { readonly kind: "diff"; readonly diff: string }
  /** `left` lines stand before these; null: some do. */
  | { readonly kind: "end"; readonly lines: readonly string[]; readonly left: number | null }
  | { readonly kind: "problem"; readonly text: string }
  /** Images and recordings, in words. */
  | { readonly kind: "media"; readonly lines: readonly string[] };

export function outputPiece(outcome: Outcome, most = OUTPUT_LINES): OutputPiece | null {
  const { diff, exitCode: exit, text = "" } = outcome.output ?? {};
  if (outcome.ok && diff !== undefined && diff !== "") return { kind: "diff", diff };
  const code = exitCode(outcome);
  if (outcome.ok && outcome.output.media) return { kind: "media", lines: outcome.output.media.map(mediaText) };
  if (exit === undefined) {
    const isSaid = outcome.ok || code === EXIT.denied || code === EXIT.cancelled || code === EXIT.unanswered;
    return isSaid ? null : { kind: "problem", text: outcome.error.message };
  }
  const all = wordedLines(text);
  const lines = all.slice(-most);
  // The model may have seen a part. /show shows all of it.
  const part = partOf(outcome.output);
  return { kind: "end", lines, left: part && part.lines === undefined ? null : (part?.lines ?? all.length) - lines.length };
}

/** Lines that say something a person does not know from the line above. */
const wordedLines = (text: string): string[] =>
  text.split("\n").filter((line) => line.trim() !== "" && !SAID.test(line) && !LEFT_OUT.test(line));

/** The lines below the line of a call, and how to see the rest. */
export function collapsedOutput(outcome: Outcome, n: number, width: number, colors: Colors): string[] {
  const piece = outputPiece(outcome);
  const more = (left: number) => (left > 0 ? [colors.dim(moreText(left, n))] : []);
  const room = width - INDENT.length;
  const drawn = (line: string) => colors.dim(INDENT + cutTo(visible(line.slice(0, 4 * width).replaceAll("\t", " ")), room));
  if (piece === null) return [];
  if (piece.kind === "diff") {
    const { lines, left } = briefDiff(piece.diff, DIFF_LINES, width, colors);
    return [...lines, ...more(left)];
  }
  if (piece.kind === "media") return piece.lines.map(drawn);
  if (piece.kind === "problem") {
    const all = wordedLines(wrap(visible(piece.text), room));
    return [...all.slice(0, OUTPUT_LINES).map(drawn), ...more(all.length - OUTPUT_LINES)];
  }
  const rest = piece.left === null ? [colors.dim(`${INDENT}… more lines, /show ${n}`)] : more(piece.left);
  return [...rest, ...piece.lines.map(drawn)];
}

const moreText = (left: number, n: number): string => `${INDENT}… ${plural(left, "more line")}, /show ${n}`;

/** The beginning of an answer, and how to see the rest; null when this is all of it. */
export function beginning(text: string, n: number): { readonly text: string; readonly more: string | null } {
  const lines = text.trimEnd().split("\n");
  const shown = lines.slice(0, ANSWER_LINES).join("\n");
  if (shown.length > ANSWER_CHARS) return { text: `${shown.slice(0, ANSWER_CHARS)}…`, more: `${INDENT}… more of it, /show ${n}` };
  return { text: shown, more: lines.length > ANSWER_LINES ? moreText(lines.length - ANSWER_LINES, n) : null };
}
