import type { AuthProvider, OAuthClientProvider } from "@modelcontextprotocol/client";
import type { Elicit } from "../../src/core/ports/elicitation.ts";
import { type Connection, connectTo } from "../../src/mcp/client/connection/connection.ts";
import { headerProblem } from "../../src/mcp/client/connection/headers.ts";
import { createAccount } from "../../src/mcp/client/oauth/account.ts";
import { createTokens } from "../../src/mcp/client/oauth/tokens.ts";
import { mcpConfig } from "../../src/mcp/config.ts";
import { agree } from "./authorization.ts";
import { extensionProvider } from "./conformance-providers.ts";

/** What the conformance suite tells a client. */
export interface Task {
  readonly scenario: string;
  readonly url: string;
  /** What the scenario wants to be used: names, keys, calls. */
  readonly context: Record<string, any>;
}

const never = new AbortController().signal;
const quiet = () => {};

/** Our connection, doing what a scenario asks for. The person who would sign in or answer is played here. Throws what a client would end with. */
export async function runScenario(task: Task): Promise<void> {
  const { scenario, context } = task;
  const work = workFor(task);
  const provider = await extensionProvider(scenario, context);
  if (work) await connected(task, null, work);
  else if (provider) await provided(task, provider, ({ call }) => call("test-tool"));
  else if (scenario.startsWith("auth/")) await signedIn(task, ({ call }) => call("test-tool"));
  else throw new Error(`No such scenario: ${scenario}`);
}

interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties?: Record<string, unknown> };
}
interface Open {
  readonly connection: Connection;
  readonly tools: readonly Listed[];
  call(name: string, args?: Record<string, unknown>): Promise<unknown>;
}

/** Says yes, and leaves every field as it is offered. */
const yes: Elicit = async (asked) => {
  const fields = asked.kind === "form" ? asked.fields : [];
  const given = fields.flatMap(({ name, type, default: value }) =>
    value !== undefined ? [[name, value]] : type === "boolean" ? [[name, true]] : [],
  );
  return { action: "accept", content: Object.fromEntries(given) };
};

async function connected(
  { url }: Task,
  authProvider: AuthProvider | OAuthClientProvider | null,
  work: (open: Open) => Promise<unknown>,
): Promise<void> {
  const [server] = mcpConfig().parse({ servers: [{ name: "conformance", url, timeout_secs: 20 }] }).servers;
  const serve = () => Promise.reject(new Error("there is no program here"));
  const auth = authProvider && { authProvider };
  const connection = await connectTo(server!, { serve, elicit: yes, roots: ["/"], warn: quiet, ...auth });
  try {
    const tools = (await connection.listTools()).items as Listed[];
    await work({
      connection,
      tools,
      call: (name, args = {}) => connection.callTool(name, args, { signal: never, definition: tools.find((tool) => tool.name === name) }),
    });
  } finally {
    await connection.close();
  }
}

const MOST_LOGINS = 3;
const CLIENT_DOCUMENT = "https://conformance-test.local/client-metadata.json";

/** As often as the server wants it, up to a limit. */
async function signedIn(task: Task, work: (open: Open) => Promise<unknown>): Promise<void> {
  const { url, context } = task;
  const registered = context.client_id
    ? { clientId: context.client_id, clientSecret: context.client_secret }
    : { metadataUrl: CLIENT_DOCUMENT };
  const account = createAccount({ name: "conformance", url, tokens: createTokens(null, quiet), registered });
  for (let logins = 0; ; logins += 1) {
    try {
      return await connected(task, account.auth, work);
    } catch (error) {
      if (logins >= MOST_LOGINS || !account.needsLogin(error)) throw error;
      await account.signIn((page) => void agree(page), never);
    }
  }
}

/** A provider of the SDK's own. What the person said comes back as an error, and is handed in. */
async function provided(task: Task, provider: OAuthClientProvider, work: (open: Open) => Promise<unknown>): Promise<void> {
  try {
    await connected(task, provider, work);
  } catch (error) {
    const answer = answerIn(error);
    if (answer === undefined) throw error;
    const { auth } = await import("@modelcontextprotocol/client");
    const iss = answer.get("iss") ?? undefined;
    await auth(provider, { serverUrl: task.url, authorizationCode: answer.get("code")!, ...(iss !== undefined && { iss }) });
    await connected(task, provider, work);
  }
}

const answerIn = (error: unknown): URLSearchParams | undefined =>
  error instanceof Error ? ((error as { answer?: URLSearchParams }).answer ?? answerIn(error.cause)) : undefined;

const listOnly = async () => {};
const callAll = (calls: readonly { name: string; arguments?: Record<string, unknown> }[]) => async (open: Open) => {
  for (const { name, arguments: args } of calls) await open.call(name, args);
};

function workFor({ scenario, context }: Task): ((open: Open) => Promise<unknown>) | undefined {
  const all: Record<string, (open: Open) => Promise<unknown>> = {
    initialize: listOnly,
    tools_call: callAll([{ name: "add_numbers", arguments: { a: 5, b: 3 } }]),
    "elicitation-sep1034-client-defaults": callAll([{ name: "test_client_elicitation_defaults" }]),
    "sse-retry": callAll([{ name: "test_reconnection" }]),
    "request-metadata": listOnly,
    "sep-2322-client-request-state": async ({ tools, call }) => {
      for (const { name } of tools) await call(name).catch(quiet);
    },
    "http-standard-headers": async ({ connection: { offers }, tools, call }) => {
      for (const { name } of tools) await call(name);
      for (const prompt of (await offers.list("prompts")).items as { name: string }[]) await offers.prompt(prompt.name, {}, never);
      for (const resource of (await offers.list("resources")).items as { uri: string }[]) await offers.resource(resource.uri, never);
    },
    "http-custom-headers": callAll(context.toolCalls ?? []),
    "http-invalid-tool-headers": async ({ tools, call }) => {
      for (const { name, inputSchema } of tools.filter((tool) => headerProblem(tool.inputSchema) === null))
        await call(name, Object.fromEntries(Object.keys(inputSchema.properties ?? {}).map((key) => [key, "value"])));
    },
    "json-schema-ref-no-deref": listOnly,
    "json-schema-2020-12-preservation": ({ tools, call }) => call("json_schema_echo", { schema: tools[0]!.inputSchema }),
  };
  return all[scenario];
}
