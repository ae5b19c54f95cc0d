import { onceOf } from "./once.ts";
import { type ClockTime, hourOf, type TimeWords } from "./vocabulary.ts";
import type { Zone } from "./zone.ts";

export type WhenMeaning = { readonly cron: string } | { readonly at: number } | { readonly refused: string };

/** What the words come to: a cron line for what is done again and again, a moment for what is done once. */
export const meaningOf = (said: TimeWords, now: number, zone: Zone): WhenMeaning => (said.again ? repeated(said) : onceOf(said, now, zone));

function repeated(said: TimeWords): WhenMeaning {
  const { step, ahead, day, year, next, weekdays, monthDay, month } = said;
  if (ahead || day || year !== undefined || next) return { refused: "it says both when once and how often" };
  if (weekdays && monthDay !== undefined) return { refused: "it names weekdays and a day of the month; say one of them" };
  if (step && step.unit !== "year" && month !== undefined && step.unit !== "month")
    return { refused: "it names a month and something more often" };
  const days = weekdays ? [...new Set(weekdays)].sort((a, b) => a - b).join(",") : "*";
  if (step?.unit === "second") return { refused: "once a minute is the most" };
  if (step?.unit === "minute" || step?.unit === "hour") return byTheClock(said, step.unit, step.n, days);
  const clock = clockOf(said);
  if ("refused" in clock) return clock;
  const n = step?.n ?? 1;
  if (step?.unit === "month") return byMonths(said, n, clock.fields);
  if (n !== 1)
    return {
      refused: `every ${n} ${step?.unit}s cannot be kept: months and years are not a multiple of it. Say every ${step?.unit}, or name weekdays`,
    };
  if (step?.unit === "year") return { cron: `${clock.fields} ${dayField(monthDay ?? 1)} ${month ?? 1} *` };
  if (monthDay !== undefined) return { cron: `${clock.fields} ${dayField(monthDay)} ${month ?? "*"} *` };
  return { cron: `${clock.fields} * * ${step?.unit === "week" && !weekdays ? "1" : days}` };
}

const IN = { minute: 60, hour: 24 } as const;

/** A cron line begins anew with every hour and every day, so only what divides them comes evenly. */
function byTheClock({ times, part, monthDay }: TimeWords, unit: "minute" | "hour", n: number, days: string): WhenMeaning {
  if (times || part || monthDay !== undefined)
    return { refused: `every ${n} ${unit}s does not go together with a time or a day of the month` };
  const all = IN[unit];
  if (!Number.isInteger(n) || n < 1 || n > all || all % n !== 0)
    return { refused: `every ${n} ${unit}s cannot be kept evenly; of ${unit}s there are ${divisors(all).join(", ")}` };
  const field = n === 1 ? "*" : n === all ? "0" : `*/${n}`;
  return { cron: unit === "minute" ? `${field} * * * ${days}` : `0 ${field} * * ${days}` };
}

function byMonths({ monthDay, month, weekdays }: TimeWords, n: number, clock: string): WhenMeaning {
  if (month !== undefined || weekdays) return { refused: "with every month goes a day of the month, such as the 1st" };
  if (!Number.isInteger(n) || n < 1 || 12 % n !== 0)
    return { refused: `every ${n} months cannot be kept evenly; there are ${divisors(12).join(", ")}` };
  return { cron: `${clock} ${dayField(monthDay ?? 1)} ${n === 1 ? "*" : `*/${n}`} *` };
}

const NINE: ClockTime = { hour: 9, minute: 0, isSure: true };

/** Minute and hours. */
function clockOf({ times, part }: TimeWords): { readonly fields: string } | { readonly refused: string } {
  const all = (times ?? [part ?? NINE]).map((time) => ({ ...time, hour: hourOf(time, part?.half) }));
  const minutes = new Set(all.map(({ minute }) => minute));
  if (minutes.size > 1) return { refused: "its times are at different minutes; schedule them one by one" };
  const hours = [...new Set(all.map(({ hour }) => hour))].sort((a, b) => a - b);
  return { fields: `${all[0]!.minute} ${hours.join(",")}` };
}

const dayField = (day: number | "last"): string => (day === "last" ? "L" : String(day));
const divisors = (n: number): readonly number[] => Array.from({ length: n }, (_, at) => at + 1).filter((one) => n % one === 0);
