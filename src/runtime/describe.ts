import { jsonSchemaOf } from "../core/schema/schema-json.ts";
import { type AnyTool, isOwnTool } from "../core/tool.ts";
import { mapSchemas } from "../mcp/client/schema/walk.ts";
import type { ToolInfo } from "./runtime.ts";

const schemas = new WeakMap<AnyTool, unknown>();

/** A tool as a model, an editor and a person are shown it. Its schema is sent with every request, so it holds nothing that says nothing. */
export function describe(tool: AnyTool): ToolInfo {
  const parameters =
    schemas.get(tool) ?? tool.jsonSchema ?? mapSchemas(jsonSchemaOf(tool), isOwnTool(tool) ? withoutLimits : withoutEmptyLimits);
  schemas.set(tool, parameters);
  return { name: tool.name, description: tool.description, effect: tool.effect, parameters };
}

type JsonSchema = Record<string, unknown>;

/** Every whole number has the first two, and no model comes near the others; whoever does is told. So is whoever makes up an argument. */
function withoutEmptyLimits(schema: JsonSchema): JsonSchema {
  const { maximum, minimum, minLength, maxLength, additionalProperties } = schema;
  if (maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (minLength === 1) delete schema.minLength;
  if (typeof maxLength === "number" && maxLength > LONG) delete schema.maxLength;
  if (additionalProperties === false) delete schema.additionalProperties;
  return schema;
}

const LONG = 500;

/** Our own tools say in words what a model has to know of these, and a refusal names the one that was broken. */
function withoutLimits(schema: JsonSchema): JsonSchema {
  for (const limit of LIMITS) delete schema[limit];
  return withoutEmptyLimits(schema);
}

const LIMITS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "pattern"] as const;
