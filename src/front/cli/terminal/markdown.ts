import { visible } from "../../../text/visible.ts";
import { afterLastWide, columnsOf } from "../../../text/width/columns.ts";
import { closesFence, drawBlock, drawInline, fenceIn, MARK, type MarkdownStyle, PROSE } from "./markdown-block.ts";
import { type Colors, type Terminal, widthOf } from "./terminal.ts";
import { createCharacterJoiner, type TextWriter } from "./text-writer.ts";

/** A line longer than this is not waited for; it goes out in pieces. */
const LONGEST = 16 * 1024;
/**
 * Markdown for a terminal. Everything is drawn once, so that nothing flickers: a line when it is complete,
 * but the words of a paragraph as they come, up to the first that has a mark in it.
 */
export function createMarkdownWriter({ stdout, out }: Terminal): TextWriter {
  const whole = createCharacterJoiner();
  const style = styleOf(out);
  let render = createRenderer(out);
  /** The rest of the line that is not drawn yet. */
  let line = "";
  /** Stands after the words that are; null when there are none. */
  let pen: Pen | null = null;
  let isHeld = false;
  const begin = () => {
    pen = null;
    isHeld = false;
  };
  const complete = (text: string): string => {
    const width = widthOf(stdout);
    const drawn = pen ? [pen(drawInline(text, style), width)] : render.line(text, width);
    begin();
    return drawn.map((one) => `${one}\n`).join("");
  };
  /** The words that stay as they are, whatever comes. */
  const words = (): string => {
    if (isHeld || (!pen && (render.isFenced() || !PROSE.test(line)))) return "";
    const width = widthOf(stdout);
    const mark = line.search(MARK);
    isHeld = mark !== -1;
    const end = line.lastIndexOf(" ", isHeld ? mark : line.length);
    let drawn = "";
    if (end !== -1) {
      pen ??= openPen("");
      drawn = pen(visible(line.slice(0, end)), width);
      line = line.slice(end + 1);
    }
    // Some scripts have no spaces. What is wider than a line is not kept together.
    const wide = isHeld || line.length * 2 <= width ? 0 : afterLastWide(line);
    if (wide === 0 || columnsOf(line) <= width) return drawn;
    pen ??= openPen("");
    drawn += pen(visible(line.slice(0, wide)), width);
    pen.join();
    line = line.slice(wide);
    return drawn;
  };
  const add = (text: string) => {
    const lines = (line + text).split("\n");
    line = lines.pop()!;
    let drawn = lines.map((one) => complete(one.replace(/\r$/, ""))).join("") + words();
    while (line.length > LONGEST) {
      const end = /[\ud800-\udbff]/.test(line[LONGEST - 1]!) ? LONGEST - 1 : LONGEST;
      drawn += `${pen ? "\n" : ""}${visible(line.slice(0, end))}\n`;
      line = line.slice(end);
      begin();
    }
    if (drawn !== "") stdout.write(drawn);
  };
  return {
    say: (text) => add(whole.add(text)),
    end() {
      add(whole.rest());
      if (line !== "" || pen) add("\n");
      render = createRenderer(out);
    },
    atLineStart: () => pen === null,
  };
}

export interface Render {
  /** A whole line, as the lines it is drawn in; none for a fence. */
  line(text: string, width: number): string[];
  isFenced(): boolean;
}

/** Remembers one thing from line to line: whether it is inside a fence. */
export function createRenderer(colors: Colors): Render {
  let fence: string | null = null;
  const style = styleOf(colors);
  return {
    isFenced: () => fence !== null,
    line(text, width) {
      const mark = fenceIn(text);
      if (fence !== null) {
        if (mark && closesFence(mark, fence)) {
          fence = null;
          return [];
        }
        return [`    ${colors.dim(visible(text))}`];
      }
      if (mark) {
        fence = mark.sign;
        return [];
      }
      return drawBlock(text, width, style);
    },
  };
}

const styleOf = (colors: Colors): MarkdownStyle => ({
  bold: colors.bold,
  italic: colors.italic,
  strike: colors.strikethrough,
  code: colors.cyan,
  dim: colors.dim,
  link: (text, address) => (text === address ? colors.underline(text) : `${colors.underline(text)} (${address})`),
  bullet: "-",
  quote: "| ",
  rule: "-",
  wrapped,
});

const wrapped = (text: string, width: number, first: string, next: string): string[] =>
  (first + openPen(next, columnsOf(first))(text, width)).split("\n");

interface Pen {
  (text: string, width: number): string;
  /** Joins the next words to the last one. */
  join(): void;
}

/** Breaks at spaces, from where it stopped. Colours take no room; a word longer than a line stays whole, so that it can be copied. */
function openPen(indent: string, column = 0): Pen {
  let used = column;
  let isJoined = true;
  const one = (word: string, width: number): string => {
    const columns = columnsOf(word);
    const gap = isJoined ? "" : used + 1 + columns > width ? `\n${indent}` : " ";
    used = columns + (gap.startsWith("\n") ? columnsOf(indent) : used + gap.length);
    isJoined = false;
    return gap + word;
  };
  const pen = (text: string, width: number) =>
    text
      .split(" ")
      .map((word) => one(word, width))
      .join("");
  return Object.assign(pen, {
    join() {
      isJoined = true;
    },
  });
}
