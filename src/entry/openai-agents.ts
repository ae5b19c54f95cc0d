export type { Governing, GovernOptions, JudgedAs } from "../runtime/adapters/governed-calls.ts";
export type { AnyOpenAiAgentsTool, OpenAiAgentsTool } from "../runtime/adapters/openai-agents.ts";
export { governOpenAiAgentsTools as govern, toOpenAiAgentsTools } from "../runtime/adapters/openai-agents.ts";
export type { AdapterQuestion, OwnToolsOf, ToolsOptions } from "../runtime/adapters/own-tools.ts";
