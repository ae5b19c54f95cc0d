import type { Outcome } from "../core/layer.ts";
import type { ToolRequest } from "../core/request.ts";
import { diffLines } from "./diff-view.ts";
import { EXIT, exitCode } from "./exit.ts";
import { colouredDiff, harmless } from "./print.ts";
import { type Colors, cutTo } from "./terminal.ts";

/** What calls came to, for as long as there is room. Each has a number that /show takes. */
export interface Shelf {
  /** The number of this call. */
  add(request: ToolRequest, outcome: Outcome): number;
  /** What a model thought before it went on. */
  think(text: string): void;
  /** Of the last call when no number is given; undefined when it is not there, or no longer. */
  get(n?: number): Shelved | undefined;
  thoughts(): string;
  /** The numbers it has; null when there are none. */
  range(): readonly [number, number] | null;
}
export interface Shelved {
  readonly n: number;
  readonly title: string;
  readonly text: string;
  readonly diff: string;
}

const MOST = 50;
const MOST_CHARS = 2 * 1024 * 1024;
const MOST_THOUGHT = 256 * 1024;
const CUT = "\n… (the rest is not kept)";

export function openShelf(): Shelf {
  const kept = new Map<number, Shelved>();
  let last = 0;
  let size = 0;
  let thoughts = "";
  const sizeOf = ({ text, diff }: Shelved) => text.length + diff.length;
  return {
    add(request, outcome) {
      last += 1;
      const one = { n: last, title: request.name, text: bounded(textOf(outcome)), diff: bounded(outcome.output?.diff ?? "") };
      kept.set(last, one);
      size += sizeOf(one);
      for (const [n, old] of kept) {
        if (n === last || (kept.size <= MOST && size <= MOST_CHARS)) break;
        kept.delete(n);
        size -= sizeOf(old);
      }
      return last;
    },
    think: (text) => {
      thoughts = text.slice(-MOST_THOUGHT);
    },
    get: (n = last) => kept.get(n),
    thoughts: () => thoughts,
    range: () => (kept.size === 0 ? null : [kept.keys().next().value!, last]),
  };
}

const bounded = (text: string): string => (text.length <= MOST_CHARS / 2 ? text : text.slice(0, MOST_CHARS / 2 - CUT.length) + CUT);

const textOf = (outcome: Outcome): string =>
  [...(outcome.ok ? [] : [outcome.error.message]), ...(outcome.output ? [outcome.output.text] : [])].join("\n\n");

/** All of it, for /show. */
export function shelvedText({ n, title, text, diff }: Shelved, colors: Colors): string {
  const body = [harmless(text), ...(diff === "" ? [] : [colouredDiff(diff, colors)])].map((part) => part.replace(/\n$/, ""));
  return `${colors.cyan(`[${n}] ${harmless(title)}`)}\n${body.join("\n")}\n`;
}

const DIFF_LINES = 20;
const OUTPUT_LINES = 3;
const INDENT = "  ";
/** These are for the model; the line above says it. */
const SAID = /^(?:\[exit code \d+\]|\(no output\))$/;

/** What stands below the line of a call: a piece of its diff, the end of what a command printed, or what went wrong; and how to see the rest. */
export function collapsed(outcome: Outcome, n: number, width: number, colors: Colors): string[] {
  const more = (left: number) => (left > 0 ? [colors.dim(`${INDENT}… ${left} more ${left === 1 ? "line" : "lines"}, /show ${n}`)] : []);
  const { diff, exitCode: exit, text = "" } = outcome.output ?? {};
  if (outcome.ok && diff !== undefined && diff !== "") {
    const { lines, left } = diffLines(diff, DIFF_LINES, width, colors);
    return [...lines, ...more(left)];
  }
  const code = exitCode(outcome);
  if (exit === undefined && (outcome.ok || code === EXIT.denied || code === EXIT.cancelled || code === EXIT.unanswered)) return [];
  const all = (exit === undefined && !outcome.ok ? outcome.error.message : text)
    .split("\n")
    .filter((line) => line.trim() !== "" && !SAID.test(line));
  const shown = exit === undefined ? all.slice(0, OUTPUT_LINES) : all.slice(-OUTPUT_LINES);
  const lines = shown.map((line) =>
    colors.dim(INDENT + cutTo(harmless(line.slice(0, 4 * width).replaceAll("\t", " ")), width - INDENT.length)),
  );
  const rest = more(all.length - shown.length);
  return exit === undefined ? [...lines, ...rest] : [...rest, ...lines];
}
