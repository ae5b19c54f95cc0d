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

/** Characters that nobody sees: without a width, or for a terminal alone. Blanks and the ends of lines are not among them. */
const UNSEEN_ONE = "[\\p{Default_Ignorable_Code_Point}\\p{Cf}\\0-\\x08\\x0e-\\x1f\\x7f-\\x84\\x86-\\x9f]";
const UNSEEN = `(?:\\x1b\\[[\\d;:?<=>]{0,64}[ -/]{0,8}[@-~]|${UNSEEN_ONE})`;
/** Those, and blanks of any kind: one that is drawn as a character without dots is one too. */
const GAP = `(?:${UNSEEN}|[\\t\\p{Zs}\\u2800])`;
const LINE_ENDS = "\\n\\r\\v\\f\\x85\\u2028\\u2029";

/** Letters between which nobody sees something. */
const spelled = (word: string): string => [...word].join(`${UNSEEN}{0,8}`);

/** Both kinds of note, in letters of any size, with space or characters nobody sees in between. */
const LOOKALIKE = new RegExp(
  `\\[(?=${GAP}{0,8}(?:${spelled("zeph")}${GAP}{0,8}:|-${GAP}{0,8}\\d(?:${UNSEEN}{0,2}[\\d,]){0,15}${GAP}{1,8}(?:${["line", "error", "value", "char"].map(spelled).join("|")})s?(?![\\p{L}\\d_])))`,
  "giu",
);

/** How the other notes begin, or what they say, at the start of a line: how a call failed or ended, what a command left, and what else a model is told in brackets. */
const SAID = [
  "tool_error *\\]",
  "exit code *-?\\d",
  "(?:(?:now )?in|now at|started in) .{1,700}\\] *$",
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
  ".{1,8192}(?:: programs outside the sandbox|: it is Zeph itself|: it steers an agent or Zeph| was not looked for| moved away as a whole to )",
  ".{1,8192} (?:appeared\\] *$|is gone(?:\\] *$|; (?:commands start|this command started)))",
];
const SAID_LIKE = new RegExp(`^(?!\\\\)(?:${SAID.join("|")})`, "iu");
/** A line that begins with a bracket, whatever nobody sees before it. The names of two files and what happened to them are no longer. */
const BRACKETED = new RegExp(`(?<=^|[${LINE_ENDS}])(${GAP}{0,400}\\[)([^${LINE_ENDS}]{0,8400})`, "gu");
const ANY_UNSEEN = new RegExp(UNSEEN, "gu");
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
const ANY_GAPS = new RegExp(`${GAP}+`, "gu");
/** What somebody reads. Most lines are that already. */
const seen = (text: string): string => (PLAIN.test(text) ? text : text.replace(ANY_UNSEEN, "").replace(ANY_GAPS, " ").trimStart());

/** Text that looks like one of our notes is not one of ours. The backslash shows that, and a second time changes nothing. */
export const escapeMarkers = (text: string): string => (text.includes("[") ? escapeLines(text.replace(LOOKALIKE, "[\\")) : text);

/** The same for notes that stand at the beginning of a line alone. What was shortened may have such lines that were not printed as such. */
export const escapeLines = (text: string): string =>
  text.includes("[")
    ? text.replace(BRACKETED, (line, bracket: string, rest: string) => (SAID_LIKE.test(seen(rest)) ? `${bracket}\\${rest}` : line))
    : text;

/** The same in a note of ours, whose own bracket stays. */
export const escapeInNote = (note: string): string => note.slice(0, 1) + escapeMarkers(note.slice(1));
