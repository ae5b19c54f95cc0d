import { ToolCall } from "../../core/call.ts";
import type { ToolError } from "../../core/error.ts";
import { ToolRequest } from "../../core/request.ts";
import { fitSchema } from "../../core/schema/schema.ts";
import { jsonSchemaOf } from "../../core/schema/schema-json.ts";
import type { AnyTool } from "../../core/tool.ts";
import { type PolicyRule, ruleTools } from "../../gates/policy/rule.ts";
import { record } from "../../text/json.ts";
import { didYouMean } from "../../text/nearest.ts";

/**
 * The call an example stands for: `git status` for bash, a path for a file tool, an address for `fetch`, or `{…}`, the arguments as JSON.
 * Where a rule speaks of several tools, or of a pattern of them, the tool's name comes first. A text says why it is no call.
 */
export function exampleCall(rule: PolicyRule, example: string, tools: ReadonlyMap<string, AnyTool>): ToolCall | ToolError | string {
  const [only, ...others] = ruleTools(rule);
  const isNamed = others.length > 0 || /[*?[\]{}\\]/.test(only ?? "");
  const [, first = "", rest = ""] = /^(\S+)\s*(.*)$/s.exec(example) ?? [];
  const [name, text] = isNamed ? [first, rest] : [only ?? "", example];
  const tool = tools.get(name.trim().toLowerCase()) ?? tools.get(name);
  if (!tool)
    return isNamed
      ? `its first word must be the name of a tool, because the rule does not say which.${didYouMean(name, tools.keys())}`
      : `there is no tool named "${name}".${didYouMean(name, tools.keys())}`;
  const args = text.trimStart().startsWith("{") ? jsonOf(text) : argumentsOf(tool, text);
  if (typeof args === "string") return args;
  const request = ToolRequest.from({ id: "example", name: tool.name, args });
  return request ? ToolCall.parse(request, tools) : "it has no arguments.";
}

function jsonOf(text: string): object | string {
  try {
    return JSON.parse(text) as object;
  } catch {
    return "what begins with { is JSON, and this is not valid JSON.";
  }
}

/** What a text alone means, the first that a tool has. */
const MEANS = ["command", "path", "file_path", "url", "uri", "source", "query"];

/** The other texts a tool needs do not matter for the example: empty, or the same where they may not be. */
function argumentsOf(tool: AnyTool, text: string): Record<string, unknown> | string {
  const { properties, required } = record(jsonSchemaOf(tool));
  const needed = Array.isArray(required) ? required.map(String) : [];
  const main = MEANS.find((name) => Object.hasOwn(record(properties), name)) ?? needed[0];
  if (main === undefined) return text === "" ? {} : "the tool takes no text. Write its arguments as JSON.";
  const args: Record<string, unknown> = { [main]: text };
  for (const name of needed) {
    if (name === main) continue;
    const value = ["", text].find((value) => fits(tool, { ...args, [name]: value }, name));
    if (value === undefined) return `the tool also needs "${name}". Write its arguments as JSON.`;
    args[name] = value;
  }
  return args;
}

/** Whether nothing is wrong with this argument, whatever is with the others. */
function fits({ input }: AnyTool, args: Record<string, unknown>, name: string): boolean {
  const fit = fitSchema(input, args);
  return fit.ok || (fit.failed === undefined && fit.issues.every(({ path }) => path[0] !== name));
}
