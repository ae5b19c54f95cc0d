import { decoded } from "./assignments.ts";
import { isFiller, isMixed, isStandIn } from "./judge.ts";
import { encodedKey, privateKey, puttyKey } from "./pem.ts";
import { brokenRuns, longRuns } from "./runs.ts";
import type { Span } from "./span.ts";
import { FORMATS, type Format, INFIXES } from "./tokens.ts";
import { unwrapped } from "./wrap.ts";

/** Secrets that are known by their form alone, wherever they stand. In order and apart. */
export function formatted(text: string): Span[] {
  const spans = [...prefixed(text), ...infixed(text), ...shaped(text), ...marked(text)];
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return spans.filter((span) => span.start >= end && (end = span.end) > 0);
}

interface Compiled {
  readonly prefix: string;
  find(text: string, at: number): Span | null;
}

const quoted = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
/** The prefix is an address or a name: it may be shown, and only what follows is secret. */
const isAddress = (prefix: string): boolean => /^[/.]|\.[a-z]+\/|[=:]$/.test(prefix);

function compiled({ family, prefix, body, doubtful }: Format): Compiled {
  const whole = new RegExp(`${quoted(prefix)}${body}(?![A-Za-z0-9])`, "y");
  const shown = isAddress(prefix) ? prefix.length : 0;
  return {
    prefix,
    find(text, at) {
      const found = unwrapped(text, at, whole);
      if (!found) return null;
      const secret = found.value.slice(prefix.length);
      if (isFiller(secret) || isStandIn(secret) || (doubtful && !isMixed(secret))) return null;
      return { start: at + shown, end: found.end, family, value: found.value.slice(shown) };
    },
  };
}

const ALL: readonly Compiled[] = [
  ...FORMATS.map(compiled),
  { prefix: "eyJ", find: jsonWebToken },
  { prefix: "LS0tLS1CRUdJTi", find: encodedKey },
];
/** By the first two characters, longer prefixes first: `sk-proj-` before `sk-`. */
const STARTS = new Map<string, Compiled[]>();
/** By the last character, when the prefix ends before the run does start: `ya29.`, `hooks.slack.com/services/`. */
const BEFORE = new Map<string, Compiled[]>();
for (const format of [...ALL].sort((a, b) => b.prefix.length - a.prefix.length)) {
  const last = format.prefix.at(-1)!;
  const [index, key] = /[\w-]/.test(last) ? [STARTS, format.prefix.slice(0, 2)] : [BEFORE, last];
  index.set(key, [...(index.get(key) ?? []), format]);
}
/** Which pairs of characters start a prefix. */
const PAIRS = new Uint8Array(65_536);
for (const pair of STARTS.keys()) PAIRS[(pair.charCodeAt(0) << 8) | pair.charCodeAt(1)] = 1;
const MAX_PREFIX = Math.max(...ALL.map(({ prefix }) => prefix.length));

function prefixed(text: string): Span[] {
  const spans: Span[] = [];
  let done = 0;
  const add = (span: Span | null): void => {
    if (!span) return;
    spans.push(span);
    done = span.end;
    const beside = span.family === "cloud-key" && secretBeside(text, span);
    if (beside) spans.push(beside);
  };
  longRuns(text, (start, end) => {
    if (end <= done) return;
    const before = BEFORE.get(text[start - 1] ?? "");
    if (before) add(addressed(text, Math.max(done, start - 2 * MAX_PREFIX), start, before));
    within(text, Math.max(start, done), end, add);
  });
  brokenRuns(text, (start, end) => {
    if (/[A-Za-z0-9_\-.+/]/.test(text[text[end] === "\r" ? end + 2 : end + 1] ?? "") || isIndented(text, end))
      within(text, start, end, add);
  });
  return spans;
}

const isIndented = (text: string, lineEnd: number): boolean => /^\r?\n[ \t]{1,40}\w/.test(text.slice(lineEnd, lineEnd + 44));

/** A prefix that ends before the run, with parts between them perhaps. */
function addressed(text: string, from: number, start: number, formats: readonly Compiled[]): Span | null {
  const near = text.slice(from, start);
  for (const { prefix, find } of formats) {
    const at = near.lastIndexOf(prefix);
    const span = at >= 0 && startsHere(text, from + at) ? find(text, from + at) : null;
    if (span && span.end > start) return span;
  }
  return null;
}

/** A prefix at the start of the run, or inside of it behind a `-` or `_`. */
function within(text: string, start: number, end: number, add: (span: Span | null) => void): void {
  for (let at = start; at < end - 2; at++) {
    const pair = (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);
    if (PAIRS[pair] !== 1 || !startsHere(text, at)) continue;
    for (const { prefix, find } of STARTS.get(text.slice(at, at + 2))!) {
      if (!text.startsWith(prefix, at)) continue;
      const span = find(text, at);
      if (!span) continue;
      add(span);
      at = span.end - 1;
      break;
    }
  }
}

/** No letter or digit before it, but for one that only looks like it: the end of an escape, written out. */
function startsHere(text: string, at: number): boolean {
  if (at === 0 || !isAlphanumeric(text.charCodeAt(at - 1)) || !isAlphanumeric(text.charCodeAt(at))) return true;
  return /(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\[[\d;]{0,12}m|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2})$/.test(text.slice(Math.max(0, at - 16), at));
}

const isAlphanumeric = (code: number): boolean => (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

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
const JWT = new RegExp(
  `eyJ${PART}{8,2048}\\.(?:eyJ${PART}{2,8192}(?:\\.${PART}{0,2048})?|${PART}{2,8192}(?:\\.${PART}{0,8192}){1,3})`,
  "y",
);
function jsonWebToken(text: string, at: number): Span | null {
  // Behind one of these it would be inside of its own first part.
  if (/[_-]/.test(text[at - 1] ?? "")) return null;
  const found = unwrapped(text, at, JWT);
  if (!found || !/"(?:alg|typ|kid|enc|cty|jku|x5t)"/.test(decoded(found.value.slice(0, found.value.indexOf("."))))) return null;
  return { start: at, end: found.end, family: "bearer", value: found.value };
}

function infixed(text: string): Span[] {
  const spans: Span[] = [];
  for (const { family, middle, back, whole } of INFIXES) {
    for (let at = text.indexOf(middle); at >= 0; at = text.indexOf(middle, at + middle.length)) {
      const from = Math.max(0, at - back - 1);
      const found = whole.exec(text.slice(from, at + 256));
      if (!found || from + found.index > at || isFiller(found[0].slice(back))) continue;
      const start = from + found.index;
      spans.push({ start, end: start + found[0].length, family, value: found[0] });
    }
  }
  return spans;
}

/** Known by nothing but their shape: Discord's bot tokens, whose first part is a number in base64; a line of `.pgpass`. */
const SHAPES: readonly (readonly [Span["family"], RegExp])[] = [
  ["access-token", /(?<![\w.-])()([MNO][TDjzQAgw][A-Za-z0-9_-]{20,27}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{25,45})(?![\w-])/g],
  ["password", /(:(?:54\d\d|6432|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:)([^\s:]{4,200})(?=\s|$)/g],
];

function shaped(text: string): Span[] {
  const spans: Span[] = [];
  for (const [family, whole] of SHAPES) {
    for (const [all, before = "", value = "", at] of allOf(whole, text)) {
      if (all === "" || isStandIn(value) || !/\d|\W/.test(value)) continue;
      spans.push({ start: at + before.length, end: at + before.length + value.length, family, value });
    }
  }
  return spans;
}

function* allOf(pattern: RegExp, text: string): Generator<[string, string | undefined, string | undefined, number]> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) yield [match[0], match[1], match[2], match.index];
}

type Marked = (text: string, at: number, nextEnd: (from: number) => number) => Span | null;
const MARKS: readonly (readonly [string, Marked])[] = [
  ["-----BEGIN ", privateKey],
  ["Private-Lines:", puttyKey],
];

function marked(text: string): Span[] {
  const spans: Span[] = [];
  const nextEnd = forward(text, "-----END");
  for (const [mark, find] of MARKS) {
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + mark.length)) {
      const span = find(text, at, nextEnd);
      if (span) spans.push(span);
    }
  }
  return spans;
}

/** Where a marker stands next, found once for all who ask: the places asked from never go back. */
function forward(text: string, marker: string): (from: number) => number {
  let known = -2;
  return (from) => {
    if (known !== -1 && known < from) known = text.indexOf(marker, from);
    return known;
  };
}
