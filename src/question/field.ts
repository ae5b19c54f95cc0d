import type { Field, FieldValue } from "../core/ports/elicitation.ts";
import { typedAnswer, YES_OR_NO } from "./answers.ts";

/** A value the server takes, or what is wrong with it. */
export type CheckedValue = { readonly value: FieldValue } | { readonly wrong: string };

/** What was typed, as the server wants it. */
export function fieldValue(field: Field, typed: string): CheckedValue {
  const value = READ[field.type](typed.trim(), field);
  return value === null ? { wrong: `That is not ${ASKED[field.type]}.` } : checked(field, value);
}

/** What Enter alone means. A default is a stranger's value like any other. */
export const presetValue = (field: Field): CheckedValue =>
  field.default === undefined ? { wrong: "This field is required." } : checked(field, field.default);

function checked(field: Field, value: FieldValue): CheckedValue {
  const wrong = badAnswer(field, value);
  return wrong === null ? { value } : { wrong };
}

/** Null when the value is one the server takes. */
export function badAnswer(field: Field, value: FieldValue): string | null {
  if (typeof value === "number") return outside(value, field, "");
  if (field.type === "text" && typeof value === "string") {
    const form = FORMATS.get(field.format ?? "");
    return outside([...value].length, field, " characters") ?? (form && !form.fits(value) ? `That is not ${form.name}.` : null);
  }
  const known = field.options?.map((option) => option.value);
  const given = Array.isArray(value) ? value : [value];
  if (known && !given.every((one) => known.includes(one))) return "That is not among the choices.";
  return field.type === "choices" ? outside(given.length, field, " of them") : null;
}

export const valueText = (value: FieldValue): string =>
  Array.isArray(value) ? value.join(", ") || "none" : typeof value === "boolean" ? (value ? "yes" : "no") : String(value);

const BOOLEANS: ReadonlyMap<string | null, boolean> = new Map([
  ["yes", true],
  ["true", true],
  ["no", false],
  ["false", false],
]);
const NUMBER = /^[+-]?\d{1,30}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?$/;

const READ: Readonly<Record<Field["type"], (typed: string, field: Field) => FieldValue | null>> = {
  text: (typed) => typed,
  number: (typed) => (NUMBER.test(typed) && Number.isFinite(Number(typed)) ? Number(typed) : null),
  integer: (typed) => (/^[+-]?\d{1,15}$/.test(typed) ? Number(typed) : null),
  boolean: (typed) => BOOLEANS.get(typed === "" ? null : (typedAnswer(typed, YES_OR_NO) ?? typed.toLowerCase())) ?? null,
  choice: (typed, field) => chosen(typed, field),
  choices(typed, field) {
    const all = typed.split(",").map((one) => chosen(one.trim(), field));
    return all.every((one) => one !== null) ? [...new Set(all)] : null;
  },
};

/** By its number, or as it is written. */
function chosen(typed: string, { options = [] }: Field): string | null {
  const exact = options.find(({ value, label }) => value === typed || label === typed);
  return (exact ?? (/^\d{1,4}$/.test(typed) ? options[Number(typed) - 1] : undefined))?.value ?? null;
}

const ASKED: Readonly<Record<Field["type"], string>> = {
  text: "a text",
  number: "a number",
  integer: "a whole number",
  boolean: "yes or no",
  choice: "among the choices; type its number",
  choices: "among the choices; type their numbers, with commas between",
};

function outside(size: number, { least, most }: Field, what: string): string | null {
  if (least !== undefined && size < least) return `It must be at least ${least}${what}.`;
  return most !== undefined && size > most ? `It must be at most ${most}${what}.` : null;
}

interface Format {
  readonly name: string;
  fits(text: string): boolean;
}

/** Formats a server may ask for. Every other format is left to the server. */
const FORMATS: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    email: { name: "an email address", fits: (text) => /^[^\s@]{1,64}@[^\s@]{1,255}$/.test(text) },
    uri: { name: "an address with its scheme, like https://a.example", fits: (text) => URL.canParse(text) },
    date: { name: "a date, like 2026-01-31", fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(`${text}T00:00:00Z`, text) },
    "date-time": {
      name: "a date with a time, like 2026-01-31T09:30:00Z",
      fits: (text) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text)),
    },
  }),
);

/** JavaScript makes the first of March of the 30th of February. */
const isTime = (text: string, day: string): boolean => {
  const at = new Date(text);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
};
