import { isRecord, parseJson } from "../../text/json.ts";
import { createGovernor, type Governing, type GovernOptions } from "./governed-calls.ts";
import { createOwnTools, type OwnToolsOf, type ToolsOptions } from "./own-tools.ts";

/** A function tool of the OpenAI Agents SDK: `new Agent({ tools })`. */
export interface OpenAiAgentsTool {
  type: "function";
  name: string;
  description: string;
  /** A JSON Schema. Its type has no name outside that package, which we do not depend on. */
  parameters: any;
  strict: false;
  invoke(runContext: any, input: string, details?: any): Promise<string>;
  needsApproval(runContext: any, input: any, callId?: string): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/** A function tool of the OpenAI Agents SDK, as far as an adapter has to know it. */
export interface AnyOpenAiAgentsTool {
  readonly type: string;
  readonly name?: string;
  invoke?: (runContext: any, input: string, details?: any) => Promise<any>;
  needsApproval?: any;
}

/** Zeph's tools for an agent of the OpenAI Agents SDK. A call that needs a yes interrupts the run; after `state.approve` the run goes on with it. */
export function toOpenAiAgentsTools(zeph: OwnToolsOf, options: ToolsOptions = {}): OpenAiAgentsTool[] {
  const own = createOwnTools(zeph, "openai-agents", options);
  return own.list.map(({ name: tool, description, parameters }) => ({
    type: "function",
    name: tool,
    description,
    parameters,
    strict: false,
    isEnabled: async () => true,
    needsApproval: async (_context, args, callId) => (await own.needsYes({ tool, args, callId })) !== null,
    async invoke(context, input, details) {
      const callId = callIdOf(details);
      // What is no JSON comes to the door as it is, and its answer says what to do.
      const args = parseJson(input) ?? input;
      const { text } = await own.call({
        tool,
        args,
        callId,
        signal: details?.signal,
        isApproved: () => isApprovedIn(context, tool, callId),
      });
      return text;
    },
  }));
}

/**
 * A program's own function tools of the OpenAI Agents SDK behind Zeph's door: each call is judged and written down, a rule that wants a yes interrupts
 * the run, the model reads why a call is refused, and what a tool hands back has no secrets in it. Tools that OpenAI runs are no functions: they are
 * refused here with a TypeError, because nothing of ours stands between the model and them.
 */
export function governOpenAiAgentsTools<T extends readonly AnyOpenAiAgentsTool[]>(
  zeph: Governing,
  tools: T,
  options: GovernOptions = {},
): T {
  const governor = createGovernor(zeph, "openai-agents", options);
  const governed = tools.map((tool) => {
    const { name, invoke, needsApproval } = tool;
    if (tool.type !== "function" || typeof invoke !== "function" || typeof name !== "string")
      throw new TypeError(`${name ?? "A tool"} is no function tool, so its calls cannot be judged here. Leave it out of what is governed.`);
    return {
      ...tool,
      async needsApproval(context: unknown, input: unknown, callId?: string) {
        const isWanted = typeof needsApproval === "function" ? await needsApproval(context, input, callId) : needsApproval === true;
        return (await governor.needsYes({ tool: name, args: input, callId })) !== null || Boolean(isWanted);
      },
      async invoke(context: unknown, input: string, details?: { readonly signal?: AbortSignal }) {
        const callId = callIdOf(details);
        const args = parseJson(input);
        const call = { tool: name, args, callId, signal: details?.signal, isApproved: () => isApprovedIn(context, name, callId) };
        const end = await governor.run(call, () => invoke.call(tool, context, input, details));
        return end.kind === "ran" ? end.output : end.text;
      },
    };
  });
  return governed as unknown as T;
}

function callIdOf(details: unknown): string | undefined {
  const call = isRecord(details) ? details.toolCall : undefined;
  return isRecord(call) && typeof call.callId === "string" ? call.callId : undefined;
}

/** What the run itself keeps of the person's answer. A yes to all calls of a tool is none to this one: nobody was shown its arguments. */
function isApprovedIn(context: unknown, toolName: string, callId: string | undefined): boolean {
  const ask = isRecord(context) ? context.isToolApproved : undefined;
  return callId !== undefined && typeof ask === "function" && ask.call(context, { toolName, callId }) === true;
}
