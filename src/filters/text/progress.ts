import type { Line } from "../line.ts";

const FEWEST = 3;

/** Of lines that only tell how far something is, the last of each run. */
export function withoutProgress(lines: readonly Line[]): readonly Line[] {
  const kept: Line[] = [];
  let run: Line[] = [];
  let before: Step | null = null;
  const end = () => {
    kept.push(...(run.length < FEWEST ? run : run.slice(-1)));
    run = [];
  };
  for (const line of lines) {
    const step = stepOf(line);
    const goesOn = step && before && step.about === before.about && step.of === before.of && step.done >= before.done;
    if (!goesOn && run.length > 0) end();
    if (step) run.push(line);
    else kept.push(line);
    before = step;
  }
  end();
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
