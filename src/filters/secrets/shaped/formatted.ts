import { isPlaceholderValue } from "../placeholder.ts";
import type { Family, SecretSpan } from "../span.ts";
import { around, createPrefixed, quoted } from "./format.ts";
import { isGlued, startsHere } from "./key-start.ts";
import { prefixed } from "./prefixed.ts";
import { privateKey, puttyKey } from "./private-key.ts";
import { ENTRA, MARKED } from "./tokens.ts";

/** Secrets that are known by their form alone, wherever they stand. In order and apart. */
export function formatted(text: string): SecretSpan[] {
  const spans = [
    ...prefixed(text),
    ...entra(text),
    ...pgpass(text),
    ...findGroup(text, KAGGLE, "access-token"),
    ...findGroup(text, PHRASE, "password"),
    ...marked(text),
  ];
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  return spans.filter((span) => {
    if (span.start < end) return false;
    end = span.end;
    return true;
  });
}

function entra(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  for (let at = text.indexOf(ENTRA.middle); at >= 0; at = text.indexOf(ENTRA.middle, at + 1)) {
    const span = around(text, at, ENTRA);
    if (span) spans.push(span);
  }
  return spans;
}

/** A line of `.pgpass`: host, port, database, user, password. */
const PGPASS = /(:(?:54\d\d|6432|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:)([^\s:*'"`(][^\s:'"`()]{3,200})(?=\s|$)/g;
function pgpass(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  PGPASS.lastIndex = 0;
  for (let match = PGPASS.exec(text); match; match = PGPASS.exec(text)) {
    const [, before = "", value = ""] = match;
    const start = match.index + before.length;
    if (!isPlaceholderValue(value) && /\d|\W/.test(value)) spans.push({ start, end: start + value.length, family: "password", value });
  }
  return spans;
}

/** The words of a wallet: twelve to twenty-four, none as short as most words of a sentence. */
const PHRASE = /(?:mnemonic|(?:seed|recovery)[_ -]?phrase)["']?[ \t]{0,8}[:=][ \t]{0,8}["'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z])/gi;
/** A name and a key as Kaggle keeps them: the key is thirty-two characters of a hash, and its name says no more than "key". */
const KAGGLE = /"username"\s{0,4}:\s{0,4}"[^"\n]{1,64}",\s{0,8}"key"\s{0,4}:\s{0,4}"([a-f0-9]{32})"/g;

/** What the only group of a pattern holds. */
const findGroup = (text: string, pattern: RegExp, family: Family): SecretSpan[] =>
  Array.from(text.matchAll(pattern), ({ 0: all, 1: value = "", index }) => {
    const start = index + all.lastIndexOf(value);
    return { start, end: start + value.length, family, value };
  });

type Marked = (text: string, at: number, nextEnd: (from: number) => number) => SecretSpan | null;
/** What has no long run where its mark ends. */
const MARKS: ReadonlyMap<string, Marked> = new Map<string, Marked>([
  ["-----BEGIN ", privateKey],
  ["Private-Lines:", puttyKey],
  ...MARKED.map(createPrefixed).map(({ prefix, distinct, find }): [string, Marked] => [
    prefix,
    (text, at) => (startsHere(text, at) || (distinct === "always" && isGlued(text, at, prefix)) ? find(text, at, at) : null),
  ]),
]);
const MARK = new RegExp([...MARKS.keys()].map(quoted).join("|"), "g");

function marked(text: string): SecretSpan[] {
  const spans: SecretSpan[] = [];
  const nextEnd = forward(text, "-----END");
  MARK.lastIndex = 0;
  for (let match = MARK.exec(text); match; match = MARK.exec(text)) {
    const span = MARKS.get(match[0])!(text, match.index, nextEnd);
    if (span) spans.push(span);
  }
  return spans;
}

/** Where a marker stands next, found once for all callers: the places they ask from never go back. */
function forward(text: string, marker: string): (from: number) => number {
  let known = -2;
  return (from) => {
    if (known !== -1 && known < from) known = text.indexOf(marker, from);
    return known;
  };
}
