import { Lexer, type Token } from "marked";
import { afterLastWide, columnsOf } from "../../../text/columns.ts";
import { visible } from "../../../text/visible.ts";
import { type Colors, type Terminal, widthOf } from "./terminal.ts";
import { createCharacterJoiner, type TextWriter } from "./text-writer.ts";

/** A line longer than this is not waited for; it goes out in pieces. */
const LONGEST = 16 * 1024;
/** The lexer needs the square of a line's length for some lines; a longer one is shown as it is. */
const LONGEST_PROSE = 2 * 1024;

/** Signs that need their whole line to be drawn: marks, and addresses that are found without one. */
const MARK = /[*_`[<~\\]|:\/\/|www\.|@/i;
/** No line that begins like this is a heading, a list, a quote, a table, code or a rule. */
const PROSE = /^(?:[^\s\d#>|+*_`[<~\\-]|\d+(?:[^\d.)]|[.)]\S))/;

/**
 * Markdown for a terminal. Everything is drawn once, so that nothing flickers: a line when it is complete,
 * but the words of a paragraph as they come, up to the first that has a mark in it.
 */
export function createMarkdownWriter({ stdout, out }: Terminal): TextWriter {
  const whole = createCharacterJoiner();
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
    const drawn = pen ? [pen(inline(text, out), width)] : render.line(text, width);
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
  return {
    isFenced: () => fence !== null,
    line(text, width) {
      const mark = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(text);
      if (fence !== null) {
        if (mark && mark[1]!.startsWith(fence) && mark[2]!.trim() === "") {
          fence = null;
          return [];
        }
        return [`    ${colors.dim(visible(text))}`];
      }
      if (mark) {
        fence = mark[1]!;
        return [];
      }
      return block(text, width, colors);
    },
  };
}

function block(line: string, width: number, colors: Colors): string[] {
  const heading = /^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/.exec(line);
  if (heading) return wrapped(colors.bold(inline(heading[1]!, colors)), width, "", "");
  if (/^ {0,3}([-*_])(?:\s*\1){2,}\s*$/.test(line)) return [colors.dim("-".repeat(Math.min(width, 40)))];
  const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/.exec(line);
  if (item) {
    const [, indent, bullet, text] = item as unknown as [string, string, string, string];
    const before = `${indent.replaceAll("\t", "    ").slice(0, 20)}${/\d/.test(bullet) ? bullet : "-"} `;
    return wrapped(inline(text, colors), width, before, " ".repeat(before.length));
  }
  const quoted = /^ {0,3}>\s?(.*)$/.exec(line);
  if (quoted) return wrapped(inline(quoted[1]!, colors), width, colors.dim("| "), colors.dim("| "));
  // A table, or something indented on purpose: its columns are kept.
  if (/^(\s*\||\t| {4})/.test(line)) return [visible(line)];
  return wrapped(inline(line, colors), width, "", "");
}

/** Everything the model wrote passes `visible` before a colour is put around it. */
const inline = (text: string, colors: Colors): string =>
  text.length > LONGEST_PROSE ? visible(text) : drawAll(Lexer.lexInline(text), colors);
const drawAll = (tokens: readonly Token[], colors: Colors): string => tokens.map((token) => draw(token, colors)).join("");

function draw(token: Token, colors: Colors): string {
  const inner = () =>
    "tokens" in token && token.tokens ? drawAll(token.tokens, colors) : visible("text" in token ? token.text : token.raw);
  switch (token.type) {
    case "strong":
      return colors.bold(inner());
    case "em":
      return colors.italic(inner());
    case "del":
      return colors.strikethrough(inner());
    case "codespan":
      return colors.cyan(visible(token.text));
    case "link":
      return token.text === token.href ? colors.underline(visible(token.href)) : `${colors.underline(inner())} (${visible(token.href)})`;
    case "escape":
      return visible(token.text);
    case "text":
      return inner();
    default:
      return visible(token.raw);
  }
}

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
