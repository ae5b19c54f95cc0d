import { Lexer, type Token } from "marked";
import { visible } from "../../../text/visible.ts";

type Paint = (text: string) => string;

/** How markdown is drawn. */
export interface MarkdownStyle {
  readonly bold: Paint;
  readonly italic: Paint;
  readonly strike: Paint;
  readonly code: Paint;
  readonly dim: Paint;
  /** Text and address hold nothing that a terminal obeys. */
  link(text: string, address: string): string;
  readonly bullet: string;
  readonly quote: string;
  readonly rule: string;
  /** Lines of a text, the first one after `first` and the others after `next`. */
  wrapped(text: string, width: number, first: string, next: string): string[];
}

/** The lexer needs the square of a line's length for some lines; a longer one is shown as it is. */
const LONGEST_PROSE = 2 * 1024;

/** Signs that need their whole line to be drawn: marks, and addresses that are found without one. */
export const MARK = /[*_`[<~\\]|:\/\/|www\.|@/i;
/** No line that begins like this is a heading, a list, a quote, a table, code or a rule. */
export const PROSE = /^(?:[^\s\d#>|+*_`[<~\\-]|\d+(?:[^\d.)]|[.)]\S))/;

/** The sign of a fence, and what stands behind it. */
export interface MarkdownFence {
  readonly sign: string;
  readonly info: string;
}

export function fenceIn(line: string): MarkdownFence | null {
  const found = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line);
  return found && { sign: found[1]!, info: found[2]!.trim() };
}

export const closesFence = ({ sign, info }: MarkdownFence, open: string): boolean => sign.startsWith(open) && info === "";

const WIDEST_RULE = 40;

/** A line that is neither a fence nor inside of one, as the lines it is drawn in. */
export function drawBlock(line: string, width: number, style: MarkdownStyle): string[] {
  const heading = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line);
  if (heading) return style.wrapped(style.bold(drawInline(heading[1]!, style)), width, "", "");
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return [style.dim(style.rule.repeat(Math.min(width, WIDEST_RULE)))];
  const item = /^([ \t]*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
  if (item) {
    const [, indent, bullet, text] = item as unknown as [string, string, string, string];
    const before = `${indent.replaceAll("\t", "    ").slice(0, 20)}${/\d/.test(bullet) ? bullet : style.bullet} `;
    return style.wrapped(drawInline(text, style), width, before, " ".repeat(before.length));
  }
  const quoted = /^ {0,3}>\s?(.*)$/.exec(line);
  if (quoted) return style.wrapped(drawInline(quoted[1]!, style), width, style.dim(style.quote), style.dim(style.quote));
  // A table, or something indented on purpose: its columns are kept.
  if (/^(\s*\||\t| {4})/.test(line)) return [visible(line)];
  return style.wrapped(drawInline(line, style), width, "", "");
}

/** Everything the model wrote passes `visible` before a colour is put around it. */
export const drawInline = (text: string, style: MarkdownStyle): string =>
  text.length > LONGEST_PROSE ? visible(text) : drawAll(Lexer.lexInline(text), style);
const drawAll = (tokens: readonly Token[], style: MarkdownStyle): string => tokens.map((token) => draw(token, style)).join("");

function draw(token: Token, style: MarkdownStyle): string {
  const inner = () =>
    "tokens" in token && token.tokens ? drawAll(token.tokens, style) : visible("text" in token ? token.text : token.raw);
  switch (token.type) {
    case "strong":
      return style.bold(inner());
    case "em":
      return style.italic(inner());
    case "del":
      return style.strike(inner());
    case "codespan":
      return style.code(visible(token.text));
    case "link":
      return style.link(token.text === token.href ? visible(token.href) : inner(), visible(token.href));
    case "escape":
      return visible(token.text);
    case "text":
      return inner();
    default:
      return visible(token.raw);
  }
}
