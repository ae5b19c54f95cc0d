import * as z from "zod";
import type { AnyTool } from "../core/tool.ts";
import type { ToolInfo } from "./runtime.ts";

const schemas = new WeakMap<AnyTool, unknown>();

/** A tool as a model, an editor and a person are shown it. Its schema is sent with every request, so it holds nothing that says nothing. */
export function describe(tool: AnyTool): ToolInfo {
  let parameters = schemas.get(tool);
  if (parameters === undefined && tool.parameters) parameters = tool.parameters;
  if (parameters === undefined) {
    const { $schema, ...schema } = z.toJSONSchema(tool.input, {
      io: "input",
      override: ({ jsonSchema }) => withoutEmptyLimits(jsonSchema),
    });
    parameters = schema;
    schemas.set(tool, parameters);
  }
  return { name: tool.name, description: tool.description, effect: tool.effect, parameters };
}

/** Every whole number has the first two, and no model comes near the others; whoever does is told. */
function withoutEmptyLimits(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.minLength === 1) delete schema.minLength;
  if (schema.maxLength !== undefined && schema.maxLength > LONG) delete schema.maxLength;
}

const LONG = 500;
