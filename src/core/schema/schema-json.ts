import * as z from "zod";
import { record } from "../../text/json.ts";
import type { AnyTool } from "../tool.ts";
import { conversionOf } from "./schema.ts";

const written = new WeakMap<object, Readonly<Record<string, unknown>>>();

/** The JSON Schema of what a tool takes: the one it states, or its input's, written once. Throws where there is none. */
export const jsonSchemaOf = ({ input, jsonSchema }: Pick<AnyTool, "input" | "jsonSchema">): Readonly<Record<string, unknown>> =>
  jsonSchema ?? writeSchema(input);

/** A schema as JSON Schema, by its own library where that can. Throws what the library says, or why it cannot. */
export function writeSchema(schema: object): Readonly<Record<string, unknown>> {
  const known = written.get(schema);
  if (known) return known;
  const made = writeOutputSchema(schema);
  if (made.type !== "object") throw new TypeError("It does not describe an object with named arguments.");
  written.set(schema, made);
  return made;
}

/** The same for what a model answers, which may be a list or a number, too. */
export function writeOutputSchema(schema: object): Readonly<Record<string, unknown>> {
  const conversion = conversionOf(schema);
  if (conversion.by === "nobody") throw new TypeError(`What was given as schema ${conversion.why}`);
  const made =
    conversion.by === "itself" ? conversion.convert() : z.toJSONSchema(schema as z.ZodType, { io: "input", metadata: OWN_WORDS });
  const { $schema: _, ...rest } = record(made);
  return rest;
}

/** Until 4.2 zod keeps descriptions where only the same copy of zod finds them; the schema itself tells them. */
const OWN_WORDS = {
  get: (schema: { readonly meta?: () => object | undefined }) => schema.meta?.() ?? z.globalRegistry.get(schema as z.ZodType),
} as unknown as z.core.$ZodRegistry<Record<string, unknown>>;
