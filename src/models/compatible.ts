import type { Message, Model } from "../core/ports/model.ts";
import { createSdkModel, type ModelWire } from "./ai-sdk.ts";
import { sdkPrompt, sdkTools } from "./ai-sdk-prompt.ts";
import { hasFinishReason } from "./openai.ts";
import type { ProviderSetup } from "./setup.ts";

/** Any server that speaks OpenAI's chat API, Ollama among them. */
export function createCompatibleModel(setup: ProviderSetup): Model {
  const { asked, maxOutputTokens, reasoning } = setup;
  const wire: ModelWire = {
    ...setup,
    async connect(fetch) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const key = asked.key ? { apiKey: asked.key.value } : {};
      return createOpenAICompatible({ name: "compatible", baseURL: asked.url, includeUsage: true, fetch, ...key })(asked.model);
    },
    options: ({ system, tools, messages }, id) => ({
      prompt: sdkPrompt({ system, messages: reasoning ? messages : messages.map(withoutThinking) }, id),
      tools: sdkTools(tools),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    }),
    isEnd: hasFinishReason,
  };
  return createSdkModel(wire);
}

/** Some servers want their thinking back and some refuse it; only `reasoning = true` says that this one does. */
const withoutThinking = (message: Message): Message =>
  message.role === "assistant" ? { ...message, parts: message.parts.filter(({ type }) => type !== "thinking") } : message;
