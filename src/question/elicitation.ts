import type { Elicitation, Elicited, Field, FieldValue, Form } from "../core/ports/elicitation.ts";
import { visible } from "../text/visible.ts";

/** What a person reads before the form or the address of an MCP server. */
export const elicitationMessage = ({ from, message }: Elicitation): string => visible(`${from} asks: ${message}`);

/** A form as JSON Schema, which editors and MCP clients draw. */
type FormSchema<P> = { readonly type: "object"; readonly properties: Record<string, P>; readonly required?: string[] };

/** `P` is how a protocol types a property; all of them are the same JSON. */
export function formSchema<P>({ fields }: Form): FormSchema<P> {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.name, propertyOf(field) as P])),
    ...(required.length > 0 && { required }),
  };
}

function propertyOf({ type, title, description, options = [], format, least, most, default: preset }: Field): object {
  const choices = options.map(({ value, label }) => ({ const: value, title: visible(label) }));
  const kinds: Readonly<Record<Field["type"], object>> = {
    text: { type: "string", format, minLength: least, maxLength: most },
    number: { type: "number", minimum: least, maximum: most },
    integer: { type: "integer", minimum: least, maximum: most },
    boolean: { type: "boolean" },
    choice: { type: "string", oneOf: choices },
    choices: { type: "array", items: { anyOf: choices }, minItems: least, maxItems: most },
  };
  const all = { ...kinds[type], title: title && visible(title), description: description && visible(description), default: preset };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** What a client answered. Whatever is no answer counts as cancelled. Only what was asked for is passed on. */
export function readElicited(asked: Elicitation, given: unknown): Elicited {
  const { action, content } = (given ?? {}) as { readonly action?: unknown; readonly content?: unknown };
  if (action === "decline") return { action };
  if (action !== "accept") return { action: "cancel" };
  const names = new Set(asked.kind === "form" ? asked.fields.map(({ name }) => name) : []);
  const values = Object.entries(content ?? {}).filter(
    (entry): entry is [string, FieldValue] => names.has(entry[0]) && isFieldValue(entry[1]),
  );
  return { action: "accept", content: Object.fromEntries(values) };
}

const LONGEST_VALUE = 100_000;
const MOST_VALUES = 1000;

const isFieldValue = (value: unknown): value is FieldValue =>
  typeof value === "boolean" ||
  (typeof value === "number" && Number.isFinite(value)) ||
  (typeof value === "string" && value.length <= LONGEST_VALUE) ||
  (Array.isArray(value) && value.length <= MOST_VALUES && value.every((one) => typeof one === "string" && one.length <= LONGEST_VALUE));
