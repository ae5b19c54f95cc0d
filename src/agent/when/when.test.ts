import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadCron } from "./cron.ts";
import { readWhen, whenText } from "./when.ts";
import { createZone } from "./zone.ts";

const BERLIN = "Europe/Berlin";
/** A Sunday, 13:00 in Berlin. */
const NOW = Date.parse("2026-11-15T12:00:00Z");

const read = (text: string, now = NOW, zone = BERLIN) => readWhen(text, now, zone);
async function refused(text: string, now = NOW, zone = BERLIN): Promise<string> {
  const found = await read(text, now, zone);
  return "refused" in found ? found.refused : `understood: ${JSON.stringify(found)}`;
}
/** The clock on the wall at the next time, and the cron line. */
async function understood(text: string, now = NOW, zone = BERLIN): Promise<string> {
  const found = await read(text, now, zone);
  if ("refused" in found) return found.refused;
  const { year, month, day, hour, minute } = createZone(zone).local(found.nextAt);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${year}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}${found.cron === null ? "" : ` | ${found.cron}`}`;
}

describe("a time that is read", () => {
  it.each([
    ["in 20 minutes", "2026-11-15 13:20"],
    ["In an hour", "2026-11-15 14:00"],
    ["in half an hour", "2026-11-15 13:30"],
    ["in a quarter of an hour", "2026-11-15 13:15"],
    ["in an hour and a half", "2026-11-15 14:30"],
    ["in 1 hour and 30 minutes", "2026-11-15 14:30"],
    ["in 1.5 hours", "2026-11-15 14:30"],
    ["in 2h 15m", "2026-11-15 15:15"],
    ["in three days", "2026-11-18 13:00"],
    ["in 2 days at 9", "2026-11-17 09:00"],
    ["in a month", "2026-12-15 13:00"],
    ["18:00", "2026-11-15 18:00"],
    ["at 18:00", "2026-11-15 18:00"],
    ["6pm", "2026-11-15 18:00"],
    ["6 p.m.", "2026-11-15 18:00"],
    ["12:00", "2026-11-16 12:00"],
    ["at noon", "2026-11-16 12:00"],
    ["midnight", "2026-11-16 00:00"],
    ["12am", "2026-11-16 00:00"],
    ["tonight", "2026-11-15 20:00"],
    ["tonight at 9", "2026-11-15 21:00"],
    ["tonight at 12", "2026-11-16 00:00"],
    ["tonight at 1am", "2026-11-16 01:00"],
    ["tomorrow", "2026-11-16 09:00"],
    ["tomorrow at 9", "2026-11-16 09:00"],
    ["tomorrow at 9 in the evening", "2026-11-16 21:00"],
    ["tomorrow evening", "2026-11-16 20:00"],
    ["noon tomorrow", "2026-11-16 12:00"],
    ["the day after tomorrow at 7:30", "2026-11-17 07:30"],
    ["next monday 14:30", "2026-11-16 14:30"],
    ["next sunday", "2026-11-22 09:00"],
    ["sunday at 18:00", "2026-11-15 18:00"],
    ["sunday at 10:00", "2026-11-22 10:00"],
    ["on friday", "2026-11-20 09:00"],
    ["on the 1st at noon", "2026-12-01 12:00"],
    ["on the 31st", "2026-12-31 09:00"],
    ["24 december at 6pm", "2026-12-24 18:00"],
    ["on the 24th of December 2027 at 18:00", "2027-12-24 18:00"],
    ["January 5, 8:15", "2027-01-05 08:15"],
    ["29 february", "2028-02-29 09:00"],
    ["2026-12-24", "2026-12-24 09:00"],
    ["2026-12-24 18:00", "2026-12-24 18:00"],
    ["2026-12-24T18:00", "2026-12-24 18:00"],
    ["2026-12-24T18:00:00Z", "2026-12-24 19:00"],
    ["2026-12-24T18:00:30.5+05:30", "2026-12-24 13:30"],
    ["every day at 8", "2026-11-16 08:00 | 0 8 * * *"],
    ["at 8 every day", "2026-11-16 08:00 | 0 8 * * *"],
    ["every day at 8 and 20", "2026-11-15 20:00 | 0 8,20 * * *"],
    ["every weekday at 17:30", "2026-11-16 17:30 | 30 17 * * 1,2,3,4,5"],
    ["weekdays at 9", "2026-11-16 09:00 | 0 9 * * 1,2,3,4,5"],
    ["every 15 minutes", "2026-11-15 13:15 | */15 * * * *"],
    ["every minute", "2026-11-15 13:01 | * * * * *"],
    ["every half hour", "2026-11-15 13:30 | */30 * * * *"],
    ["every 6 hours", "2026-11-15 18:00 | 0 */6 * * *"],
    ["every monday and thursday at 9am", "2026-11-16 09:00 | 0 9 * * 1,4"],
    ["Mondays, 9:05", "2026-11-16 09:05 | 5 9 * * 1"],
    ["hourly", "2026-11-15 14:00 | 0 * * * *"],
    ["daily", "2026-11-16 09:00 | 0 9 * * *"],
    ["weekly", "2026-11-16 09:00 | 0 9 * * 1"],
    ["every week on friday", "2026-11-20 09:00 | 0 9 * * 5"],
    ["every morning", "2026-11-16 09:00 | 0 9 * * *"],
    ["every evening at 7", "2026-11-15 19:00 | 0 19 * * *"],
    ["on the 1st of every month at noon", "2026-12-01 12:00 | 0 12 1 * *"],
    ["every month on the 15th at 9", "2026-12-15 09:00 | 0 9 15 * *"],
    ["on the last day of every month at 18:00", "2026-11-30 18:00 | 0 18 L * *"],
    ["every 3 months", "2027-01-01 09:00 | 0 9 1 */3 *"],
    ["every year on december 24 at 18:00", "2026-12-24 18:00 | 0 18 24 12 *"],
    ["0 9 * * 1-5", "2026-11-16 09:00 | 0 9 * * 1-5"],
    ["  0   9 * * mon,thu ", "2026-11-16 09:00 | 0 9 * * mon,thu"],
    ["30 0 9 * * *", "2026-11-16 09:00 | 30 0 9 * * *"],
    ["@daily", "2026-11-16 00:00 | 0 0 * * *"],
    ["@Weekly", "2026-11-22 00:00 | 0 0 * * 0"],
    ["0 0 29 2 *", "2028-02-29 00:00 | 0 0 29 2 *"],
  ])("%s", async (text, expected) => {
    expect(await understood(text)).toBe(expected);
  });
});

describe("a time that is refused", () => {
  it.each([
    ["", "it is empty"],
    ["whenever you like", '"whenever" was not understood'],
    ["tomorrow at 9 or 10", '"or" was not understood'],
    ["now", "best done now"],
    ["0 0 30 2 *", "the cron line 0 0 30 2 * never fires"],
    ["every year on february 30", "never fires"],
    ["0 0 31 4,6,9,11 *", "never fires"],
    ["0 25 * * *", "no cron line. Invalid value for hour: 25"],
    ["0 9 * *", "this one has 4"],
    ["0 0 9 * * * 2027", "this one has 7"],
    ["* * * * * *", "once a minute is the most"],
    ["*/10 * * * * *", "once a minute is the most"],
    ["0,30 0 9 * * *", "once a minute is the most"],
    ["@reboot", "@hourly, @daily"],
    ["every 30 seconds", "once a minute is the most"],
    ["every second", "once a minute is the most"],
    ["every 0 minutes", "cannot be kept evenly"],
    ["every 7 minutes", "there are 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60"],
    ["every 5 hours", "there are 1, 2, 3, 4, 6, 8, 12, 24"],
    ["every 2 days", "every 2 days cannot be kept"],
    ["every other week", "every 2 weeks cannot be kept"],
    ["every day at 8 and 9:30", "different minutes"],
    ["every monday on the 1st", "weekdays and a day of the month"],
    ["every day tomorrow", "both when once and how often"],
    ["2020-01-01", "in the past: it is 2026-11-15 13:00 now (Europe/Berlin)"],
    ["2026-11-15 12:59", "in the past"],
    ["2026-11-15T12:00:00Z", "in the past"],
    ["today at 9", "in the past"],
    ["in 0 minutes", "in the past"],
    ["2026-02-30", "no such date"],
    ["2026-12-24 25:00", "no such date"],
    ["2026-12-24 later", "must look like 2026-12-24 18:00"],
    ["30 february", "no such day"],
    ["on the 32nd", "no such day"],
    ["at 25:00", '"25:00" was not understood'],
    ["13pm", '"13" was not understood'],
    ["2032-01-01", "more than 5 years ahead"],
    ["in 6 years", "more than 5 years ahead"],
    ["in 99999 years and 99999 years", "too far ahead"],
    ["tomorrow tomorrow", "a second time"],
    ["monday and thursday", 'say "every"'],
    ["at 8 and 9", 'say "every"'],
    ["in 2 days on friday", "two days"],
    ["constructor", '"constructor" was not understood'],
    ["every __proto__", '"__proto__" was not understood'],
    ["next week", '"next week" was not understood'],
    ["in 3 constructor", '"in 3 constructor" was not understood'],
  ])("%s", async (text, why) => {
    expect(await refused(text)).toContain(why);
    expect(await refused(text)).toContain("Examples: in 20 minutes");
  });

  it("says no more of a long text than its beginning", async () => {
    const why = await refused("every day ".repeat(1000));
    expect(why).toContain("it has 9999 characters; 200 is the most");
    expect(why.length).toBeLessThan(400);
  });
});

describe("when the clocks are changed", () => {
  it("a daily time keeps its place on the wall", async () => {
    const before = Date.parse("2026-03-28T12:00:00Z");
    expect(await understood("every day at 8", before)).toBe("2026-03-29 08:00 | 0 8 * * *");
    expect(((await read("every day at 8", before)) as { nextAt: number }).nextAt).toBe(Date.parse("2026-03-29T06:00:00Z"));
  });
  it("tomorrow at the same hour is 23 or 25 hours away", async () => {
    const spring = await read("in 1 day", Date.parse("2026-03-28T12:00:00Z"));
    expect(spring).toEqual({ cron: null, nextAt: Date.parse("2026-03-29T11:00:00Z") });
    const autumn = await read("tomorrow at 13:00", Date.parse("2026-10-24T11:00:00Z"));
    expect(autumn).toEqual({ cron: null, nextAt: Date.parse("2026-10-25T12:00:00Z") });
    expect(await read("in 24 hours", Date.parse("2026-03-28T12:00:00Z"))).toEqual({
      cron: null,
      nextAt: Date.parse("2026-03-29T12:00:00Z"),
    });
  });
  it("a time that is skipped comes an hour later", async () => {
    expect(await understood("tomorrow at 2:30", Date.parse("2026-03-28T12:00:00Z"))).toBe("2026-03-29 03:30");
  });
  it("of a time that comes twice the first counts", async () => {
    const found = await read("tomorrow at 2:30", Date.parse("2026-10-24T12:00:00Z"));
    expect(found).toEqual({ cron: null, nextAt: Date.parse("2026-10-25T00:30:00Z") });
  });
  it("minutes are counted as time, in an hour that comes twice too", async () => {
    const second = Date.parse("2026-10-25T01:30:00.250Z");
    expect(await read("in 20 minutes", second)).toEqual({ cron: null, nextAt: second + 20 * 60_000 });
  });
  it("a month after the last of January is the last of February", async () => {
    expect(await understood("in a month", Date.parse("2027-01-31T12:00:00Z"))).toBe("2027-02-28 13:00");
  });
  it("a day that a country skipped is none that can be missed", async () => {
    // Samoa went from the 29th to the 31st.
    const now = Date.parse("2011-12-29T20:00:00Z");
    const found = await read("tomorrow at 9", now, "Pacific/Apia");
    expect("nextAt" in found && found.nextAt > now).toBe(true);
  });
  it("cron lines run once on both days of the year", async () => {
    const cron = await loadCron();
    for (const from of ["2026-03-28T12:00:00Z", "2026-10-24T12:00:00Z"]) {
      const first = cron.next("30 2 * * *", Date.parse(from), BERLIN)!;
      const second = cron.next("30 2 * * *", first, BERLIN)!;
      expect(second - first).toBeGreaterThan(20 * 3_600_000);
    }
  });
});

describe("rules that always hold", () => {
  const zones = fc.constantFrom(BERLIN, "UTC", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Auckland");
  const moments = fc.integer({ min: Date.parse("2020-01-01"), max: Date.parse("2040-01-01") });
  const words = fc.constantFrom(
    ..."in at on every next the of and a an half hour hours minutes day days week month monday thursday 1st 31st december 9 9:30 17:30 am pm noon tonight tomorrow evening 5 20 * */5 0 1-5 @daily 2027-01-01 last other".split(
      " ",
    ),
  );

  it("whatever is written, the answer is a time ahead and within five years, or a refusal", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.array(words, { maxLength: 8 }).map((list) => list.join(" ")),
          fc.string({ maxLength: 250 }),
        ),
        moments,
        zones,
        async (text, now, zone) => {
          const found = await read(text, now, zone);
          if ("refused" in found) return found.refused.length < 1000;
          return found.nextAt > now && found.nextAt <= now + 5 * 366 * 86_400_000;
        },
      ),
      { numRuns: 200 },
    );
  });

  it("a local time becomes the moment at which the clock shows it, or does not exist", () => {
    fc.assert(
      fc.property(moments, zones, (at, name) => {
        const zone = createZone(name);
        const local = zone.local(at);
        const back = zone.instant(local);
        // The same reading on the wall; where it comes twice, the first.
        return JSON.stringify(zone.local(back)) === JSON.stringify(local) && back <= at;
      }),
      { numRuns: 100 },
    );
  });

  it("a daily time is the same on the wall every day of ten years, unless the clock skips it", async () => {
    const cron = await loadCron();
    fc.assert(
      fc.property(moments, zones, fc.integer({ min: 4, max: 23 }), (now, name, hour) => {
        const { hour: shown, minute } = createZone(name).local(cron.next(`0 ${hour} * * *`, now, name)!);
        return shown === hour && minute === 0;
      }),
      { numRuns: 50 },
    );
  });
});

describe("a time that is told", () => {
  it.each([
    ["2026-11-15T17:00:00Z", "today at 18:00"],
    ["2026-11-15T23:30:00Z", "tomorrow at 00:30"],
    ["2026-12-24T17:00:00Z", "Thursday 2026-12-24 at 18:00"],
  ])("%s", (at, expected) => {
    expect(whenText(Date.parse(at), NOW, BERLIN)).toBe(expected);
  });
});
