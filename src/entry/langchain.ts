export type { Governing, GovernOptions, JudgedAs } from "../runtime/adapters/governed-calls.ts";
export type { LangChainMiddleware, LangChainTool } from "../runtime/adapters/langchain.ts";
export { governLangChain as govern, toLangChainTools } from "../runtime/adapters/langchain.ts";
export type { AdapterQuestion, OwnToolsOf, ToolsOptions } from "../runtime/adapters/own-tools.ts";
