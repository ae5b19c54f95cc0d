import { columnsOfGrapheme, graphemesOf, isSimpleText, WIDE } from "./graphemes.ts";

/** Breaks long lines at spaces; an item of a list goes on below its words. A word longer than a line stays whole, so that it can be copied. */
export const wrap = (text: string, width: number, indent = ""): string =>
  text
    .split("\n")
    .flatMap((line) => (indent.length + columnsOf(line) <= width ? [line] : broken(line, width - indent.length)))
    .map((line) => indent + line)
    .join("\n");

/** What an item begins with: the space before it, its mark, and columns of a table. */
const ITEM = /^ *(?:(?:[-*]|\[[^\]]\]|\d+[.)]|(?<= )\d+) +|\S+ {2,})*/;

function broken(line: string, width: number): string[] {
  const [first] = ITEM.exec(line)!;
  const hang = Math.min(columnsOf(first), Math.floor(width / 2));
  const lines: string[] = [];
  let last = first;
  let used = columnsOf(first);
  let isEmpty = true;
  for (const word of line.slice(first.length).split(" ")) {
    const columns = columnsOf(word);
    if (!isEmpty && used + 1 + columns > width) {
      lines.push(last);
      last = " ".repeat(hang) + word;
      used = hang + columns;
    } else {
      used += columns + (isEmpty ? 0 : 1);
      last += isEmpty ? word : ` ${word}`;
    }
    isEmpty = false;
  }
  return [...lines, last];
}

/** A name, and a text beside it whose further lines begin below its first. Where there is too little room for that the text stands below the name. */
export function beside(name: string, text: string, columns: number, width: number): string {
  const isNarrow = width - columns < Math.max(LEAST_BESIDE, ...text.split(/\s/).map(columnsOf));
  const indent = " ".repeat(isNarrow ? 4 : columns);
  const wrapped = wrap(text, width, indent);
  const room = columns - columnsOf(name);
  return isNarrow || room < 1 ? `${name}\n${wrapped}` : `${name}${" ".repeat(room)}${wrapped.slice(indent.length)}`;
}
const LEAST_BESIDE = 24;

const ALL_WIDE = new RegExp(WIDE, "gu");

/** Where the last wide character ends; 0 when there is none. */
export function afterLastWide(text: string): number {
  let end = 0;
  for (const { 0: char, index } of text.matchAll(ALL_WIDE)) end = index + char.length;
  return end;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours and links we put in ourselves
const STYLES = /\u001b\[[\d;]*m|\u001b\]8;[^\u0007\u001b]*\u001b\\/g;

/** The same text without our own colours and links. */
export const withoutStyles = (text: string): string => (text.includes("\u001b") ? text.replace(STYLES, "") : text);

/** How many columns a text without line breaks takes, by grapheme; our own colours and links take none. */
export function columnsOf(text: string): number {
  const bare = withoutStyles(text);
  if (isSimpleText(bare)) return bare.length;
  let columns = 0;
  for (const one of graphemesOf(bare)) columns += columnsOfGrapheme(one);
  return columns;
}

/** At most so many columns; what is cut off leaves a mark. For text without colours. */
export function cutTo(text: string, columns: number): string {
  if (text.length * 2 <= columns || columnsOf(text) <= columns) return text;
  let kept = "";
  let used = 1;
  for (const one of graphemesOf(text)) {
    used += columnsOfGrapheme(one);
    if (used > columns) break;
    kept += one;
  }
  return `${kept.trimEnd()}…`;
}
