import { createRequire } from "node:module";
import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import type * as Re2 from "re2js";
import { isRecord } from "./plain.ts";
import { mapSchemas } from "./schema-walk.ts";

/** What is wrong with a value; empty when nothing is. */
export type Check = (value: unknown) => readonly ErrorObject[];

/** A check by somebody else's JSON Schema that ends, whatever they wrote. Throws where there is no making sense of it. */
export function compileSchema(schema: Readonly<Record<string, unknown>>): Check {
  const ajv = isDraft7(schema.$schema) ? draft7() : draft2020();
  const copy = mapSchemas(schema, harmless) as object;
  let validate: ValidateFunction;
  try {
    validate = ajv.compile(copy);
  } finally {
    ajv.removeSchema(copy);
  }
  return (value) => {
    steps = MOST_STEPS;
    return validate(value) ? [] : (validate.errors ?? []);
  };
}

/** What one check may cost. A schema can be written so that it takes for ever. */
const MOST_STEPS = 500_000;
const STEP = "zeph-step";
let steps = 0;

function spend(cost: number): true {
  steps -= cost;
  if (steps < 0) throw new Error("the check takes too long");
  return true;
}

/** No names that others could refer to, nothing quadratic, and a price on everything. */
function harmless(schema: Record<string, unknown>): Record<string, unknown> {
  const { $schema: _schema, $id: _id, id: _old, $comment: _comment, uniqueItems: _unique, default: _default, ...rest } = schema;
  return { ...rest, [STEP]: priceOf(schema) };
}

const priceOf = ({ enum: choices, const: constant, required, properties }: Record<string, unknown>): number =>
  1 +
  (Array.isArray(choices) ? choices.length : 0) +
  (Array.isArray(required) ? required.length : 0) +
  (isRecord(properties) ? Object.keys(properties).length : 0) +
  (typeof constant === "object" ? (JSON.stringify(constant)?.length ?? 0) : 0);

const isDraft7 = (name: unknown) => typeof name === "string" && /draft-0[3-7]\b/.test(name);

const load = createRequire(import.meta.url);
const both: { seven?: Ajv; latest?: Ajv } = {};

/** Loaded with the first call that has to be checked. */
const draft7 = (): Ajv => {
  both.seven ??= made(load("ajv").Ajv);
  return both.seven;
};
const draft2020 = (): Ajv => {
  both.latest ??= made(load("ajv/dist/2020.js").Ajv2020);
  return both.latest;
};

function made(Class: typeof Ajv): Ajv {
  const ajv = new Class({
    strict: false,
    allErrors: true,
    validateFormats: false,
    // A schema that is put in wherever it is named could make a program without end.
    inlineRefs: false,
    logger: false,
    addUsedSchema: false,
    code: { regExp: Object.assign(pattern, { code: "pattern" }) },
  });
  ajv.addKeyword({ keyword: STEP, schemaType: "number", validate: spend, errors: false });
  return ajv;
}

/** Never by going back and forth: RE2 is linear. What it does not know (look-around, back references) is left to the server. */
function pattern(source: string): { test(text: string): boolean; toString(): string } {
  const { RE2JS } = load("re2js") as typeof Re2;
  let found: ((text: string) => boolean) | null = null;
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(source));
    const size = compiled.programSize();
    found = (text) => spend(1 + Math.ceil((text.length * size) / 16)) && compiled.test(text);
  } catch {
    found = null;
  }
  return { test: (text) => found === null || found(text), toString: () => JSON.stringify(source) };
}
