import type { Model } from "../core/ports/model.ts";
import { aiSdkModel, type Wire } from "./ai-sdk.ts";
import { sdkPrompt, sdkTools } from "./ai-sdk-prompt.ts";
import type { Setup } from "./setup.ts";

/** OpenAI with its own API. Nothing is stored there; what it thought comes back to us sealed and goes along with the next request. */
export function responsesModel(setup: Setup): Model {
  const { asked, maxOutputTokens, reasoning } = setup;
  const wire: Wire = {
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
  return aiSdkModel(wire);
}

/** OpenAI with the API everybody else has copied. It gives no thinking. */
export function chatModel(setup: Setup): Model {
  const { asked, maxOutputTokens } = setup;
  const wire: Wire = {
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
  return aiSdkModel(wire);
}

export const hasFinishReason = (raw: any): boolean => Array.isArray(raw?.choices) && typeof raw.choices[0]?.finish_reason === "string";
