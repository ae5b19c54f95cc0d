import { cronLine, loadCron } from "./cron.ts";
import { meaningOf, type WhenMeaning } from "./recurring.ts";
import { readWords } from "./words.ts";
import { createZone, dateText, isDate, type Local, timeText, weekdayOf, type Zone } from "./zone.ts";

export interface When {
  /** For what comes again and again; null for what is done once. */
  readonly cron: string | null;
  readonly nextAt: number;
}
/** What was not understood or cannot be, with examples of what can. */
export interface WhenRefusal {
  readonly refused: string;
}

const LONGEST = 200;
const FARTHEST_YEARS = 5;

/** Reads when something is to be done: a cron line, a time, or plain words. It depends on nothing but what it is given. */
export async function readWhen(text: string, now: number, zoneName: string): Promise<When | WhenRefusal> {
  const wish = text.trim();
  if (wish === "") return refusal(wish, "it is empty");
  if (wish.length > LONGEST) return refusal(`${wish.slice(0, 40)}…`, `it has ${wish.length} characters; ${LONGEST} is the most`);
  const zone = createZone(zoneName);
  const meant = understood(wish, now, zone);
  if ("refused" in meant) return refusal(wish, meant.refused);
  const found = "cron" in meant ? await nextBy(meant.cron, now, zoneName) : { cron: null, nextAt: meant.at };
  if ("refused" in found) return refusal(wish, found.refused);
  const problem = problemWith(found, now, zone);
  return problem === null ? found : refusal(wish, problem);
}

/** `tomorrow at 09:00`, as a person would say it. */
export function whenText(at: number, now: number, zoneName: string): string {
  const zone = createZone(zoneName);
  const there = zone.local(at);
  const away = (noon(there) - noon(zone.local(now))) / 86_400_000;
  if (away === 0) return `today at ${timeText(there)}`;
  if (away === 1) return `tomorrow at ${timeText(there)}`;
  return `${WEEKDAYS[weekdayOf(there)]} ${dateText(there)} at ${timeText(there)}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const noon = ({ year, month, day }: Local): number => Date.UTC(year, month - 1, day, 12);

function understood(wish: string, now: number, zone: Zone): WhenMeaning {
  const cron = cronLine(wish);
  if (cron) return "line" in cron ? { cron: cron.line } : cron;
  if (/^\d{4}-/.test(wish)) return timestamp(wish, zone);
  if (wish.toLowerCase() === "now") return { refused: "what is wanted now is best done now" };
  const said = readWords(wish);
  return "refused" in said ? said : meaningOf(said, now, zone);
}

const STAMP = /^(\d{4})-(\d{2})-(\d{2})(?:(?:[Tt]|\s+(?:at\s+)?)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?\s?([Zz]|[+-]\d{2}:?\d{2})?)?$/;

/** A time with an offset is that moment; without one it is local. A day alone begins at nine. */
function timestamp(wish: string, zone: Zone): WhenMeaning {
  const found = STAMP.exec(wish);
  if (!found) return { refused: "as a date with a time it must look like 2026-12-24 18:00" };
  const [year, month, day, hour = 9, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => (part === undefined ? undefined : Number(part)));
  const local = { year: year!, month: month!, day: day!, hour, minute, second };
  if (!isDate(local) || hour > 23 || minute > 59 || second > 59) return { refused: "there is no such date or time" };
  const offset = found[7];
  if (offset === undefined) return { at: zone.instant(local) };
  return { at: Date.UTC(local.year, local.month - 1, local.day, hour, minute, second) - offsetMs(offset) };
}

function offsetMs(offset: string): number {
  if (/^z$/i.test(offset)) return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(-2))];
  return (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

async function nextBy(cron: string, now: number, zoneName: string): Promise<When | WhenRefusal> {
  const lines = await loadCron();
  try {
    const nextAt = lines.next(cron, now, zoneName);
    return nextAt === null ? { refused: `the cron line ${cron} never fires: there is no such day` } : { cron, nextAt };
  } catch (error) {
    return { refused: `it is no cron line. ${(error as Error).message.replace(/^CronPattern: /, "")}` };
  }
}

function problemWith({ nextAt }: When, now: number, zone: Zone): string | null {
  if (!Number.isFinite(nextAt)) return "there is no such time";
  const here = zone.local(now);
  if (nextAt <= now) return `that is in the past: it is ${dateText(here)} ${timeText(here)} now (${zone.name})`;
  const farthest = zone.instant({ ...here, year: here.year + FARTHEST_YEARS });
  return nextAt > farthest ? `that is more than ${FARTHEST_YEARS} years ahead` : null;
}

const EXAMPLES =
  'in 20 minutes, 18:00, tomorrow at 9, next monday 14:30, every weekday at 17:30, every 15 minutes, 2026-12-24 18:00, or a cron line such as "0 9 * * 1-5"';

const refusal = (wish: string, why: string): WhenRefusal => ({
  refused: `"${wish}" is no time that can be kept: ${why.replace(/\.$/, "")}. Examples: ${EXAMPLES}.`,
});
