import type { Field, FieldValue } from "../../core/ports/elicitation.ts";
import { record } from "../../text/json.ts";
import { withoutHidden } from "./trust/hidden-text.ts";

const MOST_FIELDS = 50;
const MOST_OPTIONS = 200;
const MOST_TEXT = 1000;

/** The questions of a form, in the order they were written; null where one is of a kind nobody can answer. */
export function formFields(schema: unknown): readonly Field[] | null {
  const { properties, required } = record(schema);
  const entries = Object.entries(record(properties));
  if (entries.length > MOST_FIELDS) return null;
  const needed = new Set(Array.isArray(required) ? required : []);
  const fields = entries.map(([name, one]) => fieldOf(name, record(one), needed.has(name)));
  return fields.every((field) => field !== null) ? fields : null;
}

function fieldOf(name: string, one: Record<string, unknown>, required: boolean): Field | null {
  const words = {
    name,
    required,
    ...(typeof one.title === "string" && { title: shown(one.title) }),
    ...(typeof one.description === "string" && { description: shown(one.description) }),
  };
  const preset = one.default;
  if (one.type === "boolean") return { ...words, type: "boolean", ...(typeof preset === "boolean" && { default: preset }) };
  if (one.type === "number" || one.type === "integer")
    return { ...words, type: one.type, ...bounds(one.minimum, one.maximum), ...(typeof preset === "number" && { default: preset }) };
  if (one.type === "array") {
    const options = optionsOf(record(one.items));
    if (options === null) return null;
    const chosen = Array.isArray(preset) && preset.every((value) => typeof value === "string") ? { default: preset as string[] } : {};
    return { ...words, type: "choices", options, ...bounds(one.minItems, one.maxItems), ...chosen };
  }
  if (one.type !== "string") return null;
  const text = typeof preset === "string" ? { default: preset } : {};
  const options = optionsOf(one);
  if (options !== null) return { ...words, type: "choice", options, ...text };
  const format = typeof one.format === "string" ? { format: one.format } : {};
  return { ...words, type: "text", ...format, ...bounds(one.minLength, one.maxLength), ...text };
}

/** `enum` with or without `enumNames`, or `oneOf`/`anyOf` of constants with titles. */
function optionsOf(one: Record<string, unknown>): (Field["options"] & {}) | null {
  const titled = one.oneOf ?? one.anyOf;
  const options = Array.isArray(titled)
    ? titled.map(record).map((each) => ({ value: each.const, label: each.title ?? each.const }))
    : Array.isArray(one.enum)
      ? one.enum.map((value, n) => ({ value, label: (Array.isArray(one.enumNames) ? one.enumNames[n] : null) ?? value }))
      : null;
  if (options === null || options.length === 0 || options.length > MOST_OPTIONS) return null;
  if (!options.every(({ value, label }) => typeof value === "string" && typeof label === "string")) return null;
  return options.map(({ value, label }) => ({ value: value as string, label: shown(label as string) }));
}

const bounds = (least: unknown, most: unknown) => ({
  ...(typeof least === "number" && { least }),
  ...(typeof most === "number" && { most }),
});

/** What was answered, as far as it was asked, with what was preset in place of what was left open; null where something is wrong or missing. */
export function checkAnswers(
  fields: readonly Field[],
  content: Readonly<Record<string, FieldValue>>,
): Record<string, string | number | boolean | string[]> | null {
  const answer: Record<string, string | number | boolean | string[]> = {};
  for (const field of fields) {
    const value = Object.hasOwn(content, field.name) ? content[field.name] : field.default;
    if (value === undefined) {
      if (field.required) return null;
      continue;
    }
    if (!fits(field, value)) return null;
    answer[field.name] = typeof value === "object" ? [...value] : value;
  }
  return answer;
}

function fits({ type, options = [] }: Field, value: FieldValue): boolean {
  const isOption = (one: unknown) => options.some((option) => option.value === one);
  return {
    boolean: () => typeof value === "boolean",
    number: () => typeof value === "number" && Number.isFinite(value),
    integer: () => Number.isInteger(value),
    choice: () => isOption(value),
    choices: () => typeof value === "object" && value.every(isOption),
    text: () => typeof value === "string",
  }[type]();
}

const shown = (text: string) => withoutHidden(text).slice(0, MOST_TEXT).toWellFormed();
