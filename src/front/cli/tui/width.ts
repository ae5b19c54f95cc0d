import { columnsOf } from "../../../text/width/columns.ts";
import { columnsOfGrapheme, graphemesOf } from "../../../text/width/graphemes.ts";

/** How many columns a line takes, by grapheme; our own colours and links take none. */
export const columnsOfLine: (text: string) => number = columnsOf;

/** A piece of a line: a style sequence of our own, or one grapheme. */
interface Piece {
  readonly text: string;
  readonly columns: number;
  readonly isStyle: boolean;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that a theme puts in
const STYLE = /\u001b\[[\d;]*m|\u001b\]8;[^\u0007\u001b]*\u001b\\/y;

function* piecesOf(text: string): Generator<Piece, void> {
  for (let at = 0; at < text.length; ) {
    STYLE.lastIndex = at;
    const style = STYLE.exec(text)?.[0];
    if (style !== undefined) {
      yield { text: style, columns: 0, isStyle: true };
      at += style.length;
      continue;
    }
    const next = text.indexOf("\u001b", at + 1);
    const run = text.slice(at, next === -1 ? undefined : next);
    for (const one of graphemesOf(run)) yield { text: one, columns: columnsOfGrapheme(one), isStyle: false };
    at += run.length;
  }
}

/** What is switched on at a place in a line. */
interface StyleState {
  /** Takes a sequence of the line. */
  take(sequence: string): void;
  /** Sequences that switch the same on again, in a new line. */
  open(): string;
  /** Sequences that switch everything off. */
  close(): string;
}

const LINK_END = "\u001b]8;;\u001b\\";
/** Which switch a code moves. The second of each pair turns it off. */
const SWITCHES: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:3[0-7]|9[0-7])$/, /^39$/],
  [/^(?:4[0-7]|10[0-7])$/, /^49$/],
  [/^[12]$/, /^22$/],
  [/^3$/, /^23$/],
  [/^4$/, /^24$/],
  [/^7$/, /^27$/],
  [/^9$/, /^29$/],
];

function createStyleState(): StyleState {
  const on = new Map<number, string>();
  let link = "";
  const takeCode = (code: string) => {
    if (code === "0" || code === "") on.clear();
    for (const [n, [opens, closes]] of SWITCHES.entries()) {
      if (closes.test(code)) on.delete(n);
      else if (opens.test(code)) on.set(n, code);
    }
  };
  return {
    take(sequence) {
      if (sequence.startsWith("\u001b]")) link = sequence === LINK_END ? "" : sequence;
      else for (const code of sequence.slice(2, -1).split(";")) takeCode(code);
    },
    open: () => (on.size > 0 ? `\u001b[${[...on.values()].join(";")}m` : "") + link,
    close: () => (link === "" ? "" : LINK_END) + (on.size > 0 ? "\u001b[0m" : ""),
  };
}

/** At most so many columns. What is cut off leaves the mark, and colours that are open are closed. */
export function cutLine(text: string, width: number, mark = "…"): string {
  if (columnsOf(text) <= width) return text;
  const room = width - columnsOf(mark);
  // Too narrow even for the mark.
  if (room < 0) return mark.slice(0, Math.max(0, width));
  const state = createStyleState();
  let kept = "";
  let used = 0;
  for (const piece of piecesOf(text)) {
    used += piece.columns;
    if (used > room) break;
    if (piece.isStyle) state.take(piece.text);
    kept += piece.text;
  }
  return kept + mark + state.close();
}

/** As wide as that, with blanks behind it. A wider one stays as it is. */
export const padLine = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - columnsOf(text)));

/** Breaks wherever a line is full and leaves nothing out, blanks neither: for text that has to be seen as it is. */
export function foldLine(text: string, width: number): string[] {
  if (columnsOf(text) <= width) return [text];
  const state = createStyleState();
  const lines: string[] = [];
  let last = "";
  let used = 0;
  for (const { text: piece, columns, isStyle } of piecesOf(text)) {
    if (used + columns > width && used > 0) {
      lines.push(last + state.close());
      last = state.open();
      used = 0;
    }
    if (isStyle) state.take(piece);
    last += piece;
    used += columns;
  }
  return [...lines, last];
}

/** How a line is broken: what its further lines begin with, and whether a word that is longer than a line is broken, too. */
export interface Wrapping {
  readonly hang?: string;
  readonly hard?: boolean;
}

/** Breaks at spaces. Colours and links go on in the next line. */
export function wrapLine(text: string, width: number, { hang = "", hard = false }: Wrapping = {}): string[] {
  return text.split("\n").flatMap((line) => (columnsOf(line) <= width ? [line] : brokenLine(line, width, hang, hard)));
}

/** Graphemes between two spaces, with the sequences among them. */
interface Word {
  readonly pieces: Piece[];
  columns: number;
}

function brokenLine(line: string, width: number, hang: string, hard: boolean): string[] {
  const state = createStyleState();
  const indent = columnsOf(hang) < width ? hang : "";
  const start = columnsOf(indent);
  const lines: string[] = [];
  let last = "";
  let used = 0;
  let isBegun = false;
  const breakHere = () => {
    lines.push(last.trimEnd() + state.close());
    last = indent + state.open();
    used = start;
    isBegun = false;
  };
  const put = ({ text, columns, isStyle }: Piece) => {
    if (isStyle) state.take(text);
    last += text;
    used += columns;
  };
  const putWord = (word: Word) => {
    if (isBegun && used + word.columns > width) breakHere();
    if (!hard || used + word.columns <= width) word.pieces.forEach(put);
    else {
      for (const piece of word.pieces) {
        if (used + piece.columns > width && used > (lines.length > 0 ? start : 0)) breakHere();
        put(piece);
        isBegun ||= piece.columns > 0;
      }
    }
    isBegun ||= word.columns > 0;
  };
  let word: Word = { pieces: [], columns: 0 };
  for (const piece of piecesOf(line)) {
    if (piece.text !== " ") {
      word.pieces.push(piece);
      word.columns += piece.columns;
      continue;
    }
    putWord(word);
    word = { pieces: [], columns: 0 };
    // A space at the end of a line is not drawn, and one at the beginning of a further line neither.
    if (used < width && (isBegun || lines.length === 0)) put(piece);
    else if (isBegun) isBegun = used > start;
  }
  putWord(word);
  return [...lines, last.trimEnd() + state.close()];
}

/** Whether nothing that the line switched on is on at its end: then text can be put behind it. */
export function endsPlain(text: string): boolean {
  if (!text.includes("\u001b")) return true;
  const state = createStyleState();
  for (const piece of piecesOf(text)) if (piece.isStyle) state.take(piece.text);
  return state.close() === "";
}
