/** Cron lines, read by a library that is loaded when one is first wanted. */
export interface CronLines {
  /** The next time after a moment; null when there is none within the years it looks ahead. Throws when it is no cron line. */
  next(line: string, after: number, zone: string): number | null;
}

export async function loadCron(): Promise<CronLines> {
  const { Cron } = await import("croner");
  return {
    next(line, after, zone) {
      const job = new Cron(line, { timezone: zone, mode: "5-or-6-parts", paused: true });
      return job.nextRun(new Date(after))?.getTime() ?? null;
    },
  };
}

const NICKNAMES: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
};

/** The cron line in what was written, or what is wrong with it; null when it does not look like one. */
export function cronLine(text: string): { readonly line: string } | { readonly refused: string } | null {
  if (text.startsWith("@")) return nickname(text);
  const fields = text.split(/\s+/);
  if (!fields.every((field) => FIELD.test(field))) return null;
  const isPlain = fields.length === 5 || fields.length === 6;
  if (!fields.some((field) => field.includes("*")) && !(isPlain && fields.slice(0, 2).every((field) => /^\d[\d,/-]*$/.test(field))))
    return null;
  if (!isPlain)
    return {
      refused: `a cron line has 5 fields (minute, hour, day, month, weekday) or 6 with seconds in front; this one has ${fields.length}`,
    };
  if (fields.length === 6 && !/^\d{1,2}$/.test(fields[0]!))
    return { refused: "once a minute is the most; its field of seconds must be one number" };
  return { line: fields.join(" ") };
}

const FIELD = /^[\d*?#,/a-z-]+$/i;

function nickname(text: string): { readonly line: string } | { readonly refused: string } {
  const line = NICKNAMES[text.toLowerCase()];
  return line === undefined ? { refused: `of the short forms there are ${Object.keys(NICKNAMES).join(", ")}` } : { line };
}
