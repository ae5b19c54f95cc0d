import type { Zeph } from "../../src/index.ts";
import { type AnyAiSdkTool, governAiSdkTools, toAiSdkTools } from "../../src/runtime/adapters/ai-sdk.ts";
import type { Governing, GovernOptions } from "../../src/runtime/adapters/governed-calls.ts";
import { governLangChain, toLangChainTools } from "../../src/runtime/adapters/langchain.ts";
import { governMastraTools, toMastraTools } from "../../src/runtime/adapters/mastra.ts";
import { governOpenAiAgentsTools, toOpenAiAgentsTools } from "../../src/runtime/adapters/openai-agents.ts";

/** What a loop of a library does with one call: asks whether a yes is needed, and runs it with the answer. */
export interface Driver {
  /** Whether the library would ask. A call that it asks about is not run. */
  asks(callId: string, tool: string, args: object): Promise<boolean>;
  /** Runs it, as after a yes where `answer` says so. What the model reads. */
  run(callId: string, tool: string, args: object, answer: "yes" | "nobody", signal?: AbortSignal): Promise<unknown>;
}

export type Functions = Readonly<Record<string, (args: any) => unknown>>;

/** Each library, as far as it matters to an adapter: what it hands to a tool, and in which order. */
export const LIBRARIES: Readonly<
  Record<string, { own(zeph: Zeph): Driver; governed(zeph: Governing, functions: Functions, options?: GovernOptions): Driver }>
> = {
  "ai-sdk": {
    own: (zeph) => aiSdk(toAiSdkTools(zeph)),
    governed: (zeph, functions, options) =>
      aiSdk(
        governAiSdkTools(
          zeph,
          mapped(functions, (name) => ({ execute: (args: any) => functions[name]!(args) })),
          options,
        ),
      ),
  },
  "openai-agents": {
    own: (zeph) => agents(toOpenAiAgentsTools(zeph)),
    governed: (zeph, functions, options) => {
      const tools = Object.entries(functions).map(([name, run]) => ({
        type: "function",
        name,
        invoke: async (_context: unknown, input: string) => run(JSON.parse(input)),
        needsApproval: async () => false,
      }));
      return agents(governOpenAiAgentsTools(zeph, tools, options));
    },
  },
  langchain: {
    own: (zeph) => {
      const tools = new Map(toLangChainTools(zeph).map((tool) => [tool.name, tool]));
      return graph((call, { interrupt, signal }) => tools.get(call.name)!.invoke({ ...call, type: "tool_call" }, { interrupt, signal }));
    },
    governed: (zeph, functions, options) => {
      const { wrapToolCall } = governLangChain(zeph, options);
      const handler = async ({ toolCall, tool }: any) => ({ content: await tool.invoke(toolCall.args), lc_kwargs: {} });
      return graph(async (toolCall, runtime) => {
        const tool = { name: toolCall.name, invoke: async (args: any) => functions[toolCall.name]!(args) };
        return (await wrapToolCall({ toolCall, tool, state: {}, runtime }, handler)).content;
      });
    },
  },
  mastra: {
    own: (zeph) => mastra(toMastraTools(zeph)),
    governed: (zeph, functions, options) =>
      mastra(
        governMastraTools(
          zeph,
          mapped(functions, (name) => ({ execute: async (args: any) => functions[name]!(args) })),
          options,
        ),
      ),
  },
};

const mapped = <T>(functions: Functions, make: (name: string) => T): Record<string, T> =>
  Object.fromEntries(Object.keys(functions).map((name) => [name, make(name)]));

/** The messages say what was asked and answered; `needsApproval` is asked again before an approved call runs. */
function aiSdk(tools: Record<string, AnyAiSdkTool>): Driver {
  const asks = async (toolCallId: string, tool: string, args: object, messages: readonly object[] = []): Promise<boolean> =>
    (tools[tool] as any).needsApproval(args, { toolCallId, messages });
  return {
    asks: (callId, tool, args) => asks(callId, tool, args),
    async run(toolCallId, tool, args, answer, abortSignal) {
      const messages = [
        { role: "assistant", content: [{ type: "tool-approval-request", approvalId: "a", toolCallId }] },
        { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: answer === "yes" }] },
      ];
      if (answer === "yes") await asks(toolCallId, tool, args, messages);
      return tools[tool]!.execute!(args, { toolCallId, messages, abortSignal });
    },
  };
}

/** The run keeps the answers by the id of the call. */
function agents(list: readonly { name?: string; invoke?: any; needsApproval?: any }[]): Driver {
  const tools = new Map(list.map((tool) => [tool.name, tool]));
  return {
    asks: (callId, tool, args) => tools.get(tool)!.needsApproval({}, args, callId),
    run: (callId, tool, args, answer, signal) =>
      tools
        .get(tool)!
        .invoke({ isToolApproved: () => (answer === "yes" ? true : undefined) }, JSON.stringify(args), { toolCall: { callId }, signal }),
  };
}

class GraphInterrupt extends Error {}

type Runtime = { interrupt?: (value: unknown) => unknown; signal: AbortSignal | undefined };

/** An interrupt throws the first time; when the graph is resumed, the same call is made again and the interrupt returns the answer. */
function graph(call: (toolCall: any, runtime: Runtime) => Promise<unknown>): Driver {
  return {
    async asks(id, name, args) {
      const interrupt = () => {
        throw new GraphInterrupt();
      };
      return call({ id, name, args }, { interrupt, signal: undefined }).then(
        () => false,
        (error) => {
          if (error instanceof GraphInterrupt) return true;
          throw error;
        },
      );
    },
    run: (id, name, args, answer, signal) =>
      call({ id, name, args }, { ...(answer === "yes" && { interrupt: () => ({ decisions: [{ type: "approve" }] }) }), signal }),
  };
}

/** Without an id where it asks, and asked again when the answer is there. */
function mastra(tools: Record<string, any>): Driver {
  return {
    asks: (_id, tool, args) => tools[tool].needsApprovalFn(args, {}),
    async run(toolCallId, tool, args, answer, abortSignal) {
      if (answer === "yes") await tools[tool].needsApprovalFn(args, {});
      return tools[tool].execute(args, { abortSignal, ...(answer === "yes" && { agent: { toolCallId } }) });
    },
  };
}
