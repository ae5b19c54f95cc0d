import { isErrorShaped } from "../../filters/errors.ts";
import { plural } from "../../text/words.ts";
import type { LineChoice } from "./choose-lines.ts";

/** What is left of a text, without the mark that says where the whole of it is kept. */
export interface Compressed {
  readonly lines: readonly string[];
  /** How many lines were left out, and how many of them look like errors. */
  readonly left: { readonly lines: number; readonly errors: number };
}

/** Puts together what is shown. Lines that take no more room than the note about them stay. */
export function assembleShown(lines: readonly string[], choice: LineChoice, always: ReadonlySet<number>): Compressed {
  const isShown = (n: number) => choice.shown.has(n) || always.has(n);
  const missing = lines.flatMap((_, n) => (isShown(n) ? [] : [n]));
  const runs = choice.notes === "each" ? inARow(missing) : [missing];
  const isWorthIt = (run: readonly number[]) => run.reduce((sum, n) => sum + lines[n]!.length + 1, 0) > noteOn(run, choice).length + 1;
  const left = runs.filter(isWorthIt);
  const gone = new Set(left.flat());
  const noteAt = new Map(choice.notes === "each" ? left.map((run) => [run[0]!, noteOn(run, choice)]) : []);
  const out = lines.flatMap((line, n) => (gone.has(n) ? (noteAt.get(n) ?? []) : line));
  return {
    lines: [
      ...(choice.title === undefined ? [] : [choice.title]),
      ...out,
      ...(choice.notes === "one" && gone.size > 0 ? [noteOn([...gone], choice)] : []),
    ],
    left: { lines: gone.size, errors: [...gone].filter((n) => isErrorShaped(lines[n]!)).length },
  };
}

function inARow(numbers: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const n of numbers) {
    const last = runs.at(-1);
    if (last?.at(-1) === n - 1) last.push(n);
    else runs.push([n]);
  }
  return runs;
}

const MOST_NAMED = 3;
const LONGEST_NAME = 80;

/** `[output filtered: 34 lines not about the goal (src/a.ts, src/b.ts)]` */
function noteOn(run: readonly number[], { why, labelOf }: LineChoice): string {
  const reasons = new Map<string, number>();
  for (const n of run) reasons.set(why(n), (reasons.get(why(n)) ?? 0) + 1);
  const said = [...reasons].map(([reason, n]) => `${plural(n, "line")} ${reason}`).join(", ");
  const names = [...new Set(run.flatMap((n) => labelOf?.(n) ?? []))];
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).map((name) => (name.length > LONGEST_NAME ? `…${name.slice(1 - LONGEST_NAME)}` : name));
  const files = names.length === 0 ? "" : ` (${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
  return `[output filtered: ${said}${files}]`;
}

/** What looks like such a note in what a tool returned is not one. */
export const escapeNotes = (text: string): string => text.replace(/\[(?=\s{0,4}output filtered\s{0,4}:)/gi, "[\\");
