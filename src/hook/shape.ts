import { isRecord } from "../text/json.ts";

/** The type of a field. With a question mark it may be missing. */
export type FieldType = `${"text" | "text or null" | "number" | "flag" | "object" | "texts" | "list" | "any"}${"" | "?"}`;
export type FieldShape = Readonly<Record<string, FieldType>>;

/** What is wrong with the fields that a shape names; null when nothing is. Others are not looked at. */
export function misfitIn(value: Readonly<Record<string, unknown>>, shape: FieldShape): string | null {
  for (const [name, type] of Object.entries(shape)) {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    if (given === undefined && type.endsWith("?")) continue;
    const kind = type.replace("?", "") as keyof typeof FITS;
    if (given === undefined) return `${name} is missing`;
    if (!FITS[kind](given)) return `${name} is not ${WORDS[kind]}`;
  }
  return null;
}

/** A field that the shape does not name: nobody knows what it changes. Null when there is none. */
export function unknownIn(value: Readonly<Record<string, unknown>>, shape: FieldShape): string | null {
  const other = Object.keys(value).find((name) => !Object.hasOwn(shape, name));
  return other === undefined ? null : `${JSON.stringify(other.slice(0, 80))} is not known`;
}

const FITS = {
  text: (value: unknown) => typeof value === "string",
  "text or null": (value: unknown) => value === null || typeof value === "string",
  number: (value: unknown) => typeof value === "number" && Number.isFinite(value),
  flag: (value: unknown) => typeof value === "boolean",
  object: (value: unknown) => isRecord(value),
  texts: (value: unknown) => isRecord(value) && Object.values(value).every((one) => typeof one === "string"),
  list: (value: unknown) => Array.isArray(value),
  any: () => true,
} as const;

const WORDS = {
  text: "a text",
  "text or null": "a text",
  number: "a number",
  flag: "true or false",
  object: "an object",
  texts: "an object of texts",
  list: "a list",
  any: "anything",
} as const;
