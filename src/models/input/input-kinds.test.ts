import { describe, expect, it } from "vitest";
import { llmConfig } from "../config.ts";
import { inputKinds } from "./input-kinds.ts";

const kinds = (type: string, model: string, more: object = {}) => {
  const base_url = type === "compatible" ? "http://127.0.0.1:1/v1" : undefined;
  const [provider] = llmConfig().parse({ providers: [{ name: "p", type, model, base_url, ...more }] }).providers;
  const { images, audio } = inputKinds(provider!);
  return [...(images ? ["image"] : []), ...(audio ? ["audio"] : [])].join("+") || "text";
};
const problem = (more: object) => llmConfig().safeParse({ providers: [{ name: "p", model: "m", ...more }] }).error?.issues[0]?.message;

describe("what a model takes", () => {
  it.each([
    ["anthropic", "claude-sonnet-5-5", "image"],
    ["anthropic", "claude-instant-1.2", "text"],
    ["openai", "gpt-5.6", "image"],
    ["openai", "o3-mini", "text"],
    ["openai", "gpt-3.5-turbo", "text"],
    ["openai", "gpt-oss-120b", "text"],
    ["gemini", "gemini-flash-latest", "image+audio"],
    ["gemini", "gemini-3-pro", "image+audio"],
    ["ollama", "qwen3:8b", "text"],
    ["ollama", "qwen2.5vl:7b", "image"],
    ["ollama", "llava:13b", "image"],
    ["ollama", "gemma3:4b", "image"],
    ["ollama", "gemma3:1b", "text"],
    ["compatible", "anthropic/claude-opus-4.1", "image"],
    ["compatible", "google/gemini-2.5-flash", "image+audio"],
    ["compatible", "deepseek/deepseek-chat", "text"],
    ["compatible", "a-model-that-nobody-knows", "text"],
  ])("is known of %s %s: %s", (type, model, expected) => expect(kinds(type, model)).toBe(expected));

  it("is what the configuration says", () => {
    expect(kinds("compatible", "unknown", { input: ["text", "image", "audio"] })).toBe("image+audio");
    expect(kinds("anthropic", "claude-sonnet-5-5", { input: ["text"] })).toBe("text");
    expect(kinds("openai", "gpt-5.6", { images: false })).toBe("text");
    expect(kinds("openai", "gpt-audio", { api: "chat" })).toBe("audio");
    expect(kinds("openai", "gpt-audio")).toBe("text");
  });

  it("cannot be what an API has no place for", () => {
    expect(problem({ type: "anthropic", input: ["text", "audio"] })).toContain("recordings can be sent only to gemini");
    expect(problem({ type: "openai", input: ["text", "audio"] })).toContain('api = "chat"');
    expect(problem({ type: "openai", api: "chat", input: ["text", "audio"] })).toBeUndefined();
    expect(problem({ type: "openai", input: ["image"] })).toContain('add "text"');
    expect(problem({ type: "openai", input: ["text"], images: true })).toContain("leave one of them out");
  });
});
