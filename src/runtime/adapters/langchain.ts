import { errorBlock, ToolError } from "../../core/error.ts";
import { isRecord } from "../../text/json.ts";
import { createGovernor, type Governing, type GovernOptions, type Governor } from "./governed-calls.ts";
import { createOwnTools, type OwnTools, type OwnToolsOf, type ToolsOptions } from "./own-tools.ts";

/** A tool of LangChain: `createAgent({ tools })`, `model.bindTools(tools)`. */
export type LangChainTool = {
  readonly lc_runnable: true;
  readonly lc_namespace: readonly string[];
  readonly name: string;
  readonly description: string;
  /** A JSON Schema. */
  readonly schema: any;
  readonly returnDirect: false;
  invoke(input: any, config?: any): Promise<string>;
  getName(): string;
};

/** A middleware of `createAgent`: `createAgent({ middleware: [govern(zeph)] })`. */
export interface LangChainMiddleware {
  readonly name: string;
  wrapToolCall(request: any, handler: any): Promise<any>;
}

/**
 * Zeph's tools for an agent of LangChain. A call that needs a yes interrupts the graph with the question of `humanInTheLoopMiddleware`, which needs a
 * checkpointer; `new Command({ resume: { decisions: [{ type: "approve" }] } })` goes on. Outside of a graph such a call is refused.
 */
export function toLangChainTools(zeph: OwnToolsOf, options: ToolsOptions = {}): LangChainTool[] {
  const own = createOwnTools(zeph, "langchain", options);
  return own.list.map(({ name, description, parameters: schema }) => ({
    lc_runnable: true,
    lc_namespace: ["zeph", "tools"],
    name,
    description,
    schema,
    returnDirect: false,
    getName: () => name,
    async invoke(input, config) {
      const { args, callId } = readInput(input, config);
      const answer = await askIn(config, own, { tool: name, args, callId });
      if (answer?.kind === "rejected") return rejection(answer.message);
      const { text } = await own.call({ tool: name, args, callId, signal: config?.signal, isApproved: () => answer?.kind === "approved" });
      return text;
    },
  }));
}

/**
 * A program's own tools of LangChain behind Zeph's door, as a middleware: each call is judged and written down, a rule that wants a yes interrupts the
 * graph, the model reads why a call is refused, and what a tool hands back has no secrets in it. Tools of `toLangChainTools` pass the door themselves.
 */
export function governLangChain(zeph: Governing, options: GovernOptions = {}): LangChainMiddleware {
  const governor = createGovernor(zeph, "langchain", options);
  return {
    name: "ZephGovernance",
    async wrapToolCall(request, handler) {
      if (isOwn(request?.tool)) return handler(request);
      const { name: tool, args, id: callId } = request.toolCall;
      /** The handler makes the message, so that it is one of the library's own. */
      const say = async (text: string) => asFailed(await handler({ ...request, tool: { name: tool, invoke: async () => text } }));
      const answer = await askIn(request.runtime, governor, { tool, args, callId });
      if (answer?.kind === "rejected") return say(rejection(answer.message));
      const isApproved = () => answer?.kind === "approved";
      let message: unknown;
      const end = await governor.run({ tool, args, callId, signal: request.runtime?.signal, isApproved }, async () => {
        message = await handler(request);
        return messagesIn(message).map(({ content }) => content);
      });
      return end.kind === "refused" ? say(end.text) : withContents(message, end.output);
    },
  };
}

/** Made by `toLangChainTools`, and by nobody else. */
const isOwn = (tool: unknown): boolean => isRecord(tool) && Array.isArray(tool.lc_namespace) && tool.lc_namespace[0] === "zeph";

type HumanAnswer = { readonly kind: "approved" } | { readonly kind: "rejected"; readonly message: string | undefined };

/**
 * Puts the question where a yes is needed. The first time the graph is left by a throw, which is not ours to catch; when it is resumed, the same call comes
 * here again and the answer is there.
 */
async function askIn(
  graph: unknown,
  { needsYes }: Pick<OwnTools | Governor, "needsYes">,
  call: { readonly tool: string; readonly args: unknown; readonly callId: string | undefined },
): Promise<HumanAnswer | null> {
  const why = await needsYes(call);
  const interrupt = isRecord(graph) ? graph.interrupt : undefined;
  if (why === null || typeof interrupt !== "function") return null;
  const answer: unknown = interrupt.call(graph, {
    actionRequests: [{ name: call.tool, args: call.args, description: why }],
    reviewConfigs: [{ actionName: call.tool, allowedDecisions: ["approve", "reject"] }],
  });
  const decisions = isRecord(answer) && Array.isArray(answer.decisions) ? answer.decisions : [];
  const [decision] = decisions.filter(isRecord);
  if (decisions.length === 1 && decision?.type === "approve") return { kind: "approved" };
  return { kind: "rejected", message: typeof decision?.message === "string" ? decision.message : undefined };
}

function readInput(input: unknown, config: unknown): { readonly args: unknown; readonly callId: string | undefined } {
  if (!isRecord(input) || input.type !== "tool_call") return { args: input, callId: undefined };
  const id = input.id ?? (isRecord(config) ? config.toolCallId : undefined);
  return { args: input.args, callId: typeof id === "string" ? id : undefined };
}

const rejection = (message: string | undefined): string =>
  errorBlock(
    new ToolError("policy_blocked", message?.trim() ? `The user said no: ${message.trim()}` : "The user said no.", {
      advice: "The user does not want this. Do not try it again another way; ask what they want instead.",
    }),
  );

/** The messages of a tool's answer: itself, or those that it tells the graph to add. */
function messagesIn(answer: unknown): Record<string, unknown>[] {
  if (!isRecord(answer)) return [];
  if ("content" in answer) return [answer];
  const { update } = answer;
  return isRecord(update) && Array.isArray(update.messages) ? update.messages.filter(isRecord) : [];
}

/** What could not be looked through is one text, and stands in place of all. */
function withContents(answer: unknown, contents: unknown): unknown {
  for (const [index, message] of messagesIn(answer).entries()) message.content = Array.isArray(contents) ? contents[index] : contents;
  return answer;
}

/** What a checkpoint keeps of a message are the fields it was made with. */
function asFailed(message: unknown): unknown {
  if (!isRecord(message)) return message;
  message.status = "error";
  if (isRecord(message.lc_kwargs)) message.lc_kwargs.status = "error";
  return message;
}
