import { bounded } from "../../../text/visible.ts";
import { wellFormed } from "./deceptive-text.ts";

/** Characters nobody sees and a model reads: controls, zero widths, text direction, tags, variation selectors, fillers. */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones meant
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each is meant by itself
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

/** For definitions: names and words that a model is to believe. */
export const withoutHidden = (text: string): string => wellFormed(text).replace(HIDDEN, "");

/** An emoji is made with these two, so they alone are no reason to warn. */
const IN_EMOJI = /[\u200d\ufe0f]/gu;

/** How many hidden characters there are that have no business in a definition. */
export const countHidden = (text: string): number => text.replace(IN_EMOJI, "").match(HIDDEN)?.length ?? 0;

/** The same text with hidden characters written out, for a person to read. */
export const showHidden = (text: string): string => wellFormed(text).replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);

/** A name or a short text of a stranger, for a line of our own. */
export const inALine = (text: string, most = 200): string => bounded(withoutHidden(text).replace(/\s+/g, " ").trim(), most);
