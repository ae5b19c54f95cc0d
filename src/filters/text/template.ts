/** Stands for what varies. Clean text holds none. */
const GAP = "\0";
/** Before what a template adds to the text of its line. */
const ADDED = "\u0001";

/** What varies from one line to the next: ids in hexadecimal, UUIDs, and all that begins with a digit: times, addresses, durations, counts. */
const VARYING = /\b[a-f\d][\da-f]{5,}(?:-[\da-f]{4,12}){0,4}\b|\b[A-F\d][\dA-F]{7,}\b|\d\w*(?:\.\d\w*)*/g;
const DATES = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?=,? [JFMASOND])|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?=[ /]+\0)/g;
const MAY_BE_DATE = /^.{0,40}?[JFMASOND][a-z]{2}[ /]/;
/** These numbers are what a line says: what a server answered, how a process ended. */
const TELLING = /(?:" |\b(?:code|status|exit|errno|signal|rc|error)[ =:]{1,2})\d{1,3}\b/;

/** A line with gaps for what varies. Lines with the same template say the same about different things. */
export function templateOf(text: string): string {
  const gapped = text.replace(VARYING, GAP);
  const unsigned = gapped.includes("_-") ? gapped.replaceAll(`_-${GAP}`, `_${GAP}`) : gapped;
  const template = MAY_BE_DATE.test(unsigned) ? unsigned.replace(DATES, GAP) : unsigned;
  const telling = TELLING.exec(text);
  return telling ? `${template}${ADDED}${telling[0]}` : template;
}

/** Where one field of a line ends and another begins. */
const BETWEEN = String.raw`\s"'()[\]{}<>,;=|`;
const FIELD_WITH_DIGIT = new RegExp(String.raw`(?<![^${BETWEEN}])[^${BETWEEN}\d]*\d[^${BETWEEN}]*`, "g");
const SEPARATORS = new RegExp(`([${BETWEEN}]+)`);

/** The fields of a line that hold a number, whole: `/admin/57`, `867ms`. Lines with the same template have equally many. */
export const numbersOf = (text: string): readonly string[] => text.match(FIELD_WITH_DIGIT) ?? [];

/** Fields at even places, what stands between them at odd ones. */
export const fieldsOf = (text: string): string[] => text.split(SEPARATORS);

/** The fields of a template, and what it adds to its line. */
export function templateFields(template: string): { readonly fields: string[]; readonly added: string } {
  const end = template.indexOf(ADDED);
  return end === -1 ? { fields: fieldsOf(template), added: "" } : { fields: fieldsOf(template.slice(0, end)), added: template.slice(end) };
}

export const isConstant = (field: string): boolean => !field.includes(GAP);

const UUIDS = /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi;
export const withoutUuids = (text: string): string => (text.includes("-") ? text.replace(UUIDS, GAP) : text);
