import { hashShape } from "./shape-hash.ts";

/** Stands for what varies. Clean text holds none. */
const GAP = "\0";
/** Before what a template adds to the text of its line. */
const ADDED = "\u0001";

/** What varies from one line to the next: ids in hexadecimal, UUIDs, and all that begins with a digit: times, addresses, durations, counts. `shape-hash.ts` says the same. */
const VARYING = /\b[a-f\d][\da-f]{5,}(?:-[\da-f]{4,12}){0,4}\b|\b[A-F\d][\dA-F]{7,}(?:-[\dA-F]{4,12}){0,4}\b|\d\w*(?:\.\d\w*)*/g;
const DATES = /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)(?=,? [JFMASOND])|\b(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?=[ /]+\0)/g;
const MAY_BE_DATE = /^.{0,40}?[JFMASOND][a-z]{2}[ /]/;
/** These numbers are what a line says: what a server answered, how a process ended. */
const TELLING = /(?:" |\b(?:code|status|exit|errno|signal|rc|error)[ =:]{1,2})\d{1,3}\b/;

const METHOD = "(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)";
/** What a server answered to a request that failed. A path alone may be that of a file, so the time the answer took must follow. */
const FAILED_REQUEST = new RegExp(
  [
    String.raw`(?:\b${METHOD} \S{1,2000}|(?<![^\s"'])https?://[^\s"']{1,2000}["']?)(?: HTTP/[\d.]{1,3}"?)? (?:(?:->|=>|→|-|\|) )?([45]\d\d)(?![\w.:/%-])(?! ?(?:[mµn]?s|[kMG]?i?B|bytes)\b)`,
    String.raw`(?<!\S)/\S{0,2000} ([45]\d\d)(?= (?:in )?\d{1,9}(?:\.\d{1,9})? ?[mµn]?s\b)`,
  ].join("|"),
);
const FAILED = `${ADDED}failed `;

/** Whether lines of this template tell of requests that failed. */
export const isOfFailedRequest = (template: string): boolean => template.includes(FAILED);

interface Shape {
  /** The line with gaps for what varies. */
  readonly gapped: string;
  /** Whether such lines may say more with their numbers. */
  readonly mayTell: boolean;
  readonly mayFail: boolean;
}

/** Before a number that may be telling, or the answer to a request. */
const BEFORE_TELLING = /(?:" |\b(?:code|status|exit|errno|signal|rc|error)[ =:]{1,2})\0/;
const BEFORE_ANSWER = new RegExp(String.raw`(?:\b${METHOD} |https?://|(?<!\S)/).* \0`);

/** Makes templates: a line with gaps for what varies. Lines with the same template say the same about different things. */
export function createTemplates(): (text: string) => string {
  const shapes = new Map<number, Shape>();
  return (text) => {
    const hash = hashShape(text, "words");
    const known = shapes.get(hash);
    const { gapped, mayTell, mayFail } = known ?? shapeOf(text);
    if (!known) shapes.set(hash, { gapped, mayTell, mayFail });
    const telling = mayTell ? TELLING.exec(text) : null;
    const failed = mayFail ? FAILED_REQUEST.exec(text) : null;
    if (!telling && !failed) return gapped;
    const added = telling ? `${ADDED}${telling[0]}` : "";
    return failed ? `${gapped}${added}${FAILED}${failed[1] ?? failed[2]}` : `${gapped}${added}`;
  };
}

function shapeOf(text: string): Shape {
  const gapped = text.replace(VARYING, GAP);
  const unsigned = gapped.includes("_-") ? gapped.replaceAll(`_-${GAP}`, `_${GAP}`) : gapped;
  const dateless = MAY_BE_DATE.test(unsigned) ? unsigned.replace(DATES, GAP) : unsigned;
  return { gapped: dateless, mayTell: BEFORE_TELLING.test(gapped), mayFail: BEFORE_ANSWER.test(gapped) };
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
