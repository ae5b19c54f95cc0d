import { splitRuns } from "../../text/group-by.ts";
import type { Line } from "../line.ts";

const FEWEST = 3;

/** Of lines that only tell how far something is, the last of each run. */
export function withoutProgress(lines: readonly Line[]): readonly Line[] {
  const counted = withoutNumbered(lines);
  const steps = counted.map(stepOf);
  if (steps.every((step) => step === null)) return counted;
  const runs = splitRuns(
    counted.map((line, n) => ({ line, step: steps[n] ?? null })),
    ({ step: before }, { step }) => !!before && !!step && step.about === before.about && step.of === before.of && step.done >= before.done,
  );
  const kept = runs.flatMap((run) => (run.length < FEWEST ? run : run.slice(-1))).map(({ line }) => line);
  return kept.length < lines.length ? kept : lines;
}

/** ` 3/48 src/a.md 1.2ms`, `[3 of 48] Compiling A`, `writing output... [ 40%] intro`. */
const NUMBERED = /^ {0,8}[[(]? *(\d{1,6}) ?(?:\/|of) ?(\d{1,6})[\])]?:?\s+\S/;
const STARTS_WITH_NUMBER = /^[ [(]{0,10}\d/;
const IN_BRACKETS = /^(.{2,60}?\.\.\.) \[ *(\d{1,3})%\] \S/;
const SURE = 5;

/** Steps that are counted one by one and each name another thing: the last of each run. */
function withoutNumbered(lines: readonly Line[]): readonly Line[] {
  const numbers = lines.map(({ text, errors }) => (errors > 0 || text.length > LONGEST ? null : numberIn(text)));
  if (numbers.every((number) => number === null)) return lines;
  const runs = splitRuns(
    lines.map((line, n) => ({ line, number: numbers[n] ?? null })),
    ({ number: before }, { number }) =>
      !!before &&
      !!number &&
      before.of === number.of &&
      (number.step === null ? number.done >= before.done : number.done === before.done + 1),
  );
  const isSure = (run: readonly { readonly number: Numbered | null }[]) => run.length >= SURE && run[0]!.number !== null;
  return runs.flatMap((run) => (isSure(run) ? run.slice(-1) : run)).map(({ line }) => line);
}

interface Numbered {
  readonly done: number;
  /** The last number, or the name of the work. */
  readonly of: string;
  readonly step: 1 | null;
}

function numberIn(text: string): Numbered | null {
  const [, done, of] = (STARTS_WITH_NUMBER.test(text) && NUMBERED.exec(text)) || [];
  if (done !== undefined) return Number(done) <= Number(of) ? { done: Number(done), of: of!, step: 1 } : null;
  const [, doing, percent] = (text.includes("... [") && IN_BRACKETS.exec(text)) || [];
  return doing === undefined ? null : { done: Number(percent), of: doing, step: null };
}

const LONGEST = 400;

interface Step {
  readonly done: number;
  readonly of: number;
  /** The line without its numbers and its bar. */
  readonly about: string;
}

const PERCENT = /(?<![\d.])(\d{1,3}(?:\.\d+)?) ?%/;
const MAY_COUNT = /\d(?:\/| \/ | of )\d/;
const COUNT = /(?<![\d./-])(\d{1,9}) ?(?:\/|of) ?(\d{1,9})(?![\d./-])/;
/** Numbers with their units, bars, spinners. A name with a digit in it is a name: two of them are two things. */
const VARYING =
  /(?<![\p{L}_-])[~+-]?\d[\d.,:/%]*(?:[kKMGT]?i?B(?:\/s)?|[kKMGT]|ms|s|m|h|it\/s)?(?:[\d.,:]+(?:ms|s|m|h))*(?![\p{L}\d_-])|\b(?:[kKMGT]i?B(?:\/s)?|B\/s|eta|ETA|s|ms)\b|[-=#>*.·█▉▊▋▌▍▎▏▓▒░━╸╺─▪■□\\/|_⠀-⣿◐◓◑◒\s[\]()<:,]+/gu;

function stepOf({ text, errors }: Line): Step | null {
  if (errors > 0 || text.length > LONGEST) return null;
  const percent = text.includes("%") ? PERCENT.exec(text) : null;
  const count = !percent && MAY_COUNT.test(text) ? COUNT.exec(text) : null;
  const found = percent ?? count;
  if (!found) return null;
  return { done: Number(found[1]), of: percent ? 100 : Number(found[2]), about: text.replace(VARYING, " ") };
}
