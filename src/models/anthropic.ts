import type { LanguageModelV3FunctionTool, LanguageModelV3Message } from "@ai-sdk/provider";
import type { Model } from "../core/ports/model.ts";
import { createSdkModel, type ModelWire } from "./ai-sdk.ts";
import { sdkPrompt, sdkTools } from "./ai-sdk-prompt.ts";
import type { ProviderSetup } from "./setup.ts";

const MAX_OUTPUT = 32_000;
const THINKING = 8192;

export function createAnthropicModel(setup: ProviderSetup): Model {
  const { asked, maxOutputTokens = MAX_OUTPUT } = setup;
  const baseURL = withVersion(asked.url);
  const thinking = thinkingOf(setup);
  const wire: ModelWire = {
    ...setup,
    async connect(fetch) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic({ baseURL, apiKey: asked.key?.value ?? "", fetch })(asked.model);
    },
    options: (prompt, id) => {
      const messages = sdkPrompt(prompt, id);
      return {
        prompt: withBreakpoints(messages),
        tools: withLastKept(sdkTools(prompt.tools)),
        maxOutputTokens,
        ...(thinking && mayThink(messages) && { providerOptions: { anthropic: { thinking } } }),
      };
    },
    isEnd: (raw) => raw?.type === "message_stop",
  };
  return createSdkModel(wire);
}

/** People write the address with and without its version. */
export function withVersion(url: string): string {
  const bare = url.replace(/\/+$/, "");
  return /\/v\d+$/.test(bare) ? bare : `${bare}/v1`;
}

/** Older models want to be told how much to think; newer ones decide, and show a summary only when asked. */
function thinkingOf({ asked, reasoning, thinkingTokens }: ProviderSetup) {
  if (!reasoning) return null;
  const isOlder = /claude-(?:3|(?:opus|sonnet|haiku)-4-(?:[0-5]\b|\d{8}))/.test(asked.model);
  if (isOlder || thinkingTokens !== undefined) return { type: "enabled", budgetTokens: thinkingTokens ?? THINKING };
  return { type: "adaptive", display: "summarized" };
}

/** Calls that were asked for without a thought, by another model or before thinking was switched on, cannot be followed by thinking. */
export function mayThink(prompt: readonly LanguageModelV3Message[]): boolean {
  const last = prompt.findLast(({ role }) => role === "assistant");
  if (last?.role !== "assistant" || !last.content.some(({ type }) => type === "tool-call")) return true;
  return last.content[0]?.type === "reasoning";
}

const KEEP = { anthropic: { cacheControl: { type: "ephemeral" } } } as const;

/**
 * Where the provider keeps what it has read: behind the system text, the newest message, and the one that was newest before.
 * So every request finds all of the one before it, and each mark only moves forward.
 */
export function withBreakpoints(prompt: readonly LanguageModelV3Message[]): LanguageModelV3Message[] {
  const ends = prompt.flatMap((message, i) => (isOurs(message) && (i + 1 === prompt.length || !isOurs(prompt[i + 1]!)) ? [i] : []));
  const marks = new Set(ends.slice(-2));
  return prompt.map((message, i) => (message.role === "system" || marks.has(i) ? { ...message, providerOptions: KEEP } : message));
}

const isOurs = ({ role }: LanguageModelV3Message) => role === "user" || role === "tool";

const withLastKept = (tools: LanguageModelV3FunctionTool[]): LanguageModelV3FunctionTool[] =>
  tools.map((tool, i) => (i + 1 === tools.length ? { ...tool, providerOptions: KEEP } : tool));
