import { makeOnce } from "../make-once.ts";

const segmenter = makeOnce(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
/** Letters, digits and signs of Latin text, lines of boxes, arrows and Braille: one column each, unless a mark follows. */
const SIMPLE =
  "\\x20-\\x7e\\u00a0-\\u02ff\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u259f\\u2713-\\u2718\\u276f\\u2800-\\u28ff";
const ALL_SIMPLE = new RegExp(`^[${SIMPLE}]*$`);
/** What a mark could change: all that is not simple, and the character before it. */
const OTHERS = new RegExp(`[${SIMPLE}]?[^${SIMPLE}]+`, "g");

/** Each character takes one column, and none belongs to another. Looking at them one by one takes much longer. */
export const isSimpleText = (text: string): boolean => ALL_SIMPLE.test(text);

/** What a person takes for one character: a letter with its marks, a flag, a family of emoji. */
export function* graphemesOf(text: string): Generator<string, void> {
  let at = 0;
  for (const { 0: other, index } of text.matchAll(OTHERS)) {
    yield* text.slice(at, index);
    for (const { segment } of segmenter().segment(other)) yield segment;
    at = index + other.length;
  }
  yield* text.slice(at);
}

/** Characters that take two columns: East Asian scripts and emoji. */
export const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
/** Marks above and below a letter, the middle and end of a Korean syllable, and joiners. */
const NO_COLUMN = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7fb\u200b-\u200d\u2060]/u;
/** Several code points that a terminal draws as one picture. */
const PICTURE = /^(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{2})/u;
const PICTURE_SIGN = /\ufe0f|\u200d|\p{Emoji_Modifier}|\p{Regional_Indicator}/u;

/** How many columns one of them takes. */
export function columnsOfGrapheme(grapheme: string): number {
  if (grapheme.length === 1 && grapheme < "\u0300") return 1;
  if (PICTURE.test(grapheme) && PICTURE_SIGN.test(grapheme)) return 2;
  let columns = 0;
  for (const char of grapheme) columns += NO_COLUMN.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return columns;
}
