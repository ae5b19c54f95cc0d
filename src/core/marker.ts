import { plural } from "../text/words.ts";
/**
 * What Zeph itself says inside an output: a note in brackets with the session's nonce. A file or a program cannot know the nonce, and whatever looks
 * like such a note in what they print is escaped before ours is added.
 */
export const marker = (nonce: string, text: string): string => `[zeph:${nonce.slice(0, 8)} ${text}]`;

/** How much of a text was left out. */
export interface Omitted {
  readonly lines: number;
  /** Of those, the ones that look like errors. */
  readonly errors?: number;
  readonly characters?: number;
  /** Numbers, names, paths and quoted words that no line tells, of lines that are told. */
  readonly values?: number;
  /** Where the whole text is kept: `raw#n`. */
  readonly handle?: number;
  readonly nonce?: string;
}

/** How much was left out and where it is kept, in fewer than fifteen tokens: `[-312 lines -4 errors raw#12 483]`. */
export function omission({ lines, errors = 0, characters = 0, values = 0, handle, nonce }: Omitted): string {
  const counts = [
    ...(lines > 0 ? [`-${plural(lines, "line")}`] : []),
    ...(errors > 0 ? [`-${plural(errors, "error")}`] : []),
    ...(values > 0 ? [`-${plural(values, "value")}`] : []),
    ...(characters > 0 ? [`-${characters} chars`] : []),
  ];
  const kept = handle === undefined ? [] : [`raw#${handle}`];
  const proof = nonce === undefined || counts.length > 2 || (characters > 0 && counts.length > 1) ? [] : [digits(nonce)];
  return `[${[...counts, ...kept, ...proof].join(" ")}]`;
}

/** Three digits are two tokens; four letters of hex would be three to five. */
const digits = (nonce: string): string => String(Number.parseInt(nonce.slice(0, 8), 16) % 1000).padStart(3, "0");

/** Both kinds of note, in letters of any size, with space or characters nobody sees in between. */
const LOOKALIKE =
  /\[(?=[ \t\u00a0\u00ad\u200b-\u200f\u2060\ufeff]{0,4}(?:z[\u00ad\u200b-\u200f\u2060\ufeff]{0,2}eph[ \t]{0,2}:|-[ \t]?\d[\d,]{0,15}[ \t]{1,2}(?:lines?|errors?|values?|chars?)\b))/gi;

/** Text that looks like one of our notes is not one of ours. The backslash shows that, and a second time changes nothing. */
export const escapeMarkers = (text: string): string => (text.includes("[") ? text.replace(LOOKALIKE, "[\\") : text);
