/** What plain words say about a time, before anybody asked what day it is. */
export interface TimeWords {
  /** "in 2 hours and 30 minutes". */
  readonly ahead?: readonly TimeAmount[];
  /** "every", "daily", "mondays". */
  readonly again?: true;
  /** "every 15 minutes". */
  readonly step?: TimeAmount;
  readonly day?: "today" | "tonight" | "tomorrow" | "after tomorrow";
  readonly weekdays?: readonly number[];
  /** "next monday" is never today. */
  readonly next?: true;
  readonly monthDay?: number | "last";
  readonly month?: number;
  readonly year?: number;
  readonly times?: readonly ClockTime[];
  /** "tomorrow morning": a time when no other is said. */
  readonly part?: ClockTime & { readonly half: "am" | "pm" };
}
export interface TimeAmount {
  readonly n: number;
  readonly unit: TimeUnit;
}
export type TimeUnit = "second" | "minute" | "hour" | "day" | "week" | "month" | "year";
export interface ClockTime {
  readonly hour: number;
  readonly minute: number;
  /** Somebody said which half of the day, or it can be only one. */
  readonly isSure: boolean;
}

/** "9 in the evening" is 21:00, whatever "9" alone would be. */
export const hourOf = ({ hour, isSure }: ClockTime, half: "am" | "pm" | undefined): number =>
  !isSure && half === "pm" ? (hour % 12) + 12 : !isSure && half === "am" ? hour % 12 : hour;

/** What some words say, and how many they are. */
export interface WordPiece {
  readonly piece: TimeWords;
  readonly length: number;
}
/** The piece that begins at a word; null when it means nothing here. */
export function readPiece(words: readonly string[], at: number, said: TimeWords): WordPiece | null {
  const word = words[at]!;
  const fixed = Object.hasOwn(FIXED, word) ? FIXED[word] : undefined;
  if (fixed) return piece(fixed);
  if (word === "in") return ahead(words, at);
  if (word === "every" || word === "each") return every(words, at);
  if (word === "day" && words[at + 1] === "after" && words[at + 2] === "tomorrow") return piece({ day: "after tomorrow" }, 3);
  if (word === "next" && weekday(words[at + 1]) !== null) return piece({ next: true });
  const day = weekday(word);
  if (day !== null) return piece({ weekdays: [day], ...(isPlural(word) && { again: true as const }) });
  return date(words, at) ?? year(word, said) ?? time(words, at);
}

const piece = (said: TimeWords, length = 1): WordPiece => ({ piece: said, length });

const MORNING = { hour: 9, minute: 0, isSure: true, half: "am" } as const;
const AFTERNOON = { hour: 15, minute: 0, isSure: true, half: "pm" } as const;
const EVENING = { hour: 20, minute: 0, isSure: true, half: "pm" } as const;
const NIGHT = { hour: 22, minute: 0, isSure: true, half: "pm" } as const;
const WEEKDAYS = [1, 2, 3, 4, 5];

const FIXED: Readonly<Record<string, TimeWords | undefined>> = {
  today: { day: "today" },
  tonight: { day: "tonight" },
  tomorrow: { day: "tomorrow" },
  noon: { times: [{ hour: 12, minute: 0, isSure: true }] },
  midday: { times: [{ hour: 12, minute: 0, isSure: true }] },
  midnight: { times: [{ hour: 0, minute: 0, isSure: true }] },
  morning: { part: MORNING },
  mornings: { again: true, part: MORNING },
  afternoon: { part: AFTERNOON },
  evening: { part: EVENING },
  evenings: { again: true, part: EVENING },
  night: { part: NIGHT },
  hourly: { again: true, step: { n: 1, unit: "hour" } },
  daily: { again: true, step: { n: 1, unit: "day" } },
  nightly: { again: true, part: NIGHT },
  weekly: { again: true, step: { n: 1, unit: "week" } },
  monthly: { again: true, step: { n: 1, unit: "month" } },
  yearly: { again: true, step: { n: 1, unit: "year" } },
  annually: { again: true, step: { n: 1, unit: "year" } },
  weekdays: { again: true, weekdays: WEEKDAYS },
  weekends: { again: true, weekdays: [6, 0] },
};

/** "every", and what it counts; a weekday, a day of the month or a part of the day may follow instead. */
function every(words: readonly string[], at: number): WordPiece | null {
  const [first = "", second = ""] = words.slice(at + 1);
  if (first === "weekday" || first === "workday") return piece({ again: true, weekdays: WEEKDAYS }, 2);
  if (first === "weekend") return piece({ again: true, weekdays: [6, 0] }, 2);
  const unit = unitOf(first);
  if (unit) return piece({ again: true, step: { n: 1, unit } }, 2);
  const n = first === "other" ? 2 : numberOf(first);
  const counted = unitOf(second);
  if (n !== null && counted) return piece({ again: true, step: { n, unit: counted } }, 3);
  if (first === "half" && second === "hour") return piece({ again: true, step: { n: 30, unit: "minute" } }, 3);
  return first === "" ? null : piece({ again: true });
}

/** "in 20 minutes", "in an hour and a half", "in half an hour", "in a quarter of an hour". */
function ahead(words: readonly string[], at: number): WordPiece | null {
  const amounts: TimeAmount[] = [];
  let next = at + 1;
  while (amounts.length < 4) {
    const from = amounts.length > 0 && words[next] === "and" ? next + 1 : next;
    const found = amount(words, from, amounts.at(-1));
    if (!found) break;
    amounts.push(found.amount);
    next = from + found.length;
  }
  if (amounts.length > 0) return piece({ ahead: amounts }, next - at);
  // "in the morning": what follows says it.
  return words[at + 1] === "the" ? piece({}) : null;
}

function amount(
  words: readonly string[],
  at: number,
  before?: TimeAmount,
): { readonly amount: TimeAmount; readonly length: number } | null {
  const [first = "", second = "", third = "", fourth = ""] = words.slice(at);
  if (first === "half" && ["a", "an"].includes(second) && unitOf(third)) return { amount: { n: 0.5, unit: unitOf(third)! }, length: 3 };
  if (first === "a" && second === "quarter" && third === "of" && fourth === "an") return { amount: { n: 0.25, unit: "hour" }, length: 5 };
  if (before && first === "a" && second === "half") return { amount: { n: 0.5, unit: before.unit }, length: 2 };
  const short = /^(\d{1,5})(s|m|min|h|d|w)$/.exec(first);
  if (short) return { amount: { n: Number(short[1]), unit: SHORT[short[2]!]! }, length: 1 };
  const n = numberOf(first);
  const unit = unitOf(second);
  return n === null || !unit ? null : { amount: { n, unit }, length: 2 };
}

const SHORT: Readonly<Record<string, TimeUnit>> = { s: "second", m: "minute", min: "minute", h: "hour", d: "day", w: "week" };
const UNITS: Readonly<Record<string, TimeUnit>> = {
  second: "second",
  sec: "second",
  minute: "minute",
  min: "minute",
  hour: "hour",
  hr: "hour",
  day: "day",
  week: "week",
  month: "month",
  year: "year",
};
const unitOf = (word: string): TimeUnit | undefined => (Object.hasOwn(UNITS, singular(word)) ? UNITS[singular(word)] : undefined);
const singular = (word: string) => (word.endsWith("s") ? word.slice(0, -1) : word);

const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

function numberOf(word: string): number | null {
  if (word === "a" || word === "an") return 1;
  if (/^\d{1,5}(?:\.\d{1,3})?$/.test(word)) return Number(word);
  const named = NUMBERS.indexOf(word);
  return named === -1 ? null : named;
}

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];

function weekday(word = ""): number | null {
  const name = isPlural(word) ? word.slice(0, -1) : word;
  const at = DAYS.findIndex((day) => day === name || (name.length >= 3 && name.length <= 5 && day.startsWith(name)));
  return at === -1 ? null : at;
}
const isPlural = (word: string) => DAYS.includes(word.slice(0, -1)) && word.endsWith("s");

const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

function month(word = ""): number | null {
  const at = MONTHS.findIndex((name) => name === word || (word.length >= 3 && word.length <= 4 && name.startsWith(word)));
  return at === -1 ? null : at + 1;
}

/** "1st", "last day", "24 december", "24th of december", "december 24". "month" after it says nothing new. */
function date(words: readonly string[], at: number): WordPiece | null {
  const [word = "", second = "", third = ""] = words.slice(at);
  if (word === "month") return piece({});
  if (word === "last" && second === "day") return piece({ monthDay: "last" }, 2);
  const named = month(word);
  if (named !== null) {
    const day = /^(\d{1,2})(?:st|nd|rd|th)?$/.exec(second);
    return day ? piece({ month: named, monthDay: Number(day[1]) }, 2) : null;
  }
  const day = /^(\d{1,2})(st|nd|rd|th)?$/.exec(word);
  if (!day) return null;
  const after = second === "of" ? third : second;
  const of = month(after);
  if (of !== null) return piece({ monthDay: Number(day[1]), month: of }, second === "of" ? 3 : 2);
  return day[2] === undefined ? null : piece({ monthDay: Number(day[1]), ...(/^(?:every|each)$/.test(after) && { again: true as const }) });
}

const year = (word: string, { month }: TimeWords): WordPiece | null =>
  month !== undefined && /^20\d{2}$/.test(word) ? piece({ year: Number(word) }) : null;

/** "9", "9:30", "17.30", "9 am". */
function time(words: readonly string[], at: number): WordPiece | null {
  const found = /^(\d{1,2})(?:[:.](\d{2}))?$/.exec(words[at]!);
  if (!found) return null;
  const half = /^[ap]m$/.exec(words[at + 1] ?? "")?.[0];
  const [hour, minute] = [Number(found[1]), Number(found[2] ?? 0)];
  if (minute > 59 || hour > 24 || (hour === 24 && minute > 0) || (half && (hour < 1 || hour > 12))) return null;
  const on24 = half === undefined ? hour % 24 : (hour % 12) + (half === "pm" ? 12 : 0);
  const isSure = half !== undefined || hour > 12 || hour === 0 || /^0\d/.test(found[1]!);
  return piece({ times: [{ hour: on24, minute, isSure }] }, half === undefined ? 1 : 2);
}
