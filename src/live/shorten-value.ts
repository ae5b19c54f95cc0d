import { bounded } from "../text/visible.ts";

export interface ValueLimits {
  /** A text without secrets. */
  redact(text: string): string;
  /** Characters of one text, and of all of them together. */
  readonly most: { readonly text: number; readonly all: number };
}

/** A value for other eyes, and whether anything was left out of it. */
export interface ShortValue {
  readonly value: unknown;
  readonly isWhole: boolean;
}

/** Lists and objects deeper than this are no arguments of a tool. */
const DEEPEST = 24;
/** A secret that a cut went through is not recognised, so a text is looked through far beyond what is shown of it. */
const LOOKED_THROUGH = 64 * 1024;

/** Without secrets, and never longer than allowed. What does not fit is cut, or left out. */
export function shorten(value: unknown, { redact, most }: ValueLimits): ShortValue {
  let left = most.all;
  let isWhole = true;
  const cut = (text: string): string => {
    const room = Math.min(most.text, left);
    const shown = bounded(redact(text.slice(0, Math.max(LOOKED_THROUGH, most.text) + LOOKED_THROUGH)), room);
    if (text.length > room) isWhole = false;
    left = Math.max(0, left - shown.length);
    return shown;
  };
  const copy = (one: unknown, depth: number): unknown => {
    if (typeof one === "string") return cut(one);
    if (typeof one !== "object" || one === null) return typeof one === "bigint" ? String(one) : one;
    if (depth > DEEPEST || left === 0) {
      isWhole = false;
      return "…";
    }
    if (Array.isArray(one)) return takeWhile(one, (item) => copy(item, depth + 1));
    return Object.fromEntries(takeWhile(Object.entries(one), ([name, item]) => [cut(name), copy(item, depth + 1)]));
  };
  const takeWhile = <T, U>(items: readonly T[], map: (item: T) => U): U[] => {
    const taken: U[] = [];
    for (const item of items) {
      if (left === 0 || taken.length === MOST_ITEMS) {
        isWhole = false;
        break;
      }
      taken.push(map(item));
    }
    return taken;
  };
  return { value: copy(value, 0), isWhole };
}

const MOST_ITEMS = 10_000;
