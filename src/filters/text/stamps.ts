const DAYS = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const CLOCK = String.raw`\d\d:\d\d:\d\d(?:[.,]\d{1,9})?`;

/** How logs write when something happened, some with the number of the process that says so. */
const STAMPS = [
  String.raw`\d{4}[-/.]\d\d[-/.]\d\d[T _-]\d\d[:.]\d\d[:.]\d\d(?:[.,:]\d{1,9})?(?:Z| ?[+-]\d\d:?\d\d\b| UTC\b)?`,
  String.raw`(?:${DAYS},? )?${MONTHS} +\d{1,2} ${CLOCK}(?: \d{4}\b)?(?: [+-]\d{4}\b)?`,
  String.raw`${MONTHS} \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d(?: [AP]M)?`,
  String.raw`\d{1,2}/${MONTHS}/\d{4}[: ]${CLOCK}(?: [+-]\d{4}\b)?`,
  String.raw`[IWEF]\d{4} ${CLOCK} +\d+`,
  String.raw`\b\d\d-\d\d ${CLOCK} +\d+ +\d+`,
  String.raw`\b\d\d[-/.]\d\d[-/.]\d\d ${CLOCK}`,
  String.raw`^\d{6} \d{6} \d+\b`,
  String.raw`^\[ *\d+\.\d{6}\]`,
  String.raw`^1\d{9}(?:\.\d+)?\b`,
  String.raw`(?<="(?:time|ts|timestamp)": ?)1\d{9}(?:\d{3}|\.\d{1,9})?\b`,
  String.raw`\b\d{8}-${CLOCK}(?::\d+)?`,
  String.raw`(?<!\d)${CLOCK}`,
];
const STAMP = new RegExp(STAMPS.join("|"));
/** Cheap, and true of every stamp. */
const MAY_BE = /\d[:.]\d|^1\d{9}|^\d{6} |": ?1\d{9}/;
/** A stamp stands near the beginning: behind a host, an address, a key. */
const NEAR = 80;

/** The first stamp of a line, and where it stands. */
export function stampOf(text: string): { readonly at: number; readonly stamp: string } | null {
  const near = text.length > NEAR ? text.slice(0, NEAR) : text;
  const found = MAY_BE.test(near) ? STAMP.exec(near) : null;
  return found ? { at: found.index, stamp: found[0] } : null;
}

/** A line without the moment it was written. */
export function withoutStamp(text: string): string {
  const found = stampOf(text);
  return found ? `${text.slice(0, found.at)}${text.slice(found.at + found.stamp.length)}` : text;
}

/** The time of day alone where the day is the same. */
export function untilStamp(first: string, last: string): string {
  const day = (stamp: string) => stamp.slice(0, clockAt(stamp));
  if (clockAt(last) <= 0 || day(first) !== day(last)) return last;
  return last.slice(clockAt(last), clockAt(last) + "00:00:00".length);
}

/** In `04/Mar/2026:10:04:59` the clock does not begin within the year. */
const clockAt = (stamp: string): number => stamp.search(/(?<!\d)\d\d:\d\d:\d\d/);

const LEVELS = "TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|ERR|FATAL|CRITICAL|CRIT|SEVERE|EMERG|ALERT|PANIC";
/** A level where a log has it: in capitals, in brackets, as a key. Small letters count only with what is around them. */
const LEVEL = new RegExp(
  String.raw`^\W{0,3}(?:${LEVELS})\b(?![-./\w])|[\[(<](?:${LEVELS})[\])>]|\blevel["']?[=:] ?["']?\w|^(?:${LEVELS}):`.replaceAll(
    "(?:TRACE",
    "(?:trace|debug|info|warn|error|TRACE",
  ),
);

const ONLY_LEVEL = new RegExp(String.raw`^\W{0,3}(?:${LEVELS})\W{0,3}$`, "i");

/** Whether a line is a level and says nothing: `[ERROR] `. */
export const isOnlyLevel = (text: string): boolean => text.length < 20 && ONLY_LEVEL.test(text);

/** Whether a line carries a time of day or a level, as the lines of a log do. */
export function isStamped(text: string): boolean {
  const near = text.length > NEAR ? text.slice(0, NEAR) : text;
  return STAMP.test(near) || LEVEL.test(near);
}
