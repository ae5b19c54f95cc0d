import { makeOnce } from "../../../text/make-once.ts";
import { isFiller } from "../placeholder.ts";
import { isMixed } from "../randomness.ts";
import type { SecretSpan } from "../span.ts";
import { around, createPrefixed, jsonWebToken, type Prefixed } from "./format.ts";
import { isApart, isGlued, MAX_ESCAPE, startsHere } from "./key-start.ts";
import { bareKey, encodedKey } from "./private-key.ts";
import { brokenRuns, longRuns } from "./runs.ts";
import { BASE64, INFIXES, SHAPES, tokenFormats } from "./tokens.ts";
import { unwrapped } from "./unwrap-value.ts";

/** Keys that start with the name of their provider. Each has a long run of characters, and only such runs are looked at. */
export function prefixed(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  let done = 0;
  const add = (span: SecretSpan | null): boolean => {
    if (!span) return false;
    spans.push(span);
    done = span.end;
    const beside = span.family === "cloud-key" ? secretBeside(text, span) : null;
    if (beside) spans.push(beside);
    return true;
  };
  longRuns(text, (start, end) => {
    if (end > done && !add(before(text, start, end)) && !add(shaped(text, start, end))) within(text, Math.max(start, done), end, add);
  });
  brokenRuns(text, (start, end) => {
    if (!add(before(text, start, end)) && !add(broken(text, start, end))) within(text, start, end, add);
  });
  return spans;
}

interface Index {
  /** By the first two characters, longer prefixes first: `sk-proj-` before `sk-`. */
  readonly starts: ByKey;
  /** By the last character, when the prefix ends before the run starts: `ya29.`, `discord.com/api/webhooks/`. */
  readonly before: ByKey;
  /** By their first three characters or more, for a prefix that a line end broke. */
  readonly broken: ByKey;
  /** Which pairs of characters start a prefix. */
  readonly pairs: Uint8Array;
}
type ByKey = ReadonlyMap<string, readonly Prefixed[]>;

const allPrefixes = (): readonly Prefixed[] =>
  [
    ...tokenFormats().map(createPrefixed),
    ...INFIXES.map((infix) => ({
      prefix: infix.middle,
      distinct: "never" as const,
      find: (text: string, at: number) => around(text, at, infix),
    })),
    // What it says when it is decoded is distinct enough.
    { prefix: "eyJ", distinct: "always" as const, find: jsonWebToken },
    { prefix: "LS0tLS1CRUdJTi", distinct: "always" as const, find: encodedKey },
    ...["MII", "MHcCAQEEI", "MHQCAQEEI", "MC4CAQAwBQYDK2VwBCIEI", "MIG"].map((prefix) => ({
      prefix,
      distinct: "never" as const,
      find: bareKey,
    })),
  ].sort((a, b) => b.prefix.length - a.prefix.length);

const isInRun = (char: string): boolean => /[\w-]/.test(char);

/** Made for the first long run: an expression for each of some hundred prefixes takes a moment. */
const index = makeOnce((): Index => {
  const all = allPrefixes();
  const byKeys = (keysOf: (prefix: string) => readonly string[]): ByKey => {
    const by = new Map<string, Prefixed[]>();
    for (const format of all) for (const key of keysOf(format.prefix)) by.set(key, [...(by.get(key) ?? []), format]);
    return by;
  };
  const starts = byKeys((prefix) => (isInRun(prefix.at(-1)!) ? [prefix.slice(0, 2)] : []));
  const pairs = new Uint8Array(65_536);
  for (const pair of starts.keys()) pairs[(pair.charCodeAt(0) << 8) | pair.charCodeAt(1)] = 1;
  return {
    starts,
    before: byKeys((prefix) => (isInRun(prefix.at(-1)!) ? [] : [prefix.at(-1)!])),
    broken: byKeys((prefix) => Array.from({ length: Math.max(0, prefix.length - 3) }, (_, i) => prefix.slice(0, i + 3))),
    pairs,
  };
});

function before(text: string, start: number, end: number): SecretSpan | null {
  const last = text[start - 1] ?? "";
  if (last === "/" || last === "+") {
    const span = base64(text, start);
    if (span) return span;
  }
  for (const { prefix, distinct, find } of index().before.get(last) ?? []) {
    const at = start - prefix.length;
    const span =
      text.startsWith(prefix, at) && (startsHere(text, at) || mayBeGlued(text, at, { prefix, distinct })) ? find(text, at, end) : null;
    if (span) return span;
  }
  return null;
}

/** The run is a later part of base64 that began with a prefix. */
const BASE64_START = new RegExp(`(?:${BASE64.map(({ prefix }) => prefix).join("|")})[A-Za-z0-9+/=_-]{0,120}$`);
function base64(text: string, start: number): SecretSpan | null {
  const from = Math.max(0, start - 128);
  const found = BASE64_START.exec(text.slice(from, start));
  if (!found) return null;
  const at = from + found.index;
  return starting(text, at, start, startsHere(text, at) ? "apart" : "glued");
}

function shaped(text: string, start: number, end: number): SecretSpan | null {
  for (const { ending, first, whole } of SHAPES) {
    if (!ending(text, end)) continue;
    for (let at = start; at <= start + MAX_ESCAPE; at++) {
      const found = first.test(text[at] ?? "") && startsHere(text, at) ? unwrapped(text, at, whole) : null;
      if (found && !isFiller(found.value)) return { start: at, end: found.end, family: "access-token", value: found.value };
    }
  }
  return null;
}

function broken(text: string, start: number, end: number): SecretSpan | null {
  for (const { find } of index().broken.get(text.slice(start, end)) ?? []) {
    const span = find(text, start, end);
    if (span) return span;
  }
  return null;
}

/** A prefix at the start of the run, inside of it behind a `-` or `_`, or behind letters that are glued to it. */
function within(text: string, start: number, end: number, add: (span: SecretSpan | null) => boolean): void {
  const { pairs } = index();
  for (let at = start; at < end - 2; at++) {
    const pair = (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);
    if (pairs[pair] !== 1) continue;
    const isStart = at - start <= MAX_ESCAPE ? startsHere(text, at) : isApart(text, at);
    const span = isStart ? starting(text, at, end) : starting(text, at, end, "glued");
    if (add(span)) at = span!.end - 1;
  }
}

function starting(text: string, at: number, end: number, how: "apart" | "glued" = "apart"): SecretSpan | null {
  for (const { prefix, distinct, find } of index().starts.get(text.slice(at, at + 2)) ?? []) {
    const span =
      text.startsWith(prefix, at) && (how === "apart" || mayBeGlued(text, at, { prefix, distinct })) ? find(text, at, end) : null;
    if (span) return span;
  }
  return null;
}

/** Letters before a key that are not a part of it: of a short prefix they make a word when the last one is a vowel, as in `task_test_…`. */
const mayBeGlued = (text: string, at: number, { prefix, distinct }: Pick<Prefixed, "prefix" | "distinct">): boolean =>
  distinct !== "never" && isGlued(text, at, prefix) && (distinct === "always" || !WORD_START.test(text.slice(Math.max(0, at - 26), at)));
const WORD_START = /(?<![A-Za-z0-9])[A-Za-z]{0,24}[aeiou]$/i;

/** The other half of an AWS pair: forty characters of base64 close to the id, on either side of it. The nearest one is meant. */
const BESIDE = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g;
const REACH = 200;
function secretBeside(text: string, { start, end }: SecretSpan): SecretSpan | null {
  if (end - start !== 20) return null;
  const from = Math.max(0, start - REACH);
  let nearest: SecretSpan | null = null;
  let distance = Number.POSITIVE_INFINITY;
  for (const { 0: value, index } of text.slice(from, end + REACH).matchAll(BESIDE)) {
    const at = from + index;
    const away = at >= end ? at - end : start - at - value.length;
    if (away < 0 || away >= distance || !isMixed(value) || /^(?:[a-f0-9]+|[A-F0-9]+)$/.test(value)) continue;
    nearest = { start: at, end: at + value.length, family: "cloud-key", value };
    distance = away;
  }
  return nearest;
}
