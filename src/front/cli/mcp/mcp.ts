import { actionFor } from "../command.ts";
import { readArgs } from "../io.ts";
import { type Invocation, splitCommand } from "../program/invocation.ts";

/** The input of a word of `zeph mcp`: its own words, and the command after a `--`. */
export interface McpRequest extends Pick<Invocation, "words" | "settings" | "terminal"> {
  readonly command: readonly string[] | null;
}

const ACTIONS: Readonly<Record<string, (wish: McpRequest) => Promise<number>>> = {
  add: async (wish) => (await import("./add.ts")).addServer(wish),
  list: async (wish) => (await import("./list.ts")).listServers(wish),
  tools: async (wish) => (await import("./tools.ts")).listTools(wish),
  prompts: async (wish) => (await import("./offers.ts")).listPrompts(wish),
  prompt: async (wish) => (await import("./offers.ts")).showPrompt(wish),
  resources: async (wish) => (await import("./offers.ts")).listResources(wish),
  read: async (wish) => (await import("./offers.ts")).readResource(wish),
  test: async (wish) => (await import("./tools.ts")).testServer(wish),
  diff: async (wish) => (await import("./diff.ts")).diffServers(wish),
  remove: async (wish) => (await import("./remove.ts")).removeServer(wish),
  login: async (wish) => (await import("./login.ts")).login(wish),
  snippet,
  logout: async (wish) => (await import("./login.ts")).logout(wish),
};

/** `zeph mcp`: without a word it serves this runtime; with one it looks after the servers whose tools are used here. */
export async function mcp(given: Invocation): Promise<number> {
  const [word] = given.words;
  if (word === undefined || word.startsWith("-")) return serve(given);
  const action = actionFor("mcp", word, ACTIONS);
  return action({ ...splitCommand({ ...given, words: given.words.slice(1) }), settings: given.settings, terminal: given.terminal });
}

const SERVE =
  "Usage: zeph mcp [--http [--port <n>] [--host <address>] [--token <token>] [--sessions <n>]] [--workspace <folder>] [--later] [--asked-by-client]";

async function serve(given: Invocation): Promise<number> {
  const { values } = readArgs(given.words, SERVE, 0, {
    http: { type: "boolean" },
    port: { type: "string" },
    host: { type: "string" },
    token: { type: "string" },
    sessions: { type: "string" },
    workspace: { type: "string", multiple: true },
    later: { type: "boolean" },
    "asked-by-client": { type: "boolean" },
  });
  const { serveMcp } = await import("./serve.ts");
  return serveMcp({ ...given, flags: { ...given.flags, ...values } });
}

const SNIPPET = "Usage: zeph mcp snippet <client> [--http | --own-tools-off] [--asked-by-client] [--workspace <folder>]";
const SNIPPET_OPTIONS = {
  http: { type: "boolean" },
  "own-tools-off": { type: "boolean" },
  "asked-by-client": { type: "boolean" },
  workspace: { type: "string" },
} as const;

async function snippet(wish: McpRequest): Promise<number> {
  const { values, positionals } = readArgs(wish.words, SNIPPET, 1, SNIPPET_OPTIONS);
  const { mcpSnippet } = await import("./serve.ts");
  return mcpSnippet({ words: positionals, flags: values, terminal: wish.terminal });
}
