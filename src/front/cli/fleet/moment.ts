import { UsageError } from "../io.ts";

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A moment that a person typed: `2026-11-17`, `2026-11-17T09:30Z`, or how long ago it was: `90m`, `24h`, `7d`. */
export const readMoment = (option: string, text: string, now = Date.now()): Date => parseMoment(option, text, (ms) => now - ms);

/** The same for one that is to come: `90d` is in ninety days. */
export function readDeadline(option: string, text: string): Date {
  const now = Date.now();
  const moment = parseMoment(option, text, (ms) => now + ms);
  if (moment.getTime() <= now) throw new UsageError(`${option} ${text}: it must be a moment to come.`);
  return moment;
}

function parseMoment(option: string, text: string, away: (ms: number) => number): Date {
  const [, count = "", unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const counted = unit === "" ? Number.NaN : away(Number(count) * UNITS[unit]!);
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : counted;
  if (Number.isNaN(moment))
    throw new UsageError(`${option} ${text}: it must be a moment, such as 2026-11-17, 2026-11-17T09:30Z, 24h or 7d.`);
  return new Date(moment);
}
