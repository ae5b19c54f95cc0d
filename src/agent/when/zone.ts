/** A moment as a clock on the wall shows it. Months count from 1, weekdays from Sunday = 0. */
export interface Local {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** The clock of one time zone. */
export interface Zone {
  readonly name: string;
  local(at: number): Local;
  /** Days and months that overflow carry over. A time that clocks skip comes as much later; of one they show twice the first counts. */
  instant(local: Local): number;
}

const DAY = 86_400_000;

export function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: name,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  const local = (at: number): Local => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
    return { year, month, day, hour, minute, second };
  };
  return {
    name,
    local,
    instant(wanted) {
      const asUtc = utcOf(wanted);
      const offset = (at: number) => utcOf(local(at)) - Math.floor(at / 1000) * 1000;
      // The clocks are changed at most once in two days.
      const candidates = [asUtc - offset(asUtc - DAY), asUtc - offset(asUtc + DAY)];
      const real = candidates.filter((at) => utcOf(local(at)) === asUtc);
      return real.length > 0 ? Math.min(...real) : candidates[0]!;
    },
  };
}

/** The zone of this machine. */
export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const weekdayOf = ({ year, month, day }: Pick<Local, "year" | "month" | "day">): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay();

export const isDate = ({ year, month, day }: Pick<Local, "year" | "month" | "day">): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
};

const two = (n: number): string => String(n).padStart(2, "0");
export const dateText = ({ year, month, day }: Local): string => `${year}-${two(month)}-${two(day)}`;
export const timeText = ({ hour, minute }: Pick<Local, "hour" | "minute">): string => `${two(hour)}:${two(minute)}`;

const utcOf = ({ year, month, day, hour, minute, second }: Local): number => Date.UTC(year, month - 1, day, hour, minute, second);
