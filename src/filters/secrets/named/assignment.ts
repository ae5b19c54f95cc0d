import { passwordIn } from "../base64.ts";
import { matchAt } from "../match-at.ts";
import type { SecretSpan } from "../span.ts";
import { fitsName } from "./fits-name.ts";
import { formAfter, type Name, type NamedForm } from "./forms.ts";
import { goesBeforeKey, type Meaning, meaningOfName } from "./names.ts";
import { type Value, valueAt } from "./value.ts";
import { isSaidOf } from "./verdicts.ts";

/** What was found at a word, and where to look on. */
export interface FoundAssignment {
  readonly spans: readonly SecretSpan[];
  readonly end: number;
}

const MAX_NAME = 64;

/**
 * A value that has a secret's name: `NAME=value`, `"name": "value"`, `--name value`, `<name>value</name>`, `name => 'value'`.
 * `at` is where a word starts that may be part of such a name.
 */
export function findAssignment(text: string, at: number): FoundAssignment {
  const name = nameAround(text, at);
  const none = { spans: [], end: Math.max(name.end, at + 1) };
  // Of what is longer the end is not in sight.
  const form = name.end - at < MAX_NAME ? formAfter(text, name) : null;
  const means = form && meaningOfName(name.text);
  const value = means && secretAt(text, form, means);
  if (!value || isElsewhere(text, name.start) || isSaidOf(text, name, value)) return none;
  const span = spanOf(value, means);
  const changed = newValue(text, value.end, means);
  return changed ? { spans: [span, changed], end: changed.end } : { spans: [span], end: value.end };
}

function nameAround(text: string, at: number): Name {
  let start = at;
  while (start > 0 && at - start < MAX_NAME && isNameChar(text.charCodeAt(start - 1))) start--;
  // `\npassword`, `%26password`: what stands for a character is no part of the name.
  if (start > 0 && start < at && text[start - 1] === "\\" && "nrtbf".includes(text[start]!)) start++;
  if (start > 0 && start + 1 < at && text[start - 1] === "%" && /^[0-9A-F]{2}/.test(text.slice(start, start + 2))) start += 2;
  let end = at;
  while (end < text.length && end - at < MAX_NAME && isNameChar(text.charCodeAt(end))) end++;
  // `API key: …` is one name.
  const before =
    end - start === 3 && text[start - 1] === " " ? /([A-Za-z]{2,16}) $/.exec(text.slice(Math.max(0, start - 17), start)) : null;
  if (before && goesBeforeKey(before[1]!)) start -= before[0].length;
  return { text: text.slice(start, end), start, end };
}

function isNameChar(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95 || code === 45 || code === 46
  );
}

/** `${PASSWORD:-…}` is a shell's, `https://token:…@host` an address, a page token a place in a list, an ARN a name. */
function isElsewhere(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - 64), start);
  return /(?:\$\{|:\/\/|\b(?:next|page|continuation|csrf|public|unexpected) |arn:[\w:*-]{4,60}:)$/i.test(before);
}

/** The value, when it is a secret. A long one is read to its end only then. */
function secretAt(text: string, form: NamedForm, means: Meaning): Value | null {
  const start = valueAt(text, form, "start");
  if (!start || !fitsName(start, means, form)) return null;
  return start.quoted || start.text.length < 200 ? start : valueAt(text, form, "whole");
}

/** `password = "old" -> "new"` in a plan of changes. */
const CHANGED = /["'`]?[ \t]{1,4}->[ \t]{1,4}(?=["'`])/y;
function newValue(text: string, end: number, means: Meaning): SecretSpan | null {
  const arrow = matchAt(CHANGED, text, end);
  const value = arrow && secretAt(text, { at: end + arrow[0].length, kind: "plain", strict: true }, means);
  return value && spanOf(value, means);
}

function spanOf({ start, end, text }: Value, { kind, family }: Meaning): SecretSpan {
  const also = kind === "pair" ? passwordIn(text) : null;
  return { start, end, family, value: text, ...(also && { also }) };
}
