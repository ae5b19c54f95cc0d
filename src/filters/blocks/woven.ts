import { isBlank, type Line, standFor } from "../line.ts";
import { PREFIX_FORMS, type PrefixForm } from "./prefixes.ts";

/** An output in which several programs wrote side by side, line by line. */
export interface Woven {
  readonly before: readonly Line[];
  /** By prefix, in the order in which they first spoke; each in its own order. */
  readonly streams: ReadonlyMap<string, readonly Line[]>;
  /** What carries no prefix, from the first line that does. */
  readonly others: readonly Line[];
}

const SAMPLE = 400;
/** So much of the whole, and of what stands between the first and the last of them, must carry a prefix. */
const SHARE = 0.4;
const SHARE_WITHIN = 0.7;
const FEWEST_LINES = 8;
const LINES_EACH = 4;
const LONGEST = 8000;

/** Takes the streams apart when most lines carry one of a few prefixes of one form. null: they do not. */
export function unweave(lines: readonly Line[], command: string): Woven | null {
  const form = PREFIX_FORMS.find((one) => isUsual(one, lines) && (!one.only || says(one.only, command, lines)));
  if (!form) return null;
  const found = lines.map((line) => (line.text.length > LONGEST ? undefined : form.see.exec(line.text)?.groups));
  const first = found.findIndex((groups) => groups !== undefined);
  const last = found.findLastIndex((groups) => groups !== undefined);
  const streams = new Map<string, Line[]>();
  const others: Line[] = [];
  for (let at = first; at < lines.length; at++) {
    const line = lines[at]!;
    const groups = found[at];
    if (!groups) {
      others.push(line);
      continue;
    }
    const text = `${groups.sign ?? ""}${groups.stamp ?? ""}${groups.rest ?? ""}`;
    const label = groups.label!;
    const told = standFor(text, [line]);
    if (!streams.get(label)?.push(told)) streams.set(label, [told]);
  }
  const carried = found.filter((groups) => groups !== undefined).length;
  const within = lines.slice(first, last + 1).filter((line) => !isBlank(line)).length;
  const isWoven = carried >= FEWEST_LINES && carried >= streams.size * LINES_EACH && carried >= within * SHARE_WITHIN;
  return isWoven ? { before: lines.slice(0, first), streams, others } : null;
}

/** Looks at some of the lines, so that an output without prefixes costs next to nothing. */
function isUsual({ see }: PrefixForm, lines: readonly Line[]): boolean {
  const step = Math.max(1, Math.floor(lines.length / SAMPLE));
  let looked = 0;
  let carried = 0;
  for (let at = 0; at < lines.length; at += step) {
    const line = lines[at]!;
    if (isBlank(line)) continue;
    looked++;
    if (line.text.length <= LONGEST && see.test(line.text)) carried++;
  }
  return carried >= 4 && carried >= looked * SHARE;
}

const says = (words: RegExp, command: string, lines: readonly Line[]): boolean =>
  words.test(command) || lines.slice(0, 20).some(({ text }) => text.length < 500 && words.test(text));
