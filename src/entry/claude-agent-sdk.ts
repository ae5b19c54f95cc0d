export type {
  ClaudeAgentOptions,
  ClaudeAgentTools,
  ClaudeCanUseTool,
  ClaudeGovernOptions,
  ClaudeHookMatcher,
  ClaudeToolsOptions,
} from "../runtime/adapters/claude-agent-sdk.ts";
export { governClaudeAgent as govern, toClaudeAgentTools } from "../runtime/adapters/claude-agent-sdk.ts";
export type { AdapterQuestion, OwnToolsOf, ToolsOptions } from "../runtime/adapters/own-tools.ts";
