/**
 * Text of a model or a stranger, for the eyes of a person: characters that a terminal obeys, or that hide or turn around what is there, are
 * spelled out. Line ends and tabs stay. Joiners stay: they are part of words and pictures.
 */
export const visible = (text: string): string =>
  text.replaceAll("\r\n", "\n").replace(UNSAFE, (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, "0")}`);

/** The same in a text of JSON, where it stays the same JSON. Line ends and tabs are no part of such a text, or stand between its values. */
export const visibleJson = (json: string): string =>
  json.replace(UNSAFE, (char) =>
    [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""),
  );

const UNSAFE = /[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Text on one line: line ends, blanks and characters that are not drawn become one blank. Cut when it is longer than `most`. */
export const oneLine = (text: string, most = Number.POSITIVE_INFINITY): string => bounded(text.replace(UNDRAWN, " ").trim(), most);

const UNDRAWN = /(?:[\p{Cc}\p{Zl}\p{Zp}\s]|(?![\u200c\u200d])\p{Cf})+/gu;

/** The first `most` characters. A cut leaves a mark, and never half a character. */
export const bounded = (text: string, most: number): string => (text.length > most ? `${withoutHalves(text.slice(0, most))}…` : text);

/** The beginning and the end of a text that is longer than `most`, with a count between them. */
export function boundedMiddle(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most * 2) / 3);
  const tail = text.length - (most - head);
  return `${withoutHalves(text.slice(0, head))}\n[… ${tail - head} characters left out …]\n${withoutHalves(text.slice(tail))}`;
}

/** Without the half of a character that a cut left at either end. */
const withoutHalves = (text: string): string => text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "").toWellFormed();
