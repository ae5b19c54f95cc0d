import type { Paint, Theme } from "../../theme.ts";
import { type CodeLanguage, findLanguage } from "./language.ts";

/** Colours the lines of one block of code, one after the other. */
export interface Highlighter {
  /** The next line. */
  line(text: string): string;
  /** The same, without going on: the line is not complete yet. */
  peek(text: string): string;
}

/** What a line begins in, from the lines before it. */
type Span = { readonly end: string; readonly kind: "comment" | "string" } | null;
type Painted = readonly [drawn: string, after: Span];

/** A longer line is data, and reading it is not worth the time. */
const LONGEST = 2000;

/** For the language that is named behind the fence. The text is shown as it is where that is not known. */
export function createHighlighter(info: string, theme: Theme): Highlighter {
  if (/^(?:diff|patch)\b/i.test(info)) return withoutState((text) => diffLine(text, theme));
  const language = findLanguage(info);
  if (language === null) return withoutState((text) => text);
  let span: Span = null;
  const draw = (text: string): Painted => (text.length > LONGEST ? [text, span] : drawLine(text, span, language, theme));
  return {
    line(text) {
      const [drawn, after] = draw(text);
      span = after;
      return drawn;
    },
    peek: (text) => draw(text)[0],
  };
}

const withoutState = (line: Paint): Highlighter => ({ line, peek: line });

function diffLine(text: string, { add, del, accent }: Theme): string {
  if (text.startsWith("@@")) return accent(text);
  return text.startsWith("+") ? add(text) : text.startsWith("-") ? del(text) : text;
}

function drawLine(
  text: string,
  before: Span,
  { token, spans, keywords, anyCase }: CodeLanguage,
  { dim, good, code, accent }: Theme,
): Painted {
  const paint = { comment: dim, string: good } as const;
  let drawn = "";
  let at = 0;
  let span = before;
  while (at < text.length) {
    if (span) {
      const end = text.indexOf(span.end, at);
      const stop = end === -1 ? text.length : end + span.end.length;
      drawn += paint[span.kind](text.slice(at, stop));
      at = stop;
      if (end === -1) return [drawn, span];
      span = null;
      continue;
    }
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) return [drawn + text.slice(at), null];
    const [all, comment, start, string, number, word] = found;
    drawn += text.slice(at, found.index);
    at = found.index + all.length;
    if (start !== undefined) {
      span = spans.get(start)!;
      drawn += paint[span.kind](start);
    } else if (comment !== undefined) drawn += dim(comment);
    else if (string !== undefined) drawn += good(string);
    else if (number !== undefined) drawn += code(number);
    else drawn += keywords.has(anyCase ? word!.toLowerCase() : word!) ? accent(word!) : word;
  }
  return [drawn, span];
}
