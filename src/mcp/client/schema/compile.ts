import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type { Ajv, ErrorObject, ValidateFunction } from "ajv";
import type * as Re2 from "re2js";
import { deeperThan, isRecord } from "../../../text/json.ts";
import { costProblem } from "./cost.ts";
import { mapSchemas, withNumericBounds } from "./walk.ts";

/** Finds the mistakes in a value; none when it fits. */
export type SchemaCheck = (value: unknown) => readonly ErrorObject[];

export const MOST_CHARACTERS = 64 * 1024;
const MOST_DEPTH = 64;
/** A check is a program of its own, and none is small. */
const MOST_KEPT = 64;
const kept = new Map<string, SchemaCheck | Error>();
const keys = new WeakMap<object, string>();

/** A check by somebody else's JSON Schema that ends, whatever they wrote. Made once, while it is in use. Throws where there is no making sense of it. */
export function compileSchema(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const key = keyOf(schema);
  const check = kept.get(key) ?? attempt(schema);
  // The one that was used last goes last.
  kept.delete(key);
  kept.set(key, check);
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
  if (check instanceof Error) throw check;
  return check;
}

function keyOf(schema: object): string {
  const known = keys.get(schema);
  if (known !== undefined) return known;
  const text = deeperThan(schema, MOST_DEPTH) ? "" : JSON.stringify(schema);
  const key = text === "" || text.length > MOST_CHARACTERS ? TOO_MUCH : createHash("sha256").update(text).digest("base64");
  keys.set(schema, key);
  return key;
}

/** Never compiled, so one name for all of them will do. */
const TOO_MUCH = "too much";

function attempt(schema: Readonly<Record<string, unknown>>): SchemaCheck | Error {
  if (keyOf(schema) === TOO_MUCH) return new Error("it is too large, or nested too deep");
  const problem = costProblem(schema);
  if (problem !== null) return new Error(`it ${problem}`);
  try {
    return made(schema);
  } catch (error) {
    return new Error((error as Error).message.slice(0, 300));
  }
}

/** Whether it is a schema at all, without making a check of it: that is done when one is needed. For one that is not too much. */
export function isSchema(schema: Readonly<Record<string, unknown>>): boolean {
  const { ajv } = compiler(isDraft7(schema.$schema) ? "seven" : "latest");
  return ajv.validateSchema(mapSchemas(schema, harmless) as object) === true;
}

function made(schema: Readonly<Record<string, unknown>>): SchemaCheck {
  const one = compiler(isDraft7(schema.$schema) ? "seven" : "latest");
  one.left--;
  const copy = mapSchemas(schema, harmless) as object;
  patterns = new Map();
  const validate: ValidateFunction = one.ajv.compile(copy);
  patterns = new Map();
  return (value) => {
    steps = MOST_STEPS;
    return validate(value) ? [] : (validate.errors ?? []);
  };
}

/** The most steps of one check. A schema can be written so that it takes for ever. */
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
  return { ...withNumericBounds(rest), [STEP]: priceOf(schema) };
}

const priceOf = ({ enum: choices, const: constant, required, properties }: Record<string, unknown>): number =>
  1 +
  (Array.isArray(choices) ? choices.length : 0) +
  (Array.isArray(required) ? required.length : 0) +
  (isRecord(properties) ? Object.keys(properties).length : 0) +
  (typeof constant === "object" ? (JSON.stringify(constant)?.length ?? 0) : 0);

const isDraft7 = (name: unknown) => typeof name === "string" && /draft-0[3-7]\b/.test(name);

const load = createRequire(import.meta.url);
/** A compiler remembers whatever it has compiled, so it is replaced from time to time. */
const MOST_COMPILED = 16;
const compilers: Record<"seven" | "latest", { ajv: Ajv; left: number } | null> = { seven: null, latest: null };

/** Loaded with the first call that has to be checked. */
function compiler(draft: "seven" | "latest"): { ajv: Ajv; left: number } {
  let one = compilers[draft];
  if (one === null || one.left <= 0) {
    one = { ajv: prepared(draft === "seven" ? load("ajv").Ajv : load("ajv/dist/2020.js").Ajv2020), left: MOST_COMPILED };
    compilers[draft] = one;
  }
  return one;
}

function prepared(Class: typeof Ajv): Ajv {
  const ajv = new Class({
    strict: false,
    allErrors: true,
    validateFormats: false,
    // A schema that is put in wherever it is named could make a program without end.
    inlineRefs: false,
    logger: false,
    addUsedSchema: false,
    code: { optimize: false, regExp: Object.assign(pattern, { code: "pattern" }) },
  });
  ajv.addKeyword({ keyword: STEP, schemaType: "number", validate: spend, errors: false });
  return ajv;
}

interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/** One pattern may stand in many places of a schema. */
let patterns = new Map<string, Pattern>();

function pattern(source: string): Pattern {
  const one = patterns.get(source) ?? linear(source);
  patterns.set(source, one);
  return one;
}

/** Never by going back and forth: RE2 is linear. What it does not know (look-around, back references) is left to the server. */
function linear(source: string): Pattern {
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
