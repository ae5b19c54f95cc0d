import * as z from "zod";
import { attempt } from "../../../text/attempt.ts";
import { deeperThan, isRecord, record } from "../../../text/json.ts";
import { countHidden, withoutHidden } from "../trust/hidden-text.ts";
import { compileSchema, MOST_CHARACTERS, type SchemaCheck } from "./compile.ts";
import { costProblem } from "./cost.ts";
import { mapSchemas, withNumericBounds } from "./walk.ts";

const MOST_DEPTH = 40;

/** Why a schema is not taken; null when it is. Cheap: nothing is compiled. */
export function schemaProblem(schema: unknown): string | null {
  if (!isRecord(schema)) return "its inputSchema is not an object";
  if (deeperThan(schema, MOST_DEPTH)) return `its inputSchema is nested deeper than ${MOST_DEPTH} levels`;
  if (JSON.stringify(schema).length > MOST_CHARACTERS) return "its inputSchema is larger than 64 kB";
  if (schema.type !== undefined && schema.type !== "object") return "its inputSchema does not describe an object";
  const cost = costProblem(schema);
  if (cost !== null) return `its inputSchema ${cost}`;
  const inside = textProblem(schema);
  if (inside !== null) return inside;
  const odd = Object.keys(record(schema.properties)).find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name));
  return odd === undefined ? null : `an argument's name is not one that models take (${JSON.stringify(withoutHidden(odd).slice(0, 40))})`;
}

/** Names and values are what they are: nothing may be taken out of them, so nothing may hide in them. */
function textProblem(schema: unknown): string | null {
  const open: unknown[] = [wordless(schema)];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node === "string" && countHidden(node) > 0) return "characters are hidden in names or values of its inputSchema";
    if (typeof node !== "object" || node === null) continue;
    for (const [key, value] of Object.entries(node)) {
      if (key === "__proto__") return 'its inputSchema names something "__proto__"';
      if (countHidden(key) > 0) return "characters are hidden in names or values of its inputSchema";
      if (/^\$(?:ref|dynamicRef|recursiveRef)$/.test(key) && typeof value === "string" && !value.startsWith("#"))
        return "its inputSchema refers to another document";
      open.push(value);
    }
  }
  return null;
}

const wordless = (schema: unknown) => mapSchemas(schema, ({ description: _d, title: _t, $comment: _c, ...rest }) => rest);

/** The schema as a provider takes it: an object at the top, its words without hidden characters, no choices between whole objects. */
export function parametersOf(schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const clean = record(
    mapSchemas(schema, ({ $schema: _schema, $id: _id, $comment: _comment, description, title, ...rest }) => ({
      ...(typeof title === "string" && { title: withoutHidden(title) }),
      ...(typeof description === "string" && { description: withoutHidden(description) }),
      ...withNumericBounds(rest),
    })),
  );
  const {
    anyOf,
    oneOf,
    allOf,
    not: _not,
    if: _if,
    then: _then,
    else: _else,
    enum: _enum,
    const: _const,
    type: _type,
    properties,
    ...rest
  } = clean;
  const branches = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : [])).map(record);
  const all = Object.assign({}, ...branches.map((branch) => record(branch.properties)).reverse(), record(properties));
  return { type: "object", properties: all, ...rest };
}

/** The arguments, held against the schema when a call comes. What does not fit is told as zod tells it. */
export function inputOf(schema: Readonly<Record<string, unknown>>): z.ZodObject {
  const names = Object.keys(record(parametersOf(schema).properties));
  return z.looseObject(Object.fromEntries(names.map((name) => [name, z.unknown().optional()]))).check((ctx) => {
    const check = checkOf(schema);
    try {
      for (const error of check(ctx.value).slice(0, MOST_ISSUES)) ctx.issues.push(issueOf(error, ctx.value));
    } catch (error) {
      ctx.issues.push({
        code: "custom",
        input: ctx.value,
        path: [],
        message: `cannot be checked: ${(error as Error).message.slice(0, 200)}`,
      });
    }
  });
}

/** No arguments are right for a schema that makes no sense: the tool itself refuses the call, and says why. */
const checkOf = (schema: Readonly<Record<string, unknown>>): SchemaCheck =>
  attempt(
    () => compileSchema(schema),
    () => [],
  );

const MOST_ISSUES = 20;

function issueOf(error: ReturnType<SchemaCheck>[number], input: unknown): z.core.$ZodRawIssue {
  const path = error.instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const { missingProperty, additionalProperty, unevaluatedProperty, type } = error.params as Record<string, unknown>;
  const extra = additionalProperty ?? unevaluatedProperty;
  if (typeof missingProperty === "string") return { code: "invalid_type", expected: "string", input, path: [...path, missingProperty] };
  if (typeof extra === "string") return { code: "unrecognized_keys", keys: [extra], input: record(input), path };
  if (error.keyword === "type" && path.length > 0)
    return { code: "invalid_type", expected: [type].flat().join(" or ") as "string", input, path };
  const allowed = (error.params as { allowedValues?: unknown[] }).allowedValues;
  const message = allowed ? `must be one of ${JSON.stringify(allowed).slice(0, 300)}` : (error.message ?? "does not fit");
  return { code: "custom", input, path, message };
}
