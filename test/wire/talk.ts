import type { Message, MessagePart, Model, ModelEvent, Prompt, ToolSpec } from "../../src/core/ports/model.ts";
import { createAnthropicModel } from "../../src/models/anthropic.ts";
import { createChatModel, createCompatibleModel } from "../../src/models/chat.ts";
import { createGeminiModel } from "../../src/models/gemini.ts";
import { createResponsesModel } from "../../src/models/responses.ts";
import type { ProviderSetup } from "../../src/models/setup.ts";

export const WIRES = {
  anthropic: { open: createAnthropicModel, model: "claude-sonnet-4-5", type: "anthropic" },
  responses: { open: createResponsesModel, model: "gpt-5.6", type: "openai" },
  chat: { open: createChatModel, model: "gpt-4.1", type: "openai" },
  gemini: { open: createGeminiModel, model: "gemini-3-pro", type: "gemini" },
  compatible: { open: createCompatibleModel, model: "qwen3", type: "compatible" },
  ollama: { open: createCompatibleModel, model: "qwen3:8b", type: "ollama" },
} as const;
export type WireName = keyof typeof WIRES;
export const WIRE_NAMES = Object.keys(WIRES) as WireName[];

export const KEY = "sk-test-0123456789abcdef";

export function openWire(wire: WireName, url: string, more: Partial<ProviderSetup> = {}): Model {
  const { open, model, type } = WIRES[wire];
  const key = { from: "TEST_KEY", value: KEY };
  return open({ asked: { name: "here", type, model, url, key }, contextTokens: 1000, timeoutMs: 300_000, reasoning: false, ...more });
}

export const READ: ToolSpec = {
  name: "read",
  description: "Read a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export const ask = (text: string, more: Partial<Prompt> = {}): Prompt => ({
  system: "You are a test.",
  tools: [READ],
  messages: [{ role: "user", text }],
  ...more,
});

export async function hear(model: Model, prompt: Prompt, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(prompt, signal)) events.push(event);
  return events;
}

/** What was heard before it failed, and the failure. */
export async function hearFailure(model: Model, prompt = ask("hello"), signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  try {
    for await (const event of model.stream(prompt, signal)) events.push(event);
    return { events, error: null };
  } catch (error) {
    return { events, error: error as any };
  }
}

/** The answer as a conversation keeps it. */
export function answerOf(model: Model, events: readonly ModelEvent[]): Extract<Message, { role: "assistant" }> {
  const parts: MessagePart[] = [];
  let isOpen = false;
  for (const event of events) {
    if (event.type === "end") continue;
    const meta = event.meta ? { meta: event.meta } : {};
    if (event.type === "request") {
      const { id, name, args } = event.request;
      parts.push({ type: "request", id, callId: `call-${id}`, name, args: (args ?? {}) as object, ...meta });
      isOpen = false;
      continue;
    }
    const last = parts.at(-1);
    const before = isOpen && last?.type === event.type ? (parts.pop() as { text: string }).text : "";
    parts.push({ type: event.type, text: before + event.text, ...meta });
    isOpen = event.meta === undefined;
  }
  return { role: "assistant", model: model.id, parts };
}

export const textOf = (events: readonly ModelEvent[]): string => events.map((event) => (event.type === "text" ? event.text : "")).join("");
export const requestsOf = (events: readonly ModelEvent[]) => events.flatMap((event) => (event.type === "request" ? [event.request] : []));
