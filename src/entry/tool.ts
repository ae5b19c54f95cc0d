// zeph/tool: tools of a program's own, without a runtime.

export type { ToolAnswer } from "../core/draft.ts";
export type { Category, ToolErrorDetails } from "../core/error.ts";
export { CATEGORIES, errorBlock, ToolError } from "../core/error.ts";
export type { Facets } from "../core/facets.ts";
export type { OutputOf, StandardIssue, StandardProps, StandardResult, StandardSchema } from "../core/schema/schema.ts";
export type { AnyTool, Effect, RawOf, RunContext, Tool, ToolOutput, Toolset } from "../core/tool.ts";
export { defineTool } from "../core/tool.ts";
export type { Touch } from "../core/touch.ts";
