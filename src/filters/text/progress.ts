import { splitRuns } from "../../text/group-by.ts";
import type { Line } from "../line.ts";

const FEWEST = 3;

/** Of lines that only tell how far something is, the last of each run. */
export function withoutProgress(lines: readonly Line[]): readonly Line[] {
  const steps = lines.map(stepOf);
  if (steps.every((step) => step === null)) return lines;
  const runs = splitRuns(
    lines.map((line, n) => ({ line, step: steps[n] ?? null })),
    ({ step: before }, { step }) => !!before && !!step && step.about === before.about && step.of === before.of && step.done >= before.done,
  );
  const kept = runs.flatMap((run) => (run.length < FEWEST ? run : run.slice(-1))).map(({ line }) => line);
  return kept.length < lines.length ? kept : lines;
}

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
  if (errors > 0 || text.length > 400) return null;
  const percent = text.includes("%") ? PERCENT.exec(text) : null;
  const count = !percent && MAY_COUNT.test(text) ? COUNT.exec(text) : null;
  const found = percent ?? count;
  if (!found) return null;
  return { done: Number(found[1]), of: percent ? 100 : Number(found[2]), about: text.replace(VARYING, " ") };
}
