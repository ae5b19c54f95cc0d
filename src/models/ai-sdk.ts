import type { LanguageModelV3, LanguageModelV3CallOptions, LanguageModelV3StreamPart, LanguageModelV3Usage } from "@ai-sdk/provider";
import { ModelError } from "../core/model-error.ts";
import type { Finish, Meta, Model, ModelEvent, Price, Prompt, Usage } from "../core/ports/model.ts";
import { readArguments } from "./arguments.ts";
import { openBoundedFetch } from "./bounded-fetch.ts";
import { type AskedProvider, cutOff, modelError, timedOut } from "./errors.ts";
import { messagesInWords } from "./in-words.ts";
import { watchRequest } from "./request-watch.ts";

/** What differs from one provider to the next. */
export interface ModelWire {
  readonly asked: AskedProvider;
  readonly contextTokens?: number;
  readonly price?: Price;
  readonly timeoutMs: number;
  readonly reasoning?: boolean;
  /** Packages are large: they are imported when a model is first asked. */
  connect(fetch: typeof globalThis.fetch): Promise<LanguageModelV3>;
  options(prompt: Prompt, id: string): LanguageModelV3CallOptions;
  /** Whether this event of the stream says that the answer is whole. The packages say so even when the connection died. */
  isEnd(raw: any): boolean;
  readonly warn?: (message: string) => void;
}

export const modelId = ({ name, model }: Pick<AskedProvider, "name" | "model">): string => `${name}/${model}`;

/** A model behind the AI SDK's provider interface. */
export function createSdkModel(wire: ModelWire): Model {
  const { asked, contextTokens, price, reasoning } = wire;
  const id = modelId(asked);
  return {
    id,
    made: { provider: asked.type, model: asked.model },
    address: asked.url,
    ...(contextTokens !== undefined && { contextTokens }),
    ...(price && { price }),
    ...(reasoning && { reasoning }),
    stream: (prompt, signal) => streamFrom(wire, wire.options(callable(prompt), id), signal),
  };
}

/** Calls in a conversation are refused where no tool is offered, as when it is to be summed up. */
const callable = (prompt: Prompt): Prompt =>
  prompt.tools.length === 0 && prompt.messages.some(({ role }) => role === "tool")
    ? { ...prompt, messages: messagesInWords(prompt.messages) }
    : prompt;

async function* streamFrom(wire: ModelWire, options: LanguageModelV3CallOptions, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const { asked, timeoutMs } = wire;
  const watch = watchRequest(signal, timeoutMs);
  const wireFetch = openBoundedFetch(watch.touch);
  const answer = answerReader(wire);
  try {
    const model = await wire.connect(wireFetch.fetch);
    const { stream } = await watch.orStopped(model.doStream({ ...options, abortSignal: watch.signal, includeRawChunks: true }));
    const reader = stream.getReader();
    watch.onStop(() => void reader.cancel().catch(() => {}));
    for (;;) {
      const { done, value } = await reader.read();
      watch.throwIfStopped();
      if (done) break;
      for (const event of answer.take(value)) {
        yield event;
        watch.throwIfStopped();
      }
      // Some servers leave the line open behind the end.
      if (answer.sawEnd()) watch.expectEnd(wireFetch.close);
      if (value.type === "finish") break;
    }
    const last = answer.end();
    watch.drain(reader);
    for (const event of last) {
      yield event;
      signal.throwIfAborted();
    }
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    throw watch.timedOut() ? timedOut(asked, timeoutMs) : modelError(thrown, asked, { answered: wireFetch.answered(), timeoutMs });
  } finally {
    watch.stop();
  }
}

/** Text and arguments of one answer. */
const MAX_ANSWER = 8 * 1024 * 1024;

const FINISH: Readonly<Record<string, Finish>> = { stop: "stop", "tool-calls": "calls", length: "length", "content-filter": "refused" };

/** From the parts of the stream to our events. Requests, and what comes behind them, wait until the answer is known to be whole. */
function answerReader({ isEnd, asked, warn }: ModelWire) {
  const held: ModelEvent[] = [];
  const metas = new Map<string, Meta>();
  let size = 0;
  let isWhole = false;
  let finish: { readonly why: Finish; readonly usage?: Usage } | null = null;

  const say = (event: ModelEvent): ModelEvent[] => {
    if (held.length === 0 && event.type !== "request") return [event];
    held.push(event);
    return [];
  };
  const grow = (text: string) => {
    size += text.length;
    if (size > MAX_ANSWER)
      throw new ModelError(
        "runaway",
        "The answer is longer than 8 MiB; the model does not stop. Set max_output_tokens, or use another model.",
      );
  };
  const piece = (type: "text" | "thinking", key: string, part: { delta?: string; providerMetadata?: Meta }, isLast: boolean) => {
    if (part.providerMetadata) metas.set(key, merged(metas.get(key), part.providerMetadata));
    const text = part.delta ?? "";
    grow(text);
    const meta = isLast ? metas.get(key) : undefined;
    if (isLast) metas.delete(key);
    return text === "" && !meta ? [] : say({ type, text, ...(meta && { meta }) });
  };

  const take = (part: LanguageModelV3StreamPart): ModelEvent[] => {
    switch (part.type) {
      case "stream-start":
        for (const warning of part.warnings)
          warn?.(`${asked.name}: ${"message" in warning ? warning.message : (warning.details ?? warning.feature)}`);
        return [];
      case "raw":
        isWhole ||= isEnd(part.rawValue);
        return [];
      case "text-start":
      case "text-delta":
        return piece("text", `t${part.id}`, part, false);
      case "text-end":
        return piece("text", `t${part.id}`, part, true);
      case "reasoning-start":
      case "reasoning-delta":
        return piece("thinking", `r${part.id}`, part, false);
      case "reasoning-end":
        return piece("thinking", `r${part.id}`, part, true);
      case "tool-input-delta":
        grow(part.delta);
        return [];
      case "tool-call": {
        if (part.providerExecuted) return [];
        const request = { id: part.toolCallId, name: part.toolName, ...readArguments(part.input) };
        return say({ type: "request", request, ...(part.providerMetadata && { meta: part.providerMetadata }) });
      }
      case "finish": {
        const usage = usageOf(part.usage);
        finish = { why: FINISH[part.finishReason.unified] ?? "other", ...(usage && { usage }) };
        return [];
      }
      case "error":
        throw isWhole || !isMissingEnd(part.error) ? part.error : cutOff(asked);
      default:
        return [];
    }
  };

  return {
    take,
    sawEnd: () => isWhole,
    end(): ModelEvent[] {
      if (!isWhole || !finish) throw new ModelError("cut", cutOff(asked).message);
      const { why, usage } = finish;
      const events = why === "length" ? withLastCut(held) : held;
      const asks = events.some(({ type }) => type === "request");
      return [...events, { type: "end", finish: why === "stop" && asks ? "calls" : why, ...(usage && { usage }) }];
    },
  };
}

/** An answer that ran out of room ended in the middle of its last part. Half a request can look whole. */
function withLastCut(events: readonly ModelEvent[]): ModelEvent[] {
  const last = events.at(-1);
  if (last?.type !== "request") return [...events];
  const problem = "the answer ran out of room in the middle of the arguments. Ask for less at once, for example by writing a file in parts";
  return [...events.slice(0, -1), { ...last, request: { ...last.request, problem } }];
}

/** The one complaint of the package for compatible servers that means a cut line and not a wrong one. */
const isMissingEnd = (error: unknown) => error instanceof Error && /ended without a finish reason/.test(error.message);

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
