import { parseJson } from "../../../text/json.ts";

/** An argument of a tool, as its JSON Schema describes it. */
export interface Parameter {
  readonly name: string;
  /** A word a person knows: text, whole number, true or false, … */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
}

type Schema = { readonly [key: string]: unknown };

/** In the order of the schema, required ones first. */
export function argumentsOf(parameters: unknown): readonly Parameter[] {
  const { properties = {}, required = [] } = parameters as { properties?: Record<string, Schema>; required?: readonly string[] };
  const all = Object.entries(properties).map(([name, schema]) => ({
    name,
    type: WORDS[String(schema.type)] ?? "JSON",
    required: required.includes(name),
    description: typeof schema.description === "string" ? schema.description : "",
  }));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

const WORDS: Record<string, string> = {
  string: "text",
  integer: "whole number",
  number: "number",
  boolean: "true or false",
  array: "JSON list",
  object: "JSON object",
};

/** A word of the command line as the value the schema wants; undefined when it is none. */
export function valueFor({ type }: Parameter, word: string): unknown {
  return (READERS[type] ?? jsonOrText)(word);
}

const READERS: Record<string, (word: string) => unknown> = {
  text: (word) => word,
  "whole number": (word) => (/^-?\d{1,15}$/.test(word) ? Number(word) : undefined),
  number: (word) => (/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(word) ? Number(word) : undefined),
  "true or false": (word) => (word === "true" ? true : word === "false" ? false : undefined),
  "JSON list": (word) => (Array.isArray(parseJson(word)) ? parseJson(word) : undefined),
  "JSON object": (word) => (typeof parseJson(word) === "object" ? parseJson(word) : undefined),
};

export const jsonOrText = (word: string): unknown => parseJson(word) ?? word;
