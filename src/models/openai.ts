import type { Model } from "../core/ports/model.ts";
import { createSdkModel, type ModelWire } from "./ai-sdk.ts";
import { sdkPrompt, sdkTools } from "./ai-sdk-prompt.ts";
import type { ProviderSetup } from "./setup.ts";

/** OpenAI with its own API. Nothing is stored there; what it thought comes back to us sealed and goes along with the next request. */
export function createResponsesModel(setup: ProviderSetup): Model {
  const { asked, maxOutputTokens, reasoning } = setup;
  const wire: ModelWire = {
    ...setup,
    async connect(fetch) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL: asked.url, apiKey: asked.key?.value ?? "", fetch }).responses(asked.model);
    },
    options: (prompt, id) => ({
      prompt: sdkPrompt(prompt, id),
      // Without this word the API takes schemas for strict ones and refuses most.
      tools: sdkTools(prompt.tools).map((tool) => ({ ...tool, strict: false })),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      providerOptions: { openai: { store: false, ...(reasoning && { forceReasoning: true, reasoningSummary: "auto" }) } },
    }),
    isEnd: (raw) => raw?.type === "response.completed" || raw?.type === "response.incomplete",
  };
  return createSdkModel(wire);
}

/** OpenAI with the API everybody else has copied. It gives no thinking. */
export function createChatModel(setup: ProviderSetup): Model {
  const { asked, maxOutputTokens } = setup;
  const wire: ModelWire = {
    ...setup,
    async connect(fetch) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      return createOpenAI({ baseURL: asked.url, apiKey: asked.key?.value ?? "", fetch }).chat(asked.model);
    },
    options: (prompt, id) => ({
      prompt: sdkPrompt(prompt, id),
      tools: sdkTools(prompt.tools),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
      providerOptions: { openai: { store: false } },
    }),
    isEnd: hasFinishReason,
  };
  return createSdkModel(wire);
}

export const hasFinishReason = (raw: any): boolean => Array.isArray(raw?.choices) && typeof raw.choices[0]?.finish_reason === "string";
