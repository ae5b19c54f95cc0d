export type { Governing, GovernOptions, JudgedAs } from "../runtime/adapters/governed-calls.ts";
export type { AnyMastraTool, MastraTool } from "../runtime/adapters/mastra.ts";
export { governMastraTools as govern, toMastraTools } from "../runtime/adapters/mastra.ts";
export type { AdapterQuestion, OwnToolsOf, ToolsOptions } from "../runtime/adapters/own-tools.ts";
