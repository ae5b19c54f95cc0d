import { isBlank, type Line } from "../line.ts";

/** Where to read on, thanks, licences: said in every run, and about none. */
const ADVICE = new RegExp(
  [
    String.raw`for (?:more|further|additional) (?:information|details|help|info)\b`,
    String.raw`(?:learn|read|find out) more\b`,
    String.raw`(?:see|visit|docs?:|documentation:|see also:?) <?https?://\S+`,
    String.raw`to (?:learn|see|get|find out|read) more\b`,
    String.raw`run [\x60'"‘].{1,80}[\x60'"’] (?:for|to (?:see|get|show|learn)) .{0,60}\b(?:details|more|info|help|information)\b`,
    String.raw`thank(?:s| you) for (?:using|installing|trying|your)\b`,
    "(?:please )?(?:consider|support) .{0,60}(?:sponsor|donat|fund)",
    String.raw`(?:portions )?copyright (?:\(c\)|©|\d{4})`,
    String.raw`licensed under\b`,
    "this is free software",
    "there is no warranty",
    String.raw`\w{1,30} comes with absolutely no warranty`,
    String.raw`\d+ packages? (?:is|are) looking for funding`,
  ]
    .map((start) => `(?:${start})`)
    .join("|")
    .replace(/^(.*)$/s, String.raw`^[\W]{0,8}(?:$1)`),
  "i",
);
const LONGEST_ADVICE = 240;
/** Advice is given at the beginning and at the end. */
const AT_THE_ENDS = 1000;

export function withoutAdvice(lines: readonly Line[]): readonly Line[] {
  const isInside = (place: number) => place >= AT_THE_ENDS && place < lines.length - AT_THE_ENDS;
  const kept = lines.filter(
    ({ text, errors }, place) => isInside(place) || errors > 0 || text.length > LONGEST_ADVICE || !ADVICE.test(text),
  );
  return kept.length < lines.length && !kept.every(isBlank) ? kept : lines;
}
