import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import type { Progress } from "../../src/core/tool.ts";
import type { ClientQuestion } from "../../src/front/mcp-server/offer.ts";

/** What a tool of the suite may use: questions and progress as Zeph has them, the protocol itself for the rest. */
export interface Given {
  readonly context: ServerContext;
  ask(asked: ClientQuestion): Promise<{ action: string; content?: unknown } | null>;
  tell(progress: Progress): void;
  toolsChanged(): void;
}
export interface SuiteTool {
  readonly tool: Tool;
  run(args: Record<string, unknown>, given: Given): Promise<CallToolResult | InputRequiredResult>;
}

export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
const image = { type: "image", data: PNG, mimeType: "image/png" } as const;
const resource = (uri: string, mimeType: string, said: string) => ({ type: "resource", resource: { uri, mimeType, text: said } }) as const;

const NOTHING: Tool["inputSchema"] = { type: "object", properties: {} };
const named = (name: string, run: SuiteTool["run"], inputSchema: Tool["inputSchema"] = NOTHING): SuiteTool => ({
  tool: { name, description: `${name} of the suite`, inputSchema },
  run,
});
const taking = (name: string): Tool["inputSchema"] => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });

type Schema = ElicitRequestFormParams["requestedSchema"];
const form = (message: string, properties: Schema["properties"], required?: string[]): ElicitRequestFormParams => ({
  mode: "form",
  message,
  requestedSchema: { type: "object", properties, ...(required && { required }) },
});
const asking = (
  name: string,
  asked: (args: Record<string, unknown>) => ElicitRequestFormParams,
  says: string,
  input?: Tool["inputSchema"],
) =>
  named(
    name,
    async (args, { ask }) => {
      const answer = await ask({ params: asked(args) });
      if (!answer) return { isError: true, ...text("This client cannot be asked.") };
      return text(`${says} action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`);
    },
    input,
  );
const name = form("What is your name?", { name: { type: "string" } }, ["name"]);
const sampling = (said: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: { type: "text", text: said } }], maxTokens });
const capabilities = ({ mcpReq }: ServerContext) =>
  ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as ClientCapabilities;

const titled = (...pairs: [string, string][]) => pairs.map(([value, title]) => ({ const: value, title }));

/** States the suite's own tools hand out begin like this. */
export const OWN_STATE = "suite:";

export const SUITE_TOOLS: readonly SuiteTool[] = [
  named("test_simple_text", async () => text("This is a simple text response for testing.")),
  named("test_image_content", async () => ({ content: [image] })),
  named("test_audio_content", async () => ({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] })),
  named("test_embedded_resource", async () => ({
    content: [resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
  })),
  named("test_multiple_content_types", async () => ({
    content: [
      { type: "text", text: "Multiple content types test:" },
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  })),
  named("test_error_handling", async () => ({ isError: true, ...text("This tool intentionally returns an error for testing") })),
  named("test_tool_with_logging", async (_args, { context }) => {
    for (const said of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
      await context.mcpReq.log("info", said);
      await pause(50);
    }
    return text("Logged.");
  }),
  named("test_tool_with_progress", async (_args, { tell }) => {
    for (const done of [0, 50, 100]) {
      tell({ done, total: 100 });
      await pause(50);
    }
    return text("Done.");
  }),
  named(
    "test_sampling",
    async ({ prompt }, { context }) => {
      const { content } = await context.mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: String(prompt) } }],
        maxTokens: 100,
      });
      return text(`LLM response: ${JSON.stringify(content)}`);
    },
    taking("prompt"),
  ),
  asking(
    "test_elicitation",
    ({ message }) =>
      form(
        String(message),
        { username: { type: "string", description: "User's response" }, email: { type: "string", description: "User's email address" } },
        ["username", "email"],
      ),
    "User response:",
    taking("message"),
  ),
  asking(
    "test_elicitation_sep1034_defaults",
    () =>
      form("Please look at these values.", {
        name: { type: "string", default: "John Doe" },
        age: { type: "integer", default: 30 },
        score: { type: "number", default: 95.5 },
        status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
        verified: { type: "boolean", default: true },
      }),
    "Elicitation completed:",
  ),
  asking(
    "test_elicitation_sep1330_enums",
    () =>
      form("Please choose.", {
        untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
        titledSingle: {
          type: "string",
          oneOf: titled(["value1", "First Option"], ["value2", "Second Option"], ["value3", "Third Option"]),
        },
        legacyEnum: { type: "string", enum: ["opt1", "opt2", "opt3"], enumNames: ["Option One", "Option Two", "Option Three"] },
        untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
        titledMulti: {
          type: "array",
          items: { anyOf: titled(["value1", "First Choice"], ["value2", "Second Choice"], ["value3", "Third Choice"]) },
        },
      }),
    "Elicitation completed:",
  ),
  named("test_reconnection", async (_args, { context }) => {
    context.http?.closeSSE?.();
    await pause(200);
    return text("Reconnected.");
  }),
  named("json_schema_2020_12_tool", async () => text("Fine."), {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    $defs: { address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } } },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" },
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    ...{ if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] }, then: { required: ["phone"] } },
    else: { required: ["email"] },
    additionalProperties: false,
  }),
  named("test_header", async () => text("Fine."), {
    type: "object",
    properties: { region: { type: "string", "x-mcp-header": "Region" } },
    required: ["region"],
  }),
  named("test_missing_capability", async (_args, { context }) => {
    if (!capabilities(context).sampling) throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return text("Fine.");
  }),
  asking("test_streaming_elicitation", () => name, "Asked:"),
  named("test_logging_tool", async (_args, { context }) => {
    await context.mcpReq.log("info", "A message for whoever wants it.");
    return text("Logged.");
  }),
  named("test_trigger_tool_change", async (_args, { toolsChanged }) => {
    toolsChanged();
    return text("Changed.");
  }),
  // Zeph keeps a call open while the client looks for an answer; the suite also has calls that begin anew with all answers in hand.
  named("test_input_required_result_elicitation", async (_args, { context }) => {
    const given = acceptedContent<{ name: unknown }>(context.mcpReq.inputResponses, "user_name");
    if (typeof given?.name === "string") return text(`Hello, ${given.name}!`);
    return inputRequired({ inputRequests: { user_name: inputRequired.elicit(name) } });
  }),
  named("test_input_required_result_sampling", async (_args, { context }) => {
    const given = inputResponse(context.mcpReq.inputResponses, "capital_question");
    if (given.kind === "sampling") return text(JSON.stringify(given.result.content));
    return inputRequired({ inputRequests: { capital_question: sampling("What is the capital of France?", 100) } });
  }),
  named("test_input_required_result_list_roots", async (_args, { context }) => {
    const given = inputResponse(context.mcpReq.inputResponses, "client_roots");
    if (given.kind === "roots") return text(given.roots.map(({ uri }) => uri).join(" "));
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  }),
  named("test_input_required_result_multiple_inputs", async (_args, { context }) => {
    const given = ["user_name", "greeting", "client_roots"].map((key) => inputResponse(context.mcpReq.inputResponses, key).kind);
    if (!given.includes("missing") && context.mcpReq.requestState() === `${OWN_STATE}three`) return text(given.join(" "));
    return inputRequired({
      inputRequests: {
        user_name: inputRequired.elicit(name),
        greeting: sampling("Generate a greeting", 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: `${OWN_STATE}three`,
    });
  }),
  named("test_input_required_result_capabilities", async (_args, { context }) => {
    const { sampling: samples, elicitation } = capabilities(context);
    return inputRequired({
      inputRequests: {
        ...(samples && { greeting: sampling("Generate a greeting", 50) }),
        ...(elicitation && { user_name: inputRequired.elicit(name) }),
      },
    });
  }),
  named("test_input_required_result_request_state", async (_args, { ask }) => {
    const answer = await ask({ key: "confirm", params: form("Please confirm", { ok: { type: "boolean" } }, ["ok"]) });
    return text(answer?.action === "accept" ? "state-ok" : "no answer");
  }),
  named("test_input_required_result_tampered_state", async (_args, { ask }) => {
    const answer = await ask({ key: "confirm", params: form("Please confirm", { ok: { type: "boolean" } }, ["ok"]) });
    return text(String(answer?.action));
  }),
  named("test_input_required_result_multi_round", async (_args, { ask }) => {
    const first = await ask({ key: "step1", params: form("Step 1: What is your name?", { name: { type: "string" } }, ["name"]) });
    const second = await ask({
      key: "step2",
      params: form("Step 2: What is your favorite color?", { color: { type: "string" } }, ["color"]),
    });
    return text(JSON.stringify([first?.content, second?.content]));
  }),
];
