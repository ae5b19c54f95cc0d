import { lineStart } from "./scan.ts";

export const lineBreak = (text: string): "\r\n" | "\n" => (/\r?\n/.exec(text)?.[0] === "\r\n" ? "\r\n" : "\n");

/** An empty line between what is there and what comes after it. */
export function gapAfter(text: string): string {
  const eol = lineBreak(text);
  if (text.trim() === "") return "";
  return text.endsWith("\n") ? eol : eol + eol;
}

/** Where the lines of comment directly above begin; not before `floor`, so the inside of a string is never taken for a comment. */
export function commentStart(text: string, offset: number, floor: number): number {
  let start = lineStart(text, offset);
  while (start > 0) {
    const above = lineStart(text, start - 1);
    if (above < floor || !/^[ \t]*#/.test(text.slice(above, start))) break;
    start = above;
  }
  return Math.max(start, text.startsWith("\ufeff") ? 1 : 0);
}

/** Before the empty lines that would be left at the end of the file. */
export function blankStart(text: string, from: number): number {
  let at = from;
  while (at > 0 && /^[ \t]*\r?\n$/.test(text.slice(lineStart(text, at - 1), at))) at = lineStart(text, at - 1);
  return at;
}

/** Past the empty lines, of which one is enough. */
export function blankEnd(text: string, from: number): number {
  const blank = /(?:[ \t]*\r?\n)*/y;
  blank.lastIndex = Math.min(from, text.length);
  return blank.lastIndex + blank.exec(text)![0].length;
}
