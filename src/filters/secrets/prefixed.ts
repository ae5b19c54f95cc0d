import { decoded } from "./base64.ts";
import { isFiller, isMixed, isRandom, isSample, isWordy } from "./judge.ts";
import { encodedKey } from "./pem.ts";
import { brokenRuns, longRuns } from "./runs.ts";
import type { Span } from "./span.ts";
import { isApart, MAX_ESCAPE, startsHere } from "./starts.ts";
import { BASE64, FORMATS, type Format, INFIXES, type Infix, SHAPES } from "./tokens.ts";
import { unwrapped } from "./wrap.ts";

/** A format ready to be tried where its prefix stands, or the part of it that a line has room for. */
export interface Prefixed {
  readonly prefix: string;
  /** `end` is where the run around `at` ends. */
  find(text: string, at: number, end: number): Span | null;
}

export const quoted = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
/** The prefix is an address or a name: it may be shown, and only what follows is secret. */
const isAddress = (prefix: string): boolean => /^[/.]|\.[a-z]+\/|[=:]$/.test(prefix);

/** The first line of a wrapped one is not a word of its own: the next may be anything. */
function isOpen(value: string): boolean {
  const line = value.indexOf("\n");
  return line < 6 || !isWordy(value.slice(0, line));
}

/** Inside of base64, or of something longer that is random itself. */
function isByChance(text: string, at: number): boolean {
  const before = /[\w+/-]{1,64}[_+/-]$/.exec(text.slice(Math.max(0, at - 65), at))?.[0];
  return before !== undefined && (/[+/]$/.test(before) || before.length < 4 || !isWordy(before));
}

/** Behind these words comes a hash, and a prefix inside of it by chance. */
const HASH = /sha\d{1,3}[=:-][\w+/-]{0,72}$/;

export function prepared({ family, prefix, body, doubtful }: Format): Prefixed {
  const whole = new RegExp(`${quoted(prefix)}${body}(?![A-Za-z0-9])`, "y");
  const shown = isAddress(prefix) ? prefix.length : 0;
  return {
    prefix,
    find(text, at) {
      const found = unwrapped(text, at, whole);
      if (!found) return null;
      const secret = found.value.slice(prefix.length);
      if (isSample(secret) || HASH.test(text.slice(Math.max(0, at - 80), at))) return null;
      if (doubtful && isByChance(text, at)) return null;
      if (doubtful && !(isRandom(secret) && isOpen(text.slice(at + prefix.length, found.end)))) return null;
      return { start: at + shown, end: found.end, family, value: found.value.slice(shown) };
    },
  };
}

const ALL: readonly Prefixed[] = [
  ...FORMATS.map(prepared),
  ...INFIXES.map((infix) => ({ prefix: infix.middle, find: (text: string, at: number) => around(text, at, infix) })),
  { prefix: "eyJ", find: jsonWebToken },
  { prefix: "LS0tLS1CRUdJTi", find: encodedKey },
].sort((a, b) => b.prefix.length - a.prefix.length);

const isInRun = (char: string): boolean => /[\w-]/.test(char);
/** By the first two characters, longer prefixes first: `sk-proj-` before `sk-`. */
const STARTS = index((prefix) => (isInRun(prefix.at(-1)!) ? [prefix.slice(0, 2)] : []));
/** By the last character, when the prefix ends before the run starts: `ya29.`, `discord.com/api/webhooks/`. */
const BEFORE = index((prefix) => (isInRun(prefix.at(-1)!) ? [] : [prefix.at(-1)!]));
/** By their first three characters or more, for a prefix that a line end broke. */
const BROKEN = index((prefix) => Array.from({ length: Math.max(0, prefix.length - 3) }, (_, i) => prefix.slice(0, i + 3)));

function index(keysOf: (prefix: string) => readonly string[]): ReadonlyMap<string, readonly Prefixed[]> {
  const by = new Map<string, Prefixed[]>();
  for (const format of ALL) for (const key of keysOf(format.prefix)) by.set(key, [...(by.get(key) ?? []), format]);
  return by;
}

/** Which pairs of characters start a prefix. */
const PAIRS = new Uint8Array(65_536);
for (const pair of STARTS.keys()) PAIRS[(pair.charCodeAt(0) << 8) | pair.charCodeAt(1)] = 1;

/** Keys that start with the name of who made them. Each has a long run of characters, and only those runs are looked at. */
export function prefixed(text: string): Span[] {
  const spans: Span[] = [];
  let done = 0;
  const add = (span: Span | null): boolean => {
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

function before(text: string, start: number, end: number): Span | null {
  const last = text[start - 1] ?? "";
  if (last === "/" || last === "+") {
    const span = base64(text, start);
    if (span) return span;
  }
  for (const { prefix, find } of BEFORE.get(last) ?? []) {
    const at = start - prefix.length;
    const span = text.startsWith(prefix, at) && startsHere(text, at) ? find(text, at, end) : null;
    if (span) return span;
  }
  return null;
}

/** The run is a later part of base64 that began with a prefix. */
const BASE64_START = new RegExp(`(?:${BASE64.map(({ prefix }) => prefix).join("|")})[A-Za-z0-9+/=_-]{0,120}$`);
function base64(text: string, start: number): Span | null {
  const from = Math.max(0, start - 128);
  const found = BASE64_START.exec(text.slice(from, start));
  return found && startsHere(text, from + found.index) ? starting(text, from + found.index, start) : null;
}

/** What stands before and behind a middle. */
export function around(text: string, at: number, { family, head, tail }: Infix): Span | null {
  const first = head.exec(text.slice(Math.max(0, at - 16), at))?.[0];
  if (first === undefined || !startsHere(text, at - first.length)) return null;
  const found = unwrapped(text, at, tail);
  if (!found || isFiller(found.value)) return null;
  return { start: at - first.length, end: found.end, family, value: first + found.value };
}

function shaped(text: string, start: number, end: number): Span | null {
  for (const { ending, first, whole } of SHAPES) {
    if (!ending(text, end)) continue;
    for (let at = start; at <= start + MAX_ESCAPE; at++) {
      const found = first.test(text[at] ?? "") && startsHere(text, at) ? unwrapped(text, at, whole) : null;
      if (found && !isFiller(found.value)) return { start: at, end: found.end, family: "access-token", value: found.value };
    }
  }
  return null;
}

function broken(text: string, start: number, end: number): Span | null {
  for (const { find } of BROKEN.get(text.slice(start, end)) ?? []) {
    const span = find(text, start, end);
    if (span) return span;
  }
  return null;
}

/** A prefix at the start of the run, or inside of it behind a `-` or `_`. */
function within(text: string, start: number, end: number, add: (span: Span | null) => boolean): void {
  for (let at = start; at < end - 2; at++) {
    const pair = (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);
    if (PAIRS[pair] !== 1 || !(at - start <= MAX_ESCAPE ? startsHere(text, at) : isApart(text, at))) continue;
    const span = starting(text, at, end);
    if (add(span)) at = span!.end - 1;
  }
}

function starting(text: string, at: number, end: number): Span | null {
  for (const { prefix, find } of STARTS.get(text.slice(at, at + 2)) ?? []) {
    const span = text.startsWith(prefix, at) ? find(text, at, end) : null;
    if (span) return span;
  }
  return null;
}

/** The other half of an AWS pair: forty characters of base64 close behind the id. */
const BESIDE = /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/;
function secretBeside(text: string, { start, end }: Span): Span | null {
  if (end - start !== 20) return null;
  const found = BESIDE.exec(text.slice(end, end + 120));
  if (!found || !isMixed(found[0]) || /^[a-f0-9]+$/.test(found[0])) return null;
  return { start: end + found.index, end: end + found.index + 40, family: "cloud-key", value: found[0] };
}

/** Three parts in base64, the first of which says how it was signed; five when it is encrypted; two when it was cut. */
const PART = "[A-Za-z0-9_-]";
const MAX_HEADER = 2048;
const JWT = new RegExp(
  `eyJ${PART}{8,${MAX_HEADER}}\\.(?:eyJ${PART}{2,8192}(?:\\.${PART}{0,2048})?|${PART}{2,8192}(?:\\.${PART}{0,8192}){1,3})`,
  "y",
);
function jsonWebToken(text: string, at: number, end: number): Span | null {
  if (end - at > MAX_HEADER || !/[.\r\n]/.test(text[end] ?? "")) return null;
  const found = unwrapped(text, at, JWT);
  if (!found || !/"(?:alg|typ|kid|enc|cty|jku|x5t)"/.test(decoded(found.value.slice(0, found.value.indexOf("."))))) return null;
  return { start: at, end: found.end, family: "bearer", value: found.value };
}
