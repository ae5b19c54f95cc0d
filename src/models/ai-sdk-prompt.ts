import type {
  LanguageModelV3FunctionTool,
  LanguageModelV3Message,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderOptions,
} from "@ai-sdk/provider";
import type { Message, MessagePart, Meta, Prompt, ToolSpec } from "../core/ports/model.ts";

/**
 * A prompt as the AI SDK takes it. The same messages always give the same bytes, so that a provider finds what it kept.
 * `own` is the id of the model: thinking and whatever a provider wants back go only to the model they came from.
 */
export function sdkPrompt({ system, messages }: Pick<Prompt, "system" | "messages">, own: string): LanguageModelV3Message[] {
  const prompt: LanguageModelV3Message[] = system.trim() === "" ? [] : [{ role: "system", content: system.toWellFormed() }];
  for (const { answer, results, said } of exchanges(messages)) {
    const parts = answer ? answerParts(answer, answer.model === own) : [];
    if (parts.length > 0) prompt.push({ role: "assistant", content: parts });
    const asked = answer ? answer.parts.filter((part) => part.type === "request") : [];
    if (asked.length > 0)
      prompt.push({ role: "tool", content: asked.map((part) => resultPart(named(part, answer!.model === own), results.get(part.id))) });
    for (const text of said) if (!isBlank(text)) prompt.push({ role: "user", content: [{ type: "text", text: text.toWellFormed() }] });
  }
  return prompt;
}

export const sdkTools = (tools: readonly ToolSpec[]): LanguageModelV3FunctionTool[] =>
  tools.map(({ name, description, parameters }) => ({ type: "function", name, description, inputSchema: parameters as object }));

type Of<R extends Message["role"]> = Extract<Message, { role: R }>;

/** An answer and what came back: results belong right behind the requests, whatever was said between them. */
interface Exchange {
  readonly answer: Of<"assistant"> | null;
  readonly results: Map<string, Of<"tool">>;
  readonly said: string[];
}

function exchanges(messages: readonly Message[]): Exchange[] {
  const all: Exchange[] = [{ answer: null, results: new Map(), said: [] }];
  for (const message of messages) {
    const current = all.at(-1)!;
    if (message.role === "assistant") all.push({ answer: message, results: new Map(), said: [] });
    else if (message.role === "user") current.said.push(message.text);
    else current.results.set(message.id, message);
  }
  return all;
}

/** An answer is sent again with every request after it, and is put into the provider's words once. */
const worded = { own: new WeakMap<object, AnswerPart[]>(), other: new WeakMap<object, AnswerPart[]>() };

function answerParts(answer: Of<"assistant">, isOwn: boolean): AnswerPart[] {
  const known = worded[isOwn ? "own" : "other"];
  const parts = known.get(answer) ?? wordedParts(answer, isOwn);
  known.set(answer, parts);
  return parts;
}

/** A thought that led to nothing is refused at the end of an answer, and alone it is no answer. */
function wordedParts({ parts }: Of<"assistant">, isOwn: boolean): AnswerPart[] {
  const all = parts.flatMap((part) => answerPart(part, isOwn));
  return all.slice(0, all.findLastIndex(({ type }) => type !== "reasoning") + 1);
}

type AnswerPart = Extract<LanguageModelV3Message, { role: "assistant" }>["content"][number];

function answerPart(part: MessagePart, isOwn: boolean): AnswerPart[] {
  const back = isOwn && part.meta ? { providerOptions: part.meta as Meta as SharedV3ProviderOptions } : {};
  if (part.type === "text") return isBlank(part.text) ? [] : [{ type: "text", text: part.text.toWellFormed(), ...back }];
  // Signatures are over the exact text, so a thought goes back as it came.
  if (part.type === "thinking") return isOwn ? [{ type: "reasoning", text: part.text, ...back }] : [];
  return [{ type: "tool-call", ...named(part, isOwn), input: objectOf(part.args), ...back }];
}

/**
 * Names and ids as every provider takes them. A model may ask for a tool by a name no tool can have, and ids of one provider
 * can be refused by another; either would be in every request from now on.
 */
function named({ id, name }: Pick<Extract<MessagePart, { type: "request" }>, "id" | "name">, isOwn: boolean) {
  const plain = (text: string) => text.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "_";
  const safe = plain(name);
  // The package looks names up in a plain object, which has these from birth.
  return { toolCallId: isOwn ? id : plain(id), toolName: safe in Object.prototype ? `${safe}_` : safe };
}

/** A request nobody answered makes the whole conversation illegal for most providers. */
function resultPart(call: ReturnType<typeof named>, result: Of<"tool"> | undefined): LanguageModelV3ToolResultPart {
  const { text, failed } = result ?? { text: "There is no result of this call.", failed: true };
  return { type: "tool-result", ...call, output: { type: failed ? "error-text" : "text", value: text.toWellFormed() } };
}

/** Providers refuse text of nothing but white space. */
const isBlank = (text: string) => text.trim() === "";

function objectOf(args: unknown): object {
  if (typeof args !== "object" || args === null || Array.isArray(args)) return {};
  // Half a character, which JSON can spell, is refused by providers, and would be in every request from now on.
  if (!/\\ud[89a-f]/i.test(JSON.stringify(args))) return args;
  return JSON.parse(JSON.stringify(args), (_key, value) => (typeof value === "string" ? value.toWellFormed() : value));
}
