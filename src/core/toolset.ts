import { isRecord } from "../text/json.ts";
import { kindWords } from "../text/words.ts";
import { inputProblem } from "./schema/schema.ts";
import { jsonSchemaOf } from "./schema/schema-json.ts";
import type { AnyTool, Effect } from "./tool.ts";
import type { Trust } from "./turn.ts";

/** A toolset or one of its tools is invalid. The message says which one, what is wrong with it, and what is expected. */
export class ToolsetError extends TypeError {
  override readonly name = "ToolsetError";

  /** JSON keeps no message of an error by itself. */
  toJSON(): object {
    return { name: this.name, message: this.message };
  }
}

/** A model is sent every description with every request, so neither these nor schemas may be of any length. */
export const LONGEST_DESCRIPTION = 65_536;
const LONGEST_SCHEMA = 262_144;

/** What was given as toolsets, each still to be looked at. Throws a ToolsetError. */
export function toolsetsOf(toolsets: unknown): readonly unknown[] {
  if (toolsets === undefined) return [];
  if (!Array.isArray(toolsets)) throw wrong(`toolsets is a list of toolsets, not ${kindWords(toolsets)}.`);
  return toolsets;
}

/** The tools of a toolset, looked at before anybody relies on them. Throws a ToolsetError. */
export function toolsOf(toolset: unknown): readonly AnyTool[] {
  const id = idOf(toolset);
  const { trust, list, subscribe } = toolset as Record<string, unknown>;
  if (typeof list !== "function") throw wrong(`The toolset "${id}" has no function list().`);
  if (subscribe !== undefined && typeof subscribe !== "function")
    throw wrong(`The toolset "${id}" has a subscribe that is not a function.`);
  if (trust !== undefined && !TRUST.includes(trust as Trust))
    throw wrong(`The toolset "${id}" has the trust ${kindWords(trust)}. It is one of ${TRUST.join(", ")}.`);
  const tools = listed(id, toolset as { list(): unknown });
  const names = new Set<string>();
  for (const [n, tool] of tools.entries()) {
    const problem = toolProblem(tool, n);
    if (problem !== null) throw wrong(`In the toolset "${id}" ${problem}`);
    const { name } = tool as AnyTool;
    if (names.has(name)) throw wrong(`In the toolset "${id}" two tools are named "${name}".`);
    names.add(name);
  }
  return tools as AnyTool[];
}

function idOf(toolset: unknown): string {
  if (typeof toolset !== "object" || toolset === null || Array.isArray(toolset))
    throw wrong(`A toolset is an object with an id and a function list(), not ${kindWords(toolset)}.`);
  const { id } = toolset as { readonly id?: unknown };
  if (typeof id !== "string" || id === "" || id.length > LONGEST_NAME)
    throw wrong(`A toolset needs an id, a text of up to ${LONGEST_NAME} characters.`);
  return id;
}

function listed(id: string, toolset: { list(): unknown }): readonly unknown[] {
  let tools: unknown;
  try {
    tools = toolset.list();
  } catch (error) {
    throw wrong(`The toolset "${id}" cannot list its tools: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (Array.isArray(tools)) return tools;
  // Its failure would be nobody's.
  if (tools instanceof Promise) tools.catch(() => {});
  const what = tools instanceof Promise ? "its tools later (a promise)" : kindWords(tools);
  throw wrong(`The toolset "${id}" lists ${what}. list() returns an array of tools at once.`);
}

const EFFECTS: readonly Effect[] = ["reads", "stores", "writes", "runs", "fetches", "unknown"];
const TRUST: readonly Trust[] = ["untrusted", "provisional", "trusted"];
const LONGEST_NAME = 128;

/** Tools that were looked at: a toolset lists the same ones again and again. */
const sound = new WeakSet<object>();

/** Why there can be no tool of it, as the rest of a sentence; null when there can. */
function toolProblem(tool: unknown, n: number): string | null {
  if (typeof tool !== "object" || tool === null) return `entry ${n + 1} is ${kindWords(tool)}, not a tool. ${TAKES}`;
  if (sound.has(tool)) return null;
  const { name, description, effect, input, touches, run, jsonSchema } = tool as Record<string, unknown>;
  if (typeof name !== "string" || !NAME.test(name))
    return `entry ${n + 1} has the name ${kindWords(name)}. A name has 1 to ${LONGEST_NAME} characters and no blanks.`;
  if (typeof description !== "string") return `the tool "${name}" has no description. ${TAKES}`;
  if (description.length > LONGEST_DESCRIPTION)
    return `the tool "${name}" has a description of ${description.length} characters. ${LONGEST_DESCRIPTION} is the most.`;
  if (!EFFECTS.includes(effect as Effect))
    return `the tool "${name}" has the effect ${kindWords(effect)}. It is one of ${EFFECTS.join(", ")}.`;
  const wrongInput = inputProblem(input, jsonSchema);
  if (wrongInput !== null) return `the tool "${name}" ${wrongInput}`;
  if (typeof touches !== "function") return `the tool "${name}" has no function touches. ${TAKES}`;
  if (typeof run !== "function") return `the tool "${name}" has no function run. ${TAKES}`;
  const schema = schemaProblem(tool as AnyTool);
  if (schema !== null) return `the tool "${name}" ${schema}`;
  sound.add(tool);
  return null;
}

const TAKES = "A tool has name, description, effect, input, touches and run.";
const NAME = new RegExp(`^[^\\s\\p{C}]{1,${LONGEST_NAME}}$`, "u");

function schemaProblem(tool: AnyTool): string | null {
  if (tool.jsonSchema !== undefined && !isRecord(tool.jsonSchema)) return "has a jsonSchema that is no JSON Schema.";
  try {
    const { length } = JSON.stringify(jsonSchemaOf(tool));
    return length > LONGEST_SCHEMA ? `has a schema of ${length} characters. ${LONGEST_SCHEMA} is the most.` : null;
  } catch (error) {
    return `has an input that cannot be written as JSON Schema: ${error instanceof Error ? error.message : String(error)}`;
  }
}

const wrong = (message: string) => new ToolsetError(message);
