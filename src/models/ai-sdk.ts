import type { LanguageModelV3, LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import type { Finish, Meta, Model, ModelEvent, Usage } from "../core/ports/model.ts";
import { sdkPrompt, sdkTools } from "./ai-sdk-prompt.ts";
import { readArguments } from "./arguments.ts";
import { type AskedProvider, cutOff, modelError, timedOut } from "./errors.ts";
import { watchRequest } from "./request-watch.ts";
import { type AnswerEnd, createAnswer } from "./wire/answer.ts";
import { fewer } from "./wire/conversation.ts";
import { withCallable } from "./wire/wire-model.ts";

/** What a model of the AI SDK does not say of itself. */
export interface AiSdkOptions {
  /** Most tokens of one request and its answer together. */
  readonly contextTokens?: number;
  /** Most tokens of an answer. */
  readonly maxOutputTokens?: number;
  /** Silence after which the model is given up. */
  readonly timeoutMs?: number;
  /** For the provider's package, as its documentation says. */
  readonly providerOptions?: Record<string, Record<string, any>>;
  /** What the package warns about. */
  readonly warn?: (message: string) => void;
}

const SILENCE_MS = 300_000;

/** A model of a provider package of the AI SDK (`anthropic("claude-…")`), as an agent takes it. The package must be installed. */
export function fromAiSdk(model: LanguageModelV3, options: AiSdkOptions = {}): Model {
  const { contextTokens, maxOutputTokens, timeoutMs = SILENCE_MS, providerOptions, warn } = options;
  const id = `${model.provider}/${model.modelId}`;
  const asked: AskedProvider = { name: model.provider, type: model.provider, model: model.modelId, url: "file:" };
  return {
    id,
    made: { provider: model.provider, model: model.modelId },
    ...(contextTokens !== undefined && { contextTokens }),
    stream: (prompt, signal) => {
      const { tools } = prompt;
      const most = fewer(maxOutputTokens, prompt.maxOutputTokens);
      const call = {
        prompt: sdkPrompt(withCallable(prompt), id),
        tools: sdkTools(tools),
        ...(most !== undefined && { maxOutputTokens: most }),
        ...(providerOptions && { providerOptions }),
      };
      return streamAnswer({ model, asked, timeoutMs, ...(warn && { warn }) }, call, signal);
    },
  };
}

interface Asking {
  readonly model: LanguageModelV3;
  readonly asked: AskedProvider;
  readonly timeoutMs: number;
  readonly warn?: (message: string) => void;
}

async function* streamAnswer(
  { model, asked, timeoutMs, warn }: Asking,
  call: Parameters<LanguageModelV3["doStream"]>[0],
  signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const watch = watchRequest(signal, timeoutMs);
  const answer = createAnswer();
  const parts = createPartReader(answer.grow, (message) => warn?.(`${asked.name}: ${message}`));
  let answered = false;
  try {
    const { stream } = await watch.orStopped(model.doStream({ ...call, abortSignal: watch.signal }));
    answered = true;
    const reader = stream.getReader();
    watch.onStop(() => void reader.cancel().catch(() => {}));
    while (!parts.end()) {
      const { done, value } = await reader.read();
      watch.throwIfStopped();
      if (done) throw cutOff(asked);
      watch.touch();
      for (const event of parts.take(value))
        for (const ready of answer.say(event)) {
          yield ready;
          watch.throwIfStopped();
        }
    }
    watch.letGo(() => void reader.cancel().catch(() => {}));
    for (const event of answer.finish(parts.end()!)) {
      yield event;
      signal.throwIfAborted();
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw watch.timedOut() ? timedOut(asked, timeoutMs) : modelError(thrown, asked, { answered, timeoutMs });
  } finally {
    watch.stop();
  }
}

const FINISH: Readonly<Record<string, Finish>> = { stop: "stop", "tool-calls": "calls", length: "length", "content-filter": "refused" };

/** From the parts of the package's stream to our events. */
function createPartReader(grow: (text: string) => void, warn: (message: string) => void) {
  const metas = new Map<string, Meta>();
  let end: AnswerEnd | null = null;
  const piece = (
    type: "text" | "thinking",
    part: { id: string; delta?: string; providerMetadata?: Meta },
    isLast: boolean,
  ): ModelEvent[] => {
    const key = `${type} ${part.id}`;
    if (part.providerMetadata) metas.set(key, merged(metas.get(key), part.providerMetadata));
    const text = part.delta ?? "";
    grow(text);
    const meta = isLast ? metas.get(key) : undefined;
    if (isLast) metas.delete(key);
    return text === "" && !meta ? [] : [{ type, text, ...(meta && { meta }) }];
  };
  return {
    end: () => end,
    take(part: LanguageModelV3StreamPart): ModelEvent[] {
      switch (part.type) {
        case "stream-start":
          for (const warning of part.warnings) warn("message" in warning ? warning.message : (warning.details ?? warning.feature));
          return [];
        case "text-start":
        case "text-delta":
        case "text-end":
          return piece("text", part, part.type === "text-end");
        case "reasoning-start":
        case "reasoning-delta":
        case "reasoning-end":
          return piece("thinking", part, part.type === "reasoning-end");
        case "tool-input-delta":
          grow(part.delta);
          return [];
        case "tool-call": {
          if (part.providerExecuted) return [];
          const request = { id: part.toolCallId, name: part.toolName, ...readArguments(part.input) };
          return [{ type: "request", request, ...(part.providerMetadata && { meta: part.providerMetadata }) }];
        }
        case "finish": {
          const usage = usageOf(part.usage);
          end = { finish: FINISH[part.finishReason.unified] ?? "other", ...(usage && { usage }) };
          return [];
        }
        case "error":
          throw part.error;
        default:
          return [];
      }
    },
  };
}

function merged(before: Meta | undefined, now: Meta): Meta {
  const both: Record<string, unknown> = { ...before };
  for (const [provider, values] of Object.entries(now)) both[provider] = { ...(both[provider] as object), ...(values as object) };
  return both;
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage | null {
  if (inputTokens.total === undefined && outputTokens.total === undefined) return null;
  return {
    input: inputTokens.total ?? 0,
    cacheRead: inputTokens.cacheRead ?? 0,
    cacheWrite: inputTokens.cacheWrite ?? 0,
    output: outputTokens.total ?? 0,
  };
}
