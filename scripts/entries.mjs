/** What programs import, by the name after `zeph/` (`index` is `zeph` itself), and the module of src/ it is. */
export const ENTRIES = {
  index: "index",
  "ai-sdk": "ai-sdk",
  audit: "entry/audit",
  "claude-agent-sdk": "entry/claude-agent-sdk",
  filters: "entry/filters",
  langchain: "entry/langchain",
  mastra: "entry/mastra",
  "openai-agents": "entry/openai-agents",
  policy: "entry/policy",
  sandbox: "entry/sandbox",
  secrets: "entry/secrets",
  shell: "entry/shell",
  testing: "entry/testing",
  tool: "entry/tool",
};
