import { type AnyTool, defineTool, type RunContext, type ToolOutput } from "../../core/tool.ts";
import { record } from "../../text/json.ts";
import { bounded } from "../../text/visible.ts";
import { compileSchema, isSchema } from "./schema/compile.ts";
import { inputOf, parametersOf, schemaProblem } from "./schema/input-schema.ts";
import { refersToNothing } from "./schema/references.ts";
import { toolName } from "./tool-name.ts";
import { type Definition, nameProblem } from "./trust/definitions.ts";
import { countHidden, withoutHidden } from "./trust/hidden-text.ts";

const LONGEST_DESCRIPTION = 4000;

export type RunTool = (definition: Definition, args: Record<string, unknown>, ctx: RunContext) => Promise<ToolOutput>;

/** A definition as a tool. Whatever it says of itself (annotations) grants nothing: it may do anything, and every gate is told so. */
export function toolOf(server: string, definition: Definition, run: RunTool): AnyTool {
  const schema = record(definition.wire.inputSchema);
  return defineTool({
    name: toolName(server, definition.tool),
    description: descriptionOf(definition),
    input: inputOf(schema),
    jsonSchema: parametersOf(schema),
    effect: "unknown",
    touches: () => [{ kind: "unknown", why: `what the MCP server "${server}" does with it is not known` }],
    run: ({ call }, ctx) => run(definition, call.input as Record<string, unknown>, ctx),
  });
}

export function descriptionOf({ wire }: Definition): string {
  const said = [wire.description, wire.title, record(wire.annotations).title].find((text) => typeof text === "string") as
    | string
    | undefined;
  const text = withoutHidden(said ?? "").trim();
  return bounded(text, LONGEST_DESCRIPTION);
}

/** Why there can be no tool of it; null when there can. */
export const problemOf = ({ tool, wire }: Definition): string | null =>
  nameProblem(tool) ??
  (record(wire.execution).taskSupport === "required"
    ? "it runs only as a task, which is not offered here"
    : schemaProblem(wire.inputSchema));

/** The same, with a closer look: a model's provider refuses everything for one schema that is none. */
export function listingProblem(definition: Definition): string | null {
  const problem = problemOf(definition);
  if (problem !== null) return problem;
  const schema = record(definition.wire.inputSchema);
  if (refersToNothing(schema)) return "its inputSchema refers to something that is not there";
  return isSchema(schema) ? null : "its inputSchema is not a JSON Schema";
}

/** The same, after really trying. It takes longer. */
export function compileProblem(definition: Definition): string | null {
  const problem = problemOf(definition);
  if (problem !== null) return problem;
  try {
    compileSchema(record(definition.wire.inputSchema))({});
    return null;
  } catch (error) {
    return `its inputSchema cannot be used: ${withoutHidden((error as Error).message).slice(0, 200)}`;
  }
}

/** Words of a definition in which something is hidden. */
export const hidesText = ({ json, wire }: Definition): boolean =>
  countHidden(json) > 0 || (typeof wire.description === "string" && countHidden(wire.description) > 0);
