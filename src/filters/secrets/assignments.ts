import { isCode, isMixed, isStandIn, isStrong, isWordy } from "./judge.ts";
import { goesBeforeKey, type Meaning, meaning } from "./names.ts";
import type { Span } from "./span.ts";

const MAX_NAME = 64;
const MAX_VALUE = 4096;

/** A value that has a secret's name: `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, `name => 'value'`. */
export interface Assigned {
  readonly spans: readonly Span[];
  /** Where to look on. */
  readonly end: number;
}

/** Looks at the name around `at`, where a word was found that may be part of a secret's name. */
export function assignment(text: string, at: number): Assigned {
  const name = nameAround(text, at);
  const none = { spans: [], end: Math.max(name.end, at + 1) };
  const means = TIED.has(text[name.end] ?? "") ? meaning(name.text) : null;
  if (!means) return none;
  const form = isElsewhere(text, name.start) ? null : formAfter(text, name);
  const value = form && valueAt(text, form);
  if (!value || !isSecret(value.text, means, form, value.quoted)) return none;
  const span: Span = { start: value.start, end: value.end, family: means.family, value: value.text };
  const spans = means.kind === "pair" ? [withPassword(span, value.text)] : [span];
  const changed = newValue(text, value.end, means);
  return { spans: changed ? [...spans, changed] : spans, end: (changed ?? value).end };
}

/** `${PASSWORD:-…}` is a shell's, `https://token:…@host` an address, a page token a place in a list, an ARN a name. */
function isElsewhere(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 64), start);
  return /(?:\$\{|:\/\/|\b(?:next|page|continuation|csrf|public|unexpected) |arn:[\w:*-]{4,60}:)$/i.test(before);
}

/** What may follow a name that has a value. Most words are followed by something else. */
const TIED = new Set(" \t\r\n\"'`\\])=:!|?+>,");

interface Name {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

function nameAround(text: string, at: number): Name {
  let start = at;
  while (start > 0 && at - start < MAX_NAME && isNameChar(text.charCodeAt(start - 1))) start--;
  // `\npassword`, `%26password`: what stands for a character is no part of the name.
  if (start > 0 && start < at && text[start - 1] === "\\" && "nrtbf".includes(text[start]!)) start++;
  if (start > 0 && start + 1 < at && text[start - 1] === "%" && /^[0-9A-F]{2}/.test(text.slice(start, start + 2))) start += 2;
  const before = /^key$/i.test(text.slice(start, at + 3)) ? /([A-Za-z]{2,16}) $/.exec(text.slice(Math.max(0, start - 17), start)) : null;
  if (before && goesBeforeKey(before[1]!)) start -= before[0].length;
  let end = at;
  while (end < text.length && end - at < MAX_NAME && isNameChar(text.charCodeAt(end))) end++;
  return { text: text.slice(start, end), start, end };
}

function isNameChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46
  );
}

/** How the value is tied to the name, and where it starts. */
interface Form {
  readonly at: number;
  /** `env`: `NAME=value`. `flag`: `--name value`. `mark`: between tags. `loose`: a comparison, a call, a sentence. */
  readonly kind: "plain" | "env" | "flag" | "mark" | "loose";
  /** A quoted value only. */
  readonly strict: boolean;
  /** The name is written in capitals, as in an environment. */
  readonly capital: boolean;
}

const TIE = /(\\{0,3}["'`])?\]?\)?[ \t]{0,20}(:=|=>|[=!]==?|\|\|=|\?=|\+=|=|:(?!:))[ \t]{0,20}/y;
/** `: string =`, `: &str =`, `: Optional[str] =` */
const TYPED = /&?(?:'static )?[A-Za-z_][\w<>[\].|? ]{0,40}?[ \t]?=[ \t]?(?=[brfu@]?["'`])/y;
/** `{"name": "DB_PASSWORD", "value": "…"}`, `- name: X` and `value: …` on the next line, `<add key="Password" value="…"/>` */
const BESIDE = /\\{0,3}["']?[ \t]{0,20},?[ \t]{0,20}(?:\r?\n[ \t]{0,60})?\\{0,3}["']?[Vv]alue\\{0,3}["']?[ \t]{0,20}[:=][ \t]{0,20}/y;
const NAMED = /(?:[Nn]ame|[Kk]ey)\\{0,3}["']?[ \t]{0,20}[:=][ \t]{0,20}\\{0,3}["']?$/;
const TAG = /["']?[ \t]{0,4}>(?=[^<>\s])/y;
const NEXT_ARGUMENT = /["'`][ \t]{0,4},[ \t]{0,8}(?=["'`])/y;
const SPACE = /[ \t]{1,20}(?=[^\s-])/y;
const SAID = /[ \t](?:is|was)(?::|[ \t])[ \t]?(?=\S)|[ \t](?=')/y;

function formAfter(text: string, name: Name): Form | null {
  const capital = /^[-.]{0,2}[A-Z][A-Z0-9_]*$/.test(name.text);
  const tie = stick(TIE, text, name.end);
  if (tie) {
    const at = name.end + tie[0].length;
    const sign = tie[2]!;
    if (sign.endsWith("==")) return { at, kind: "loose", strict: true, capital };
    if (sign === ":") {
      const typed = stick(TYPED, text, at);
      if (typed) return { at: at + typed[0].length, kind: "plain", strict: true, capital };
    }
    return { at, kind: capital && tie[0] === "=" ? "env" : "plain", strict: false, capital };
  }
  if (NAMED.test(text.slice(Math.max(0, name.start - 60), name.start))) {
    const beside = stick(BESIDE, text, name.end);
    if (beside) return { at: name.end + beside[0].length, kind: "plain", strict: false, capital };
  }
  const tag = stick(TAG, text, name.end);
  if (tag && /<[^<>\n]{0,60}$/.test(text.slice(Math.max(0, name.start - 64), name.start)))
    return { at: name.end + tag[0].length, kind: "mark", strict: false, capital };
  if (name.text.startsWith("-")) {
    const space = stick(SPACE, text, name.end);
    if (space) return { at: name.end + space[0].length, kind: "flag", strict: false, capital };
  }
  // `"/etc/passwd", "utf8"`
  if (text[name.start - 1] === "/") return null;
  const next = stick(NEXT_ARGUMENT, text, name.end);
  if (next) return { at: name.end + next[0].length, kind: "loose", strict: true, capital };
  const said = stick(SAID, text, name.end);
  return said && { at: name.end + said[0].length, kind: "loose", strict: false, capital };
}

interface Value {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

const QUOTE = /(?:[brfu@]|\$)?(\\{0,3})(["'`])/y;
const BARE = /[^\s"'`<>]{1,4096}/y;

function valueAt(text: string, form: Form): Value | null {
  const quote = stick(QUOTE, text, form.at);
  if (quote) return quotedValue(text, form.at + quote[0].length, quote[1]! + quote[2]!);
  if (form.strict) return null;
  const bare = stick(BARE, text, form.at);
  if (!bare) return null;
  const value = trimmed(bare[0]);
  // Between tags is between two tags.
  if (form.kind === "mark" && !text.startsWith("</", form.at + bare[0].length)) return null;
  return value === "" ? null : { text: value, start: form.at, end: form.at + value.length, quoted: false };
}

/** Up to the closing quote; a value wrapped by a terminal goes on at the start of the next line, up to that quote. */
function quotedValue(text: string, start: number, quote: string): Value | null {
  const last = quote.at(-1)!;
  const limit = Math.min(text.length, start + MAX_VALUE);
  for (let i = start; i < limit; i++) {
    const char = text[i];
    if (char === "\n") return wrappedValue(text, start, i, quote);
    if (quote.length === 1 && char === "\\") i++;
    else if (char === last && text.startsWith(quote, i - quote.length + 1))
      return { text: text.slice(start, i - quote.length + 1), start, end: i - quote.length + 1, quoted: true };
  }
  return null;
}

const GOES_ON = /\n[ \t]{0,40}([^\s"'`]{1,200})(["'`])/y;
function wrappedValue(text: string, start: number, lineEnd: number, quote: string): Value | null {
  const rest = stick(GOES_ON, text, lineEnd);
  const first = text.slice(start, lineEnd).trimEnd();
  if (rest?.[2] !== quote || first.length < 4 || /\s/.test(first)) return null;
  return { text: first + rest[1]!, start, end: lineEnd + rest[0].length - 1, quoted: true };
}

/** What belongs to the line and not to the value: the next pair, a closing bracket, a full stop. */
function trimmed(value: string): string {
  const next = /(?:&(?:amp;)?|[;,])(?:[A-Za-z_][\w.-]{0,40}=|["'\]})]|$)|\\[nrt"']/.exec(value);
  return unbalanced(next ? value.slice(0, next.index) : value).replace(/[.:]$/, "");
}

/** `f(token=abc)` closes a bracket that the value never opened. */
function unbalanced(value: string): string {
  const close = value.search(/[)\]}]/);
  if (close < 0) return value;
  const before = value.slice(0, close);
  return /[([{]/.test(before) ? value : /^[)\]},;]*$/.test(value.slice(close)) ? before : value;
}

function isSecret(value: string, means: Meaning, form: Form, quoted: boolean): boolean {
  if (value.length < 4 || isStandIn(value) || (!quoted && isCode(value))) return false;
  if (form.kind !== "env" && NAMES_ITSELF.test(value)) return false;
  if (means.kind === "pair") return passwordIn(value) !== null;
  if (means.kind === "perhaps") return isStrong(value);
  if (form.kind === "loose" && !isChosen(value) && (value.length < 8 || isWordy(value))) return false;
  if (means.kind === "token") return isToken(value, form, quoted);
  return isPassword(value, form, quoted);
}

/** `challengePassword`, `not_a_secret`: what it is called, not what it is. */
const NAMES_ITSELF = /^[A-Za-z_. -]{0,40}(?:password|passwd|passphrase|secret|token|credential|private_?key|api_?key)[A-Za-z_. -]{0,20}$/i;

/** Made by a machine: letters and digits that are no words, or a long mix of capitals and small letters. */
function isToken(value: string, form: Form, quoted: boolean): boolean {
  if (value.length < 8 || /\s/.test(value)) return false;
  if (/\d/.test(value) && /[A-Za-z]/.test(value) && !isWordy(value)) return true;
  if (value.length >= 12 && (isMixed(value) || (quoted && /[a-z]/.test(value) && /[A-Z]/.test(value) && !isWordy(value)))) return true;
  // A word as a secret: only where a program could not mean anything else by it.
  return form.kind === "env" && !/[-_./]/.test(value) && (quoted || value.length >= 10);
}

/** Chosen by a person. A bare word counts only where code and prose cannot stand. */
function isPassword(value: string, form: Form, quoted: boolean): boolean {
  if (/\s/.test(value)) return false;
  if (/^\d+$/.test(value)) return value.length >= 6 && (quoted || form.kind === "env");
  if (form.kind === "env" || form.kind === "mark") return true;
  if (/^[A-Za-z]+$/.test(value)) {
    if (quoted) return value.length >= 6 && !/^[A-Z][a-z]+$/.test(value);
    return value.length >= 8 && !isWordy(value);
  }
  return (
    isChosen(value) ||
    (value.length >= 8 && !isWordy(value)) ||
    (quoted && /[^\w.-]/.test(value)) ||
    (/[!@#$%^&*+=?~]/.test(value) && value.length >= 6)
  );
}

/** Letters with digits in them. */
const isChosen = (value: string): boolean =>
  value.length >= 4 &&
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^v?\d+(?:[.-]\w+)*$/.test(value) &&
  !/[-_./].*[-_./]/.test(wordyOnly(value));
const wordyOnly = (value: string): string => (isWordy(value) ? value : "");

/** `password = "old" -> "new"` in a plan of changes. */
const CHANGED = /["'`]?[ \t]{1,4}->[ \t]{1,4}(?=["'`])/y;
function newValue(text: string, end: number, means: Meaning): Span | null {
  const arrow = stick(CHANGED, text, end);
  if (!arrow) return null;
  const form: Form = { at: end + arrow[0].length, kind: "plain", strict: true, capital: false };
  const value = valueAt(text, form);
  if (!value || !isSecret(value.text, means, form, value.quoted)) return null;
  return { start: value.start, end: value.end, family: means.family, value: value.text };
}

function withPassword(span: Span, pair: string): Span {
  const also = passwordIn(pair);
  return also ? { ...span, also } : span;
}

/** The password in base64 of `user:password`; null when that is not what it is. */
export function passwordIn(pair: string): string | null {
  if (pair.length < 8 || pair.length > MAX_VALUE || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(pair)) return null;
  const [, password] = /^[\x20-\x7e]{0,200}?:([\x20-\x7e]+)$/.exec(decoded(pair)) ?? [];
  return password ?? null;
}

/** Base64 as text; empty when it is none. */
export function decoded(base64: string): string {
  try {
    return atob(base64.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, ""));
  } catch {
    return "";
  }
}

/** A match of a sticky pattern exactly here. */
export function stick(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
