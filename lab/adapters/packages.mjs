/**
 * What each example of an adapter is run with, in exact versions. `node22`: the package wants a newer Node than the one Zeph is tested with.
 * LangChain's newest graph package wants a core that is not out yet, so the one before it is named.
 */
export const ADAPTERS = {
  "ai-sdk": { example: "37-ai-sdk-govern.mjs", node22: true, packages: { ai: "7.0.170" } },
  "openai-agents": { example: "38-openai-agents.mjs", packages: { "@openai/agents": "0.20.0" } },
  langchain: {
    example: "39-langchain.mjs",
    packages: { langchain: "1.5.14", "@langchain/core": "1.2.13", "@langchain/langgraph": "1.4.13" },
  },
  mastra: { example: "40-mastra.mjs", node22: true, packages: { "@mastra/core": "1.71.0" } },
  "claude-agent-sdk": {
    example: "41-claude-agent-sdk.mjs",
    node22: true,
    packages: { "@anthropic-ai/claude-agent-sdk": "0.3.326", "@anthropic-ai/sdk": "1.9.0", "@modelcontextprotocol/sdk": "1.32.2" },
  },
};

/** What every one of them needs besides. */
export const BESIDES = { zod: "4.6.7", "@types/node": "24.19.2" };
export const NODE = "24.21.0";
