import { plural } from "../text/words.ts";
/** A span of time in words, for a person or a model: `45 seconds`, `10 minutes`. It is rounded up, so that whoever waits that long has waited long enough. */
export function spanText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 120) return plural(whole, "second");
  if (whole < 7200) return plural(Math.ceil(whole / 60), "minute");
  return plural(Math.ceil(whole / 3600), "hour");
}
