import { type AdapterQuestion, createOwnTools, type OwnToolsOf } from "./adapters/own-tools.ts";

/** Which tools an AI SDK agent is given, and who approves its calls. */
export interface AiSdkToolOptions {
  /** Only these tools. Default: all that a model would be shown. */
  readonly only?: readonly string[];
  /**
   * `sdk`: the AI SDK's own approval flow asks about a call that needs a yes, and what was approved there counts as `once`.
   * Default: `confirm` of the runtime asks.
   */
  readonly approval?: "confirm" | "sdk";
  /** Who approves in the AI SDK's flow, as the audit log names them. Default: `ai-sdk`. */
  readonly approvedBy?: string;
  /** Told of each question before the AI SDK puts it, with the reason. */
  readonly onAsk?: (question: AdapterQuestion) => void;
}

/** What the AI SDK tells a tool about the call. */
export interface AiSdkCallOptions {
  readonly abortSignal?: AbortSignal | undefined;
  readonly toolCallId?: string;
  readonly messages?: readonly unknown[];
}

/** A tool as the AI SDK takes it: `generateText({ tools: zeph.toAiSdkTools() })`. */
export interface AiSdkTool {
  readonly description: string;
  /** A `Schema` of the AI SDK. Its type has no name outside that package, which we do not depend on. */
  readonly inputSchema: any;
  readonly needsApproval?: (input: unknown, options?: AiSdkCallOptions) => Promise<boolean>;
  readonly execute: (input: unknown, options: AiSdkCallOptions) => Promise<string>;
}

/** The tools a model would be shown now, each a call through the door. A failed call is an answer the model reads, not an exception. */
export function aiSdkTools(
  zeph: OwnToolsOf,
  { only, approval = "confirm", approvedBy = "ai-sdk", onAsk }: AiSdkToolOptions = {},
): Record<string, AiSdkTool> {
  const own = createOwnTools(zeph, "ai-sdk", {
    ...(only && { only }),
    approval: approval === "sdk" ? "library" : "confirm",
    approvedBy,
    // The answer may come in another process, which was not asked: the messages say so, and the AI SDK can sign them.
    elsewhere: "counts",
    ...(onAsk && { onAsk }),
  });
  const tools = own.list.map(({ name: tool, description, parameters }): [string, AiSdkTool] => [
    tool,
    {
      description,
      inputSchema: schemaOf(parameters),
      ...(approval === "sdk" && {
        needsApproval: async (args: unknown, { toolCallId: callId }: AiSdkCallOptions = {}) =>
          (await own.needsYes({ tool, args, callId })) !== null,
      }),
      async execute(args, { abortSignal: signal, toolCallId: callId, messages = [] }) {
        // The AI SDK carries out only what needs no approval, or was approved; the same call is told from others by its id.
        const { text } = await own.call({ tool, args, callId, signal, isApproved: () => isApproved(messages, callId) });
        return text;
      },
    },
  ]);
  return Object.fromEntries(tools);
}

interface ApprovalPart {
  readonly type?: unknown;
  readonly approvalId?: unknown;
  readonly toolCallId?: unknown;
  readonly approved?: unknown;
}

/** Whether the messages hold a request to approve this call, and a yes to it. */
export function isApproved(messages: readonly unknown[], toolCallId: string | undefined): boolean {
  const partsOf = (role: "assistant" | "tool") =>
    messages.flatMap((message) => {
      const one = (message ?? {}) as { readonly role?: unknown; readonly content?: unknown };
      return one.role === role && Array.isArray(one.content) ? (one.content as readonly ApprovalPart[]) : [];
    });
  const asked = partsOf("assistant").filter((part) => part.type === "tool-approval-request" && part.toolCallId === toolCallId);
  // A model writes messages of the assistant; the program alone answers for the person.
  return partsOf("tool").some(
    (part) =>
      part.type === "tool-approval-response" && part.approved === true && asked.some(({ approvalId }) => approvalId === part.approvalId),
  );
}

/** How the AI SDK knows a schema of its own. Nothing is validated there: bad arguments come to the door, and their answer says what to do. */
const schemaOf = (jsonSchema: unknown) => ({ [Symbol.for("vercel.ai.schema")]: true, _type: undefined, jsonSchema, validate: undefined });
