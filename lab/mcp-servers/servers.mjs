/** What Zeph fills in. */
const WORKSPACE = `\${WORKSPACE}`;
const DATA = `\${DATA}`;

/**
 * Servers of other people, in exact versions, and what is expected of each: how many tools it offers, and what one call answers. `needs` is what
 * has to be there besides (services.mjs); `{postgres}` and `{context7}` are its addresses, `{workspace}` the folder. `reach` is for the page.
 */
export const SERVERS = {
  everything: {
    package: "@modelcontextprotocol/server-everything@2026.8.31",
    tools: 15,
    refused: 1,
    call: { tool: "get-sum", args: { a: 40, b: 2 }, says: /\b42\b/ },
    reach: "nothing",
  },
  files: {
    package: "@modelcontextprotocol/server-filesystem@2026.8.31",
    args: [WORKSPACE],
    tools: 14,
    call: { tool: "read_text_file", args: { path: "{workspace}/note.txt" }, says: /buy tea/ },
    reach: "the workspace",
  },
  memory: {
    package: "@modelcontextprotocol/server-memory@2026.8.31",
    flags: ["--env", `MEMORY_FILE_PATH=${DATA}/memory.jsonl`],
    tools: 9,
    before: { tool: "create_entities", args: { entities: [{ name: "Ada", entityType: "person", observations: ["likes tea"] }] } },
    call: { tool: "search_nodes", args: { query: "Ada" }, says: /likes tea/ },
    reach: "its own folder",
  },
  thinking: {
    package: "@modelcontextprotocol/server-sequential-thinking@2026.8.31",
    tools: 1,
    call: {
      tool: "sequentialthinking",
      args: { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      says: /"thoughtHistoryLength": 1/,
    },
    reach: "nothing",
  },
  git: {
    package: "@cyanheads/git-mcp-server@2.15.3",
    tools: 28,
    call: { tool: "git_log", args: { path: "{workspace}" }, says: /the first commit/ },
    reach: "the workspace and its repository",
  },
  postgres: {
    package: "@modelcontextprotocol/server-postgres@0.6.2",
    flags: ["--network"],
    args: ["{postgres}"],
    needs: "postgres",
    tools: 1,
    call: { tool: "query", args: { sql: "select sum(n) as answer from numbers" }, says: /"answer": "42"/ },
    reach: "the machine's whole network: a database on it listens there",
  },
  sqlite: {
    package: "sqlite-mcp@0.0.1",
    flags: ["--env", `DATABASE_URL=file:${WORKSPACE}/notes.db`],
    tools: 2,
    call: { tool: "executeQuery", args: { query: "select 6*7 as answer" }, says: /"answer":42/ },
    reach: "a file in the workspace",
  },
  playwright: {
    package: "@playwright/mcp@0.0.83",
    args: ["--headless"],
    tools: 25,
    call: null,
    reach: "nothing, until you give it `--network` or `--reach <name>`",
  },
  chrome: {
    package: "chrome-devtools-mcp@1.11.0",
    args: ["--headless", "--isolated"],
    tools: 32,
    call: null,
    reach: "nothing, until you give it `--network` or `--reach <name>`",
  },
  context7: {
    package: "@upstash/context7-mcp@4.1.1",
    flags: ["--reach", "context7.com"],
    // The stand-in for its service listens on this machine.
    tried: ["--network", "--env", "CONTEXT7_API_URL={context7}"],
    needs: "context7",
    tools: 2,
    call: { tool: "resolve-library-id", args: { query: "how to brew", libraryName: "teapot" }, says: /\/acme\/teapot/ },
    reach: "context7.com and the package registries",
  },
};
