import { groupBy } from "../../text/group-by.ts";
import { isBlank, type Line } from "../line.ts";

/** So many lines of one kind are told one by one. */
const MANY = 20;
const AT_FRONT = 2;
const WARNS = /\bwarn(?:ing)?s?\b/i;

/** What a command tells of its work: of very many lines of one kind, wherever they stand, the first and the last. Errors and warnings stay. */
export function withoutMiddle(lines: readonly Line[]): readonly Line[] {
  if (lines.length <= MANY) return lines;
  const kinds = groupBy(
    lines.filter((line) => line.covers === 1 && line.errors === 0 && !isBlank(line) && !WARNS.test(line.text)),
    ({ text }) => kindOf(text),
  );
  const left = new Set([...kinds].flatMap(([kind, all]) => (all.length > MANY && isTold(kind) ? all.slice(AT_FRONT, -1) : [])));
  return left.size > 0 ? lines.filter((line) => !left.has(line)) : lines;
}

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

const LOOKED_AT = 300;
const WORD = /^[-([{"'`‘]{0,2}\p{L}{2,}[)\]}"'`’:;,.!?…]{0,4}$/u;
const THING = "\0";
const THINGS = new RegExp(`${THING}(?: ${THING})+`, "g");

/** What a line says, without what it says it about: names, paths, versions and numbers. */
function kindOf(text: string): string {
  const words = text.slice(0, LOOKED_AT).trim().split(/\s+/);
  const kinds = words.map((word) => (WORD.test(word) ? word : THING));
  // Figures side by side are a table, which somebody may have waited for.
  return kinds.every((kind) => kind === THING) ? kinds.join(" ") : kinds.join(" ").replace(THINGS, THING);
}

/** Words about a thing, or a thing alone. Words alone, said often, were counted before. */
const isTold = (kind: string): boolean => kind.includes(THING) && !kind.startsWith(`${THING} ${THING}`);
