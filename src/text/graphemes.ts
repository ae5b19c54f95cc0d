import { makeOnce } from "./make-once.ts";

const segmenter = makeOnce(() => new Intl.Segmenter("en", { granularity: "grapheme" }));
const ASCII = /^[\x20-\x7e]*$/;

/** Letters, digits and signs that take one column each: nothing has to be looked at one by one. */
export const isPlainAscii = (text: string): boolean => ASCII.test(text);

/** What a person takes for one character: a letter with its marks, a flag, a family of emoji. */
export function* graphemesOf(text: string): Generator<string, void> {
  if (isPlainAscii(text)) yield* text;
  else for (const { segment } of segmenter().segment(text)) yield segment;
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
