import type { Media } from "../core/media/media.ts";
import type { Finish, MessagePart, Meta, Model, ModelEvent, Prompt, ToolSpec, Usage } from "../core/ports/model.ts";
import { readArguments } from "./arguments.ts";
import { UnreadableAnswer } from "./errors.ts";
import type { ProviderSetup } from "./setup.ts";
import {
  type AnswerExchange,
  type AnsweredCall,
  callId,
  fewer,
  type MessageOf,
  type PartOf,
  plainName,
  rememberText,
  returnedBy,
  sentArguments,
  speakInTurns,
} from "./wire/conversation.ts";
import { createKeptBytes } from "./wire/request-bytes.ts";
import { createSentConversation } from "./wire/sent-conversation.ts";
import { type AnswerProtocol, createWireModel, modelId } from "./wire/wire-model.ts";

const MAX_OUTPUT = 32_000;
const THINKING = 8192;

/** Anthropic's Messages API. */
export function createAnthropicModel(setup: ProviderSetup): Model {
  const { asked, maxOutputTokens = MAX_OUTPUT } = setup;
  const thinking = thinkingOf(setup);
  const head = (isThinking: boolean, most: number | undefined) => {
    const budget = isThinking && thinking && "budget_tokens" in thinking ? thinking.budget_tokens : 0;
    const more = isThinking && thinking ? { thinking } : {};
    return JSON.stringify({
      model: asked.model,
      max_tokens: fewer(Math.min(maxOutputTokens + budget, mostOutput(asked.model)), most),
      stream: true,
      ...more,
    }).slice(0, -1);
  };
  const beginning = createKeptBytes();
  const sent = createSentConversation({ own: modelId(asked), takes: isSealed, write: messagesText });
  return createWireModel(setup, {
    url: `${withVersion(asked.url)}/messages`,
    headers: {
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "x-api-key": asked.key?.value ?? "",
    },
    body(prompt) {
      const { pieces, newest } = sent(prompt.messages);
      const most = prompt.maxOutputTokens;
      // A budget for thinking has to be smaller than the answer.
      const isThinking =
        mayThink(newest) && !(thinking && "budget_tokens" in thinking && most !== undefined && most <= thinking.budget_tokens);
      const text = () => `${head(isThinking, most)}${toolsText(prompt.tools)}${systemText(prompt)},"messages":[`;
      return [beginning([isThinking, most, prompt.system, ...prompt.tools], text), ...pieces, "]}"];
    },
    read: readAnswer,
  });
}

/** People write the address with and without its version. */
export function withVersion(url: string): string {
  const bare = url.replace(/\/+$/, "");
  return /\/v\d+$/.test(bare) ? bare : `${bare}/v1`;
}

/** Older models want to be told how much to think; newer ones decide, and show a summary only when asked. The newest take no number. */
function thinkingOf({ asked: { name, model }, reasoning, thinkingTokens, warn }: ProviderSetup) {
  if (!reasoning) return null;
  const isOlder = /claude-(?:3|(?:opus|sonnet|haiku)-4-(?:[0-5]\b|\d{8}))/.test(model);
  const decides = /claude-(?:fable-5|(?:opus|sonnet|haiku)-5-5)/.test(model);
  if (decides && thinkingTokens !== undefined)
    warn?.(`${name}: ${model} decides itself how much it thinks; thinking_tokens is without effect.`);
  if (isOlder || (thinkingTokens !== undefined && !decides)) return { type: "enabled", budget_tokens: thinkingTokens ?? THINKING } as const;
  return { type: "adaptive", display: "summarized" } as const;
}

/** Models that refuse to be allowed more than they can say. */
const MOST_OUTPUT: readonly (readonly [RegExp, number])[] = [
  [/claude-3-(?:haiku|sonnet|opus)/, 4096],
  [/claude-3-5/, 8192],
  [/claude-opus-4-(?:[01]\b|\d{8})/, 32_000],
];
const mostOutput = (model: string): number => MOST_OUTPUT.find(([name]) => name.test(model))?.[1] ?? Number.POSITIVE_INFINITY;

/** Calls that were asked for without a thought, by another model or before thinking was switched on, cannot be followed by thinking. */
export function mayThink(exchanges: readonly AnswerExchange[]): boolean {
  const last = exchanges.findLast(({ parts }) => parts.length > 0);
  return !last || last.calls.length === 0 || last.parts[0]!.type === "thinking";
}

/** Thinking goes back with its seal, or not at all. */
interface Seal {
  readonly signature?: string;
  readonly redactedData?: string;
}
const sealOf = (meta: Meta | undefined) => (meta?.anthropic ?? {}) as Seal;
const isSealed = ({ meta }: PartOf<"thinking">) => sealOf(meta).signature !== undefined || sealOf(meta).redactedData !== undefined;

/** Where the provider keeps what it has read. */
const marked = (json: string) => `${json.slice(0, -1)},"cache_control":{"type":"ephemeral"}}`;

const toolText = rememberText(({ name, description, parameters }: ToolSpec) =>
  JSON.stringify({ name, description, input_schema: parameters }),
);

function toolsText(tools: readonly ToolSpec[]): string {
  if (tools.length === 0) return "";
  const texts = tools.map(toolText);
  return `,"tools":[${[...texts.slice(0, -1), marked(texts.at(-1)!)].join(",")}]`;
}

const systemText = ({ system }: Prompt): string =>
  system.trim() === "" ? "" : `,"system":[${marked(JSON.stringify({ type: "text", text: system.toWellFormed() }))}]`;

/**
 * The newest message is marked, and the one that was newest before: every request finds all of the one before it, and each mark only
 * moves forward. Results and what is said behind them are one message.
 */
function messagesText(exchanges: readonly AnswerExchange[], which: "settled" | "newest"): string {
  const messages = speakInTurns(
    exchanges.flatMap(({ isOwn, parts, calls, said }) => {
      const results = calls.map(({ request, result: { text, failed, media } }) =>
        JSON.stringify({
          type: "tool_result",
          tool_use_id: callId(request, isOwn),
          content: media && !failed ? [...textBlocks(text), ...media.map(imageBlock)] : text.toWellFormed(),
          ...(failed && { is_error: true }),
        }),
      );
      return [
        ["assistant", parts.map((part) => partText(part, isOwn))] as const,
        ["user", [...results, ...calls.flatMap(imagesOfFailed), ...said.flatMap(saidTexts)]] as const,
      ];
    }),
  );
  const ours = which === "newest" ? messages.filter(({ role }) => role === "user").slice(-2) : [];
  for (const { parts } of ours) parts[parts.length - 1] = marked(parts.at(-1)!);
  return messages.map(({ role, parts }) => `{"role":"${role}","content":[${parts.join(",")}]}`).join(",");
}

const imageBlock = ({ mediaType, data }: Pick<Media, "mediaType" | "data">) => ({
  type: "image",
  source: { type: "base64", media_type: mediaType, data },
});
const textBlocks = (text: string) => (text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }]);

/** A result that is an error holds nothing but text, so they stand behind all results. */
function imagesOfFailed(call: AnsweredCall): string[] {
  const { failed, media = [] } = call.result;
  if (!failed || media.length === 0) return [];
  return [...textBlocks(returnedBy(call)), ...media.map(imageBlock)].map((block) => JSON.stringify(block));
}

const saidTexts = ({ text, images = [] }: MessageOf<"user">): string[] => [
  ...images.map((image) => JSON.stringify(imageBlock(image))),
  JSON.stringify({ type: "text", text: text.toWellFormed() }),
];

function partText(part: MessagePart, isOwn: boolean): string {
  if (part.type === "text") return JSON.stringify({ type: "text", text: part.text.toWellFormed() });
  if (part.type === "request")
    return JSON.stringify({ type: "tool_use", id: callId(part, isOwn), name: plainName(part.name), input: sentArguments(part.args) });
  const { signature, redactedData } = sealOf(part.meta);
  // A signature is over the exact text, so a thought goes back as it came.
  return JSON.stringify(
    redactedData === undefined ? { type: "thinking", thinking: part.text, signature } : { type: "redacted_thinking", data: redactedData },
  );
}

const FINISH: Readonly<Record<string, Finish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refused",
};

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  /** Pieces of arguments, or a signature. */
  text: string;
}

function readAnswer(grow: (text: string) => void): AnswerProtocol {
  const blocks = new Map<number, Block>();
  let usage: Record<string, number> = {};
  let finish: Finish = "other";
  let isOver = false;

  const begin = (index: number, content: any): ModelEvent[] => {
    const { type, id, name, text, thinking, data, input } = content ?? {};
    if (typeof type !== "string") throw new UnreadableAnswer();
    const given = input && Object.keys(input).length > 0 ? JSON.stringify(input) : "";
    blocks.set(index, { type, id: String(id), name: String(name), text: given });
    if (type === "redacted_thinking") return [{ type: "thinking", text: "", meta: { anthropic: { redactedData: data } } }];
    return piece(type === "thinking" ? "thinking" : "text", type === "thinking" ? thinking : text);
  };
  const piece = (type: "text" | "thinking", text: unknown): ModelEvent[] => {
    if (typeof text !== "string" || text === "") return [];
    grow(text);
    return [{ type, text }];
  };
  const more = (block: Block | undefined, delta: any): ModelEvent[] => {
    if (delta?.type === "text_delta") return piece("text", delta.text);
    if (delta?.type === "thinking_delta") return piece("thinking", delta.thinking);
    const text = delta?.partial_json ?? delta?.signature;
    if (typeof text !== "string") return [];
    grow(text);
    if (block) block.text += text;
    return [];
  };
  const close = (block: Block | undefined): ModelEvent[] => {
    if (block?.type === "thinking" && block.text !== "")
      return [{ type: "thinking", text: "", meta: { anthropic: { signature: block.text } } }];
    if (block?.type !== "tool_use") return [];
    return [{ type: "request", request: { id: block.id, name: block.name, ...readArguments(block.text) } }];
  };

  return {
    isOver: () => isOver,
    end: () => (isOver ? { finish, ...(Object.keys(usage).length > 0 && { usage: usageOf(usage) }) } : null),
    take(event) {
      switch (event.type) {
        case "message_start":
          if (typeof event.message !== "object") throw new UnreadableAnswer();
          usage = { ...usage, ...event.message.usage };
          return [];
        case "content_block_start":
          return begin(event.index, event.content_block);
        case "content_block_delta":
          return more(blocks.get(event.index), event.delta);
        case "content_block_stop": {
          const block = blocks.get(event.index);
          blocks.delete(event.index);
          return close(block);
        }
        case "message_delta":
          finish = FINISH[event.delta?.stop_reason] ?? finish;
          usage = { ...usage, ...withoutNulls(event.usage) };
          return [];
        case "message_stop":
          isOver = true;
          return [];
        case "error":
          throw event;
        default:
          return [];
      }
    },
  };
}

const withoutNulls = (counts: object | undefined) => Object.fromEntries(Object.entries(counts ?? {}).filter(([, count]) => count !== null));

function usageOf(counts: Record<string, number>): Usage {
  const { input_tokens = 0, cache_read_input_tokens, cache_creation_input_tokens, output_tokens = 0 } = counts;
  const cacheRead = cache_read_input_tokens ?? 0;
  const cacheWrite = cache_creation_input_tokens ?? 0;
  return { input: input_tokens + cacheRead + cacheWrite, cacheRead, cacheWrite, output: output_tokens };
}
