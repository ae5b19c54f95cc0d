import { isRecord } from "../../text/json.ts";
import { type AiSdkCallOptions, type AiSdkTool, type AiSdkToolOptions, aiSdkTools, isApproved } from "../ai-sdk-tools.ts";
import { createGovernor, type Governing, type GovernOptions } from "./governed-calls.ts";
import type { OwnToolsOf } from "./own-tools.ts";

/** What `toolApproval` of the AI SDK (7) says about a call. */
export type AiSdkApprovalStatus =
  | { readonly type: "not-applicable" }
  | { readonly type: "denied" | "user-approval"; readonly reason: string };

/** `toolApproval` of `generateText`, with a function for each tool. */
export type AiSdkToolApproval = Record<string, (input: unknown, options: AiSdkCallOptions) => Promise<any>>;

/** A tool of the AI SDK, as far as an adapter has to know it. */
export interface AnyAiSdkTool {
  execute?: ((input: any, options: any) => unknown) | undefined;
}

/** What a tool of ours says about a call: the AI SDK asks for it under another name since 7. */
const statuses = new WeakMap<object, (input: unknown, options: AiSdkCallOptions) => Promise<AiSdkApprovalStatus>>();

/** Zeph's tools for `generateText` and `streamText` of the AI SDK. The AI SDK's own approval asks about a call that needs a yes, unless `approval` says otherwise. */
export const toAiSdkTools = (zeph: OwnToolsOf, options: AiSdkToolOptions = {}): Record<string, AiSdkTool> =>
  aiSdkTools(zeph, { approval: "sdk", ...options });

/**
 * A program's own tools of the AI SDK behind Zeph's door: each call is judged and written down, the AI SDK's approval asks where a rule wants a yes,
 * the model reads why a call is refused, and what a tool hands back has no secrets in it. A tool without `execute` runs elsewhere and stays as it is.
 */
export function governAiSdkTools<T extends Record<string, AnyAiSdkTool>>(zeph: Governing, tools: T, options: GovernOptions = {}): T {
  const governor = createGovernor(zeph, "ai-sdk", options);
  const governed = Object.entries(tools).map(([name, tool]): [string, AnyAiSdkTool] => {
    const { execute } = tool;
    if (typeof execute !== "function") return [name, tool];
    const callOf = (args: unknown, { toolCallId }: AiSdkCallOptions) => ({ tool: name, args, callId: toolCallId });
    const { needsApproval: own, toModelOutput } = tool as { needsApproval?: unknown; toModelOutput?: (given: any) => unknown };
    const wrapped = {
      ...tool,
      /** The program's own wish for an approval stays in force. */
      async needsApproval(input: unknown, given: AiSdkCallOptions = {}) {
        const isWanted = typeof own === "function" ? await own(input, given) : own === true;
        return (await governor.needsYes(callOf(input, given))) !== null || Boolean(isWanted);
      },
      async execute(input: unknown, given: AiSdkCallOptions = {}) {
        const call = {
          ...callOf(input, given),
          signal: given.abortSignal,
          isApproved: () => isApproved(given.messages ?? [], given.toolCallId),
        };
        const end = await governor.run(call, () => execute.call(tool, input, given));
        return end.kind === "ran" ? end.output : end.text;
      },
    };
    // A reason is no result of the tool, so the tool is not asked to show it.
    if (toModelOutput) Object.assign(wrapped, { toModelOutput: (given: any) => reasonOutput(given?.output) ?? toModelOutput(given) });
    statuses.set(wrapped, async (input, given) => {
      const call = callOf(input, given);
      const why = await governor.needsYes(call);
      if (why !== null) return { type: "user-approval", reason: why };
      const { verdict, told, why: said } = await governor.rule(call);
      return verdict === "deny" ? { type: "denied", reason: told ?? said ?? "A rule denies it." } : { type: "not-applicable" };
    });
    return [name, wrapped];
  });
  return Object.fromEntries(governed) as T;
}

const reasonOutput = (output: unknown) =>
  typeof output === "string" && output.startsWith("[tool_error]\n") ? { type: "text", value: output } : null;

/** `toolApproval` for governed tools: the same as their `needsApproval`, with the reason beside the question. Other tools are left out. */
export function aiSdkToolApproval(tools: object): AiSdkToolApproval {
  const found = Object.entries(tools).flatMap(([name, tool]) => {
    const status = isRecord(tool) ? statuses.get(tool) : undefined;
    return status ? [[name, status] as const] : [];
  });
  return Object.fromEntries(found);
}
