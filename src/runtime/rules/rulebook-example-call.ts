import type * as z from "zod";
import { ToolCall } from "../../core/call.ts";
import type { ToolError } from "../../core/error.ts";
import { ToolRequest } from "../../core/request.ts";
import type { AnyTool } from "../../core/tool.ts";
import { type PolicyRule, ruleTools } from "../../gates/policy/rule.ts";
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
  const shape = Object.entries(tool.input.shape as Record<string, z.ZodType>);
  const needed = shape.filter(([, schema]) => !schema.safeParse(undefined).success);
  const main = MEANS.find((name) => shape.some(([own]) => own === name)) ?? needed[0]?.[0];
  if (main === undefined) return text === "" ? {} : "the tool takes no text. Write its arguments as JSON.";
  const args: Record<string, unknown> = { [main]: text };
  for (const [name, schema] of needed) {
    if (name === main) continue;
    const value = ["", text].find((value) => schema.safeParse(value).success);
    if (value === undefined) return `the tool also needs "${name}". Write its arguments as JSON.`;
    args[name] = value;
  }
  return args;
}
