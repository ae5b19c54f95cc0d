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

/** The mark in the gap itself: `[-312 lines here]`. Where the whole text is kept is told once, by `omission`. */
export const omittedHere = (count: number, one: "line" | "char"): string => `[-${plural(count, one)} here]`;

/** Three digits are two tokens; four letters of hex would be three to five. */
const digits = (nonce: string): string => String(Number.parseInt(nonce.slice(0, 8), 16) % 1000).padStart(3, "0");

/** Both kinds of note, in letters of any size, with space or characters nobody sees in between. */
const LOOKALIKE =
  /\[(?=[ \t\u00a0\u00ad\u200b-\u200f\u2060\ufeff]{0,4}(?:z[\u00ad\u200b-\u200f\u2060\ufeff]{0,2}eph[ \t]{0,2}:|-[ \t]?\d[\d,]{0,15}[ \t]{1,2}(?:lines?|errors?|values?|chars?)\b))/gi;

/** Blanks of any kind, and characters that nobody sees. No end of a line. */
const BLANK = "[ \\t\\f\\v\\u00a0\\u00ad\\u061c\\u1680\\u180e\\u2000-\\u200f\\u202a-\\u202f\\u205f-\\u206f\\u3000\\ufe00-\\ufe0f\\ufeff]";
/** How the other notes begin, or what they say, at the start of a line: how a call failed or ended, what a command left, and what else a model is told in brackets. */
const SAID = [
  "tool_error *\\]",
  "exit code *-?\\d",
  "(?:(?:now )?in|now at|started in) [^\\n\\]]{1,700}\\][\\x20\\t\\r]*$",
  "its last line has no end yet\\]",
  "its shell ended without a word",
  "rolled back after exit code",
  "security\\] \\d+ secrets? redacted",
  "your next ! command and",
  "background\\] (?:started|\\d+ more)",
  "background complete\\]",
  "dry run\\] \\w",
  "undone\\] The person",
  "scheduled\\] This was",
  "budget\\] \\d",
  "output\\] (?:When|Answer|The answer)",
  "fleet\\] (?:The|Of|Go) ",
  "output filtered:",
  "tool output summary\\]",
  "arguments repaired:",
  'ignored: "',
  "whole output: zeph",
  "changed since the conversation began\\]",
  "unchanged since call",
  "not kept before it was changed",
  "\\d+ of its media left out",
  "[^\\n\\]\\\\][^\\n\\]]{0,4096}(?:: programs outside the sandbox|: it is Zeph itself|: it steers an agent or Zeph| is gone(?:\\]|; (?:commands start|this command started))| was not looked for)",
].map((words) => words.replace(/ (\*?)/g, (_, any) => `${BLANK}{${any === "" ? 1 : 0},4}`));
const SAID_LIKE = new RegExp(`^${BLANK}{0,400}\\[(?=${BLANK}{0,4}(?:${SAID.join("|")}))`, "gim");

/** Text that looks like one of our notes is not one of ours. The backslash shows that, and a second time changes nothing. */
export const escapeMarkers = (text: string): string =>
  text.includes("[") ? text.replace(LOOKALIKE, "[\\").replace(SAID_LIKE, (found) => `${found}\\`) : text;

/** The same in a note of ours, whose own bracket stays. */
export const escapeInNote = (note: string): string => note.slice(0, 1) + escapeMarkers(note.slice(1));
