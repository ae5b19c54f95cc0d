import { Lexer, type Token } from "marked";
import { harmless } from "./print.ts";
import { type Colors, columnsOf, type Terminal, widthOf } from "./terminal.ts";
import { type Voice, wholeCharacters } from "./voice.ts";

/** A line longer than this is not waited for; it goes out in pieces. */
const LONGEST = 16 * 1024;
/** The lexer needs the square of a line's length for some lines; a longer one is shown as it is. */
const LONGEST_PROSE = 2 * 1024;

/** Markdown for a terminal, line by line: a line is drawn once, when it is complete, so that nothing flickers. */
export function markdownVoice({ stdout, out }: Terminal): Voice {
  const whole = wholeCharacters();
  let line = "";
  let render = renderer(out);
  const put = (text: string) => stdout.write(text === "" ? "\n" : `${text}\n`);
  const add = (text: string) => {
    const lines = (line + text).split("\n");
    line = lines.pop()!;
    for (const one of lines) for (const drawn of render(one.replace(/\r$/, ""), widthOf(stdout))) put(drawn);
    while (line.length > LONGEST) {
      put(harmless(line.slice(0, LONGEST)));
      line = line.slice(LONGEST);
    }
  };
  return {
    say: (text) => add(whole.add(text)),
    end() {
      add(whole.rest());
      if (line !== "") add("\n");
      render = renderer(out);
    },
    atLineStart: () => true,
  };
}

type Render = (line: string, width: number) => string[];

/** Remembers one thing from line to line: whether it is inside a fence. */
export function renderer(colors: Colors): Render {
  let fence: string | null = null;
  return (line, width) => {
    const mark = /^ {0,3}(`{3,}|~{3,})([^`]*)$/.exec(line);
    if (fence !== null) {
      if (mark && mark[1]!.startsWith(fence) && mark[2]!.trim() === "") {
        fence = null;
        return [];
      }
      return [`    ${colors.dim(harmless(line))}`];
    }
    if (mark) {
      fence = mark[1]!;
      return [];
    }
    return block(line, width, colors);
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
  if (/^(\s*\||\t| {4})/.test(line)) return [harmless(line)];
  return wrapped(inline(line, colors), width, "", "");
}

/** Everything the model wrote passes `harmless` before a colour is put around it. */
const inline = (text: string, colors: Colors): string =>
  text.length > LONGEST_PROSE ? harmless(text) : drawAll(Lexer.lexInline(text), colors);
const drawAll = (tokens: readonly Token[], colors: Colors): string => tokens.map((token) => draw(token, colors)).join("");

function draw(token: Token, colors: Colors): string {
  const inner = () =>
    "tokens" in token && token.tokens ? drawAll(token.tokens, colors) : harmless("text" in token ? token.text : token.raw);
  switch (token.type) {
    case "strong":
      return colors.bold(inner());
    case "em":
      return colors.italic(inner());
    case "del":
      return colors.strikethrough(inner());
    case "codespan":
      return colors.cyan(harmless(token.text));
    case "link":
      return token.text === token.href ? colors.underline(harmless(token.href)) : `${colors.underline(inner())} (${harmless(token.href)})`;
    case "escape":
      return harmless(token.text);
    case "text":
      return inner();
    default:
      return harmless(token.raw);
  }
}

/** Breaks at spaces. Colours take no room; a word longer than a line stays whole, so that it can be copied. */
function wrapped(text: string, width: number, first: string, next: string): string[] {
  const lines: string[] = [];
  let line = first;
  let used = columnsOf(first);
  let isEmpty = true;
  for (const word of text.split(" ")) {
    const columns = columnsOf(word);
    if (!isEmpty && used + 1 + columns > width) {
      lines.push(line);
      line = next + word;
      used = columnsOf(next) + columns;
    } else {
      line += isEmpty ? word : ` ${word}`;
      used += columns + (isEmpty ? 0 : 1);
    }
    isEmpty = false;
  }
  return [...lines, line];
}
