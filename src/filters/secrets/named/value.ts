import { matchAt } from "../match-at.ts";
import type { NamedForm } from "./forms.ts";

export interface Value {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly quoted: boolean;
}

const MAX_VALUE = 4096;
const QUOTE = /(?:[brfu@]|\$)?(\\{0,3}["'`]|\\{1,3}u0022|&quot;|&#3[49];|%22)/y;
const WHOLE = /[^\s"'`<>]{1,4096}/y;
/** So much of a value is enough to tell that it is no secret. */
const START = /[^\s"'`<>]{1,256}/y;
/** Alone on its line it goes on to the next space, quotes and all. */
const LINE = /\S{1,4096}/y;

/** What a form gives to its name: between quotes, or up to a space. Of a long one the start is enough to judge it. */
export function valueAt(text: string, form: NamedForm, extent: "start" | "whole"): Value | null {
  const quote = matchAt(QUOTE, text, form.at);
  if (quote) return quotedValue(text, form.at + quote[0].length, quote[1]!);
  const pattern = form.kind === "line" ? LINE : extent === "start" ? START : WHOLE;
  const bare = form.strict ? null : matchAt(pattern, text, form.at)?.[0];
  // Between tags is between two tags.
  if (!bare || (form.kind === "mark" && !text.startsWith("</", form.at + bare.length))) return null;
  const value = trimmed(text[form.at - 3] === "%" ? bare.replace(/%2[26].*$/s, "") : bare);
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
  const rest = matchAt(GOES_ON, text, lineEnd);
  const first = text.slice(start, lineEnd).trimEnd();
  if (rest?.[2] !== quote || first.length < 4 || /\s/.test(first)) return null;
  return { text: first + rest[1]!, start, end: lineEnd + rest[0].length - 1, quoted: true };
}

/** What belongs to the line and not to the value: the next pair, a closing bracket, a full stop. */
function trimmed(value: string): string {
  const next = /(?:&(?:amp;)?|[;,])(?:[A-Za-z_][\w.-]{0,40}[=:]|["'\]})]|$)|\\[nrt"']|&(?:[a-z]{2,6}|#\d{2,5});/.exec(value);
  return balanced(next ? value.slice(0, next.index) : value).replace(/[.:]$/, "");
}

/** `f(token=abc)` closes a bracket that the value never opened. */
function balanced(value: string): string {
  const close = value.search(/[)\]}]/);
  if (close < 0 || !/^[)\]},;]*$/.test(value.slice(close))) return value;
  const before = value.slice(0, close);
  return /[([{]/.test(before) ? value : before;
}
