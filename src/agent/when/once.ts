import { type ClockTime, hourOf, type TimeAmount, type TimeUnit, type TimeWords } from "./vocabulary.ts";
import { isDate, type Local, weekdayOf, type Zone } from "./zone.ts";

type Once = { readonly at: number } | { readonly refused: string };

/** The moment that words name, seen from now. It may be over. */
export function onceOf(said: TimeWords, now: number, zone: Zone): Once {
  const { ahead, day, weekdays, monthDay, times = [] } = said;
  if (times.length > 1) return { refused: 'it names two times; for what comes again and again say "every"' };
  if ((weekdays?.length ?? 0) > 1) return { refused: 'it names more than one weekday; for what comes again and again say "every"' };
  const named = [ahead, day, weekdays, monthDay].filter((one) => one !== undefined);
  if (named.length > 1) return { refused: "it names two days" };
  if (ahead) return aheadOf(said, ahead, now, zone);
  const today = { ...zone.local(now), second: 0 };
  const time = clock(said);
  const on = (days: number): number => {
    // Past midnight is still tonight.
    const late = day === "tonight" && time.hour < 6 ? 1 : 0;
    return zone.instant({ ...today, day: today.day + days + late, ...time });
  };
  if (day) return { at: on(DAYS_AHEAD[day]) };
  if (weekdays) {
    const away = (weekdays[0]! - weekdayOf(today) + 7) % 7;
    return { at: on(away === 0 && (said.next || on(0) <= now) ? 7 : away) };
  }
  if (monthDay !== undefined) return onDate(said, { ...today, ...time }, now, zone);
  return { at: on(0) > now ? on(0) : on(1) };
}

const DAYS_AHEAD = { today: 0, tonight: 0, tomorrow: 1, "after tomorrow": 2 } as const;

/** What is said; else the part of the day; else nine in the morning, and tonight eight in the evening. */
function clock({ times, part, day }: TimeWords): { readonly hour: number; readonly minute: number } {
  const time: ClockTime = times?.[0] ?? part ?? { hour: day === "tonight" ? 20 : 9, minute: 0, isSure: true };
  const half = part?.half ?? (day === "tonight" ? "pm" : undefined);
  if (day === "tonight" && !time.isSure && time.hour === 12) return { hour: 0, minute: time.minute };
  return { hour: hourOf(time, half), minute: time.minute };
}

const MOST_MONTHS = 12 * 8 + 1;

/** The first such date that is still ahead. With a year it is that one, over or not. */
function onDate({ monthDay, month, year }: TimeWords, today: Local, now: number, zone: Zone): Once {
  if (monthDay === "last" && month !== undefined) return { refused: "the last day of a certain month has a number; say that" };
  for (let ahead = 0; ahead < MOST_MONTHS; ahead++) {
    const count = today.month - 1 + ahead;
    const there = { year: year ?? today.year + Math.floor(count / 12), month: (count % 12) + 1 };
    if (month !== undefined && there.month !== month) continue;
    const day = monthDay === "last" ? lastDay(there) : (monthDay ?? 1);
    if (day < 1 || !isDate({ ...there, day })) continue;
    const at = zone.instant({ ...today, ...there, day });
    if (at > now || year !== undefined) return { at };
  }
  return { refused: `there is no such day as ${month === undefined ? `the ${monthDay}.` : `day ${monthDay} of month ${month}`}` };
}

const lastDay = ({ year, month }: Pick<Local, "year" | "month">): number => new Date(Date.UTC(year, month, 0)).getUTCDate();

const MS: Readonly<Record<TimeUnit, number>> = {
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  month: 30 * 86_400_000,
  year: 365 * 86_400_000,
};
/** More than any time that is taken; it keeps what is counted below small. */
const FAR = 100 * MS.year;

/** Hours and less are counted as time; days and more by the calendar, so that the clock shows the same. */
function aheadOf({ times, part }: TimeWords, ahead: readonly TimeAmount[], now: number, zone: Zone): Once {
  if (ahead.reduce((sum, { n, unit }) => sum + n * MS[unit], 0) > FAR) return { refused: "that is too far ahead" };
  const byCalendar = ahead.filter(({ unit }) => CALENDAR.has(unit));
  if (byCalendar.some(({ n }) => !Number.isInteger(n))) return { refused: "of days and more only whole ones can be counted" };
  if ((times || part) && byCalendar.length !== ahead.length) return { refused: "it says a time of day twice" };
  const count = (unit: TimeUnit) => byCalendar.reduce((sum, amount) => sum + (amount.unit === unit ? amount.n : 0), 0);
  const here = zone.local(now);
  const months = here.month - 1 + count("month");
  const there = { year: here.year + count("year") + Math.floor(months / 12), month: (months % 12) + 1 };
  const day = Math.min(here.day, lastDay(there)) + count("day") + 7 * count("week");
  const time = times || part ? { ...clock({ ...(times && { times }), ...(part && { part }) }), second: 0 } : {};
  const from = byCalendar.length === 0 ? now : zone.instant({ ...here, ...there, day, ...time });
  const rest = ahead.filter(({ unit }) => !CALENDAR.has(unit)).reduce((sum, { n, unit }) => sum + n * MS[unit], 0);
  return { at: Math.round(from + rest) };
}

const CALENDAR: ReadonlySet<TimeUnit> = new Set(["day", "week", "month", "year"]);
