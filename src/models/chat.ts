import { randomUUID } from "node:crypto";
import type { Media } from "../core/media/media.ts";
import type { Finish, Model, ModelEvent, ToolSpec, Usage } from "../core/ports/model.ts";
import { readArguments } from "./arguments.ts";
import { UnreadableAnswer } from "./errors.ts";
import type { ProviderSetup } from "./setup.ts";
import {
  type AnswerExchange,
  type AnsweredCall,
  callId,
  dataUrl,
  fewer,
  type MessageOf,
  plainName,
  rememberText,
  returnedBy,
  sentArguments,
} from "./wire/conversation.ts";
import { createKeptBytes } from "./wire/request-bytes.ts";
import { createSentConversation } from "./wire/sent-conversation.ts";
import { type AnswerProtocol, createWireModel, modelId } from "./wire/wire-model.ts";

/** OpenAI with the API everybody else has copied. It gives no thinking. */
export const createChatModel = (setup: ProviderSetup): Model =>
  createChatWire(setup, {
    settings: { store: false },
    limit: "max_completion_tokens",
    sendsThinking: false,
  });

/**
 * Any server that speaks OpenAI's chat API, Ollama among them. Some servers want their thinking back and some refuse it; only
 * `reasoning = true` says that this one does.
 */
export const createCompatibleModel = (setup: ProviderSetup): Model =>
  createChatWire(setup, {
    settings: {},
    limit: "max_tokens",
    sendsThinking: setup.reasoning,
  });

interface ChatManner {
  readonly settings: object;
  /** What the most tokens of an answer are called. */
  readonly limit: string;
  readonly sendsThinking: boolean;
}

function createChatWire(setup: ProviderSetup, { settings, limit, sendsThinking }: ChatManner): Model {
  const { asked } = setup;
  const head = (most: number | undefined) =>
    JSON.stringify({
      model: asked.model,
      stream: true,
      stream_options: { include_usage: true },
      ...settings,
      ...(most !== undefined && { [limit]: most }),
    }).slice(0, -1);
  const answerText = ({ parts, isOwn, calls }: AnswerExchange): string => {
    const texts = (type: "text" | "thinking") => parts.flatMap((part) => (part.type === type ? [part.text.toWellFormed()] : [])).join("");
    const thinking = texts("thinking");
    return JSON.stringify({
      role: "assistant",
      content: texts("text") || null,
      ...(thinking !== "" && { reasoning_content: thinking }),
      ...(calls.length > 0 && {
        tool_calls: calls.map(({ request }) => ({
          id: callId(request, isOwn),
          type: "function",
          function: { name: plainName(request.name), arguments: JSON.stringify(sentArguments(request.args)) },
        })),
      }),
    });
  };
  const exchangeTexts = (exchange: AnswerExchange): string[] => [
    ...(exchange.parts.length > 0 ? [answerText(exchange)] : []),
    ...exchange.calls.map(({ request, result }) =>
      JSON.stringify({ role: "tool", tool_call_id: callId(request, exchange.isOwn), content: result.text.toWellFormed() }),
    ),
    ...returnedMedia(exchange.calls),
    ...exchange.said.map(saidText),
  ];
  const beginning = createKeptBytes();
  const sent = createSentConversation({
    own: modelId(asked),
    takes: () => sendsThinking,
    write: (exchanges) => exchanges.flatMap(exchangeTexts).join(","),
  });
  return createWireModel(setup, {
    url: `${asked.url.replace(/\/+$/, "")}/chat/completions`,
    headers: { "content-type": "application/json", ...(asked.key && { authorization: `Bearer ${asked.key.value}` }) },
    body({ system, tools, messages, maxOutputTokens }) {
      const most = fewer(setup.maxOutputTokens, maxOutputTokens);
      const isTold = system.trim() !== "";
      const text = () => {
        const offered = tools.length === 0 ? "" : `,"tools":[${tools.map(toolText).join(",")}],"tool_choice":"auto"`;
        const told = isTold ? JSON.stringify({ role: "system", content: system.toWellFormed() }) : "";
        return `${head(most)}${offered},"messages":[${told}`;
      };
      const said = sent(messages).pieces;
      const comma = isTold && said.some(({ length }) => length > 0) ? "," : "";
      return [beginning([most, system, ...tools], text), comma, ...said, "]}"];
    },
    read: readAnswer,
  });
}

/** Results are texts in this API. What else came with them stands behind them all, in a message that says whose it is. */
function returnedMedia(calls: readonly AnsweredCall[]): string[] {
  const content = calls.flatMap((call) => {
    const { media = [] } = call.result;
    return media.length === 0 ? [] : [{ type: "text", text: returnedBy(call) }, ...media.map(mediaPart)];
  });
  return content.length === 0 ? [] : [JSON.stringify({ role: "user", content })];
}

const mediaPart = (media: Media) =>
  media.kind === "image"
    ? { type: "image_url", image_url: { url: dataUrl(media) } }
    : { type: "input_audio", input_audio: { data: media.data, format: media.mediaType === "audio/wav" ? "wav" : "mp3" } };

function saidText({ text, images }: MessageOf<"user">): string {
  const said = text.toWellFormed();
  if (!images?.length) return JSON.stringify({ role: "user", content: said });
  const shown = images.map((image) => ({ type: "image_url", image_url: { url: dataUrl(image) } }));
  return JSON.stringify({ role: "user", content: [...shown, { type: "text", text: said }] });
}
const toolText = rememberText(({ name, description, parameters }: ToolSpec) =>
  JSON.stringify({ type: "function", function: { name, description, parameters } }),
);

const FINISH: Readonly<Record<string, Finish>> = {
  stop: "stop",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  content_filter: "refused",
};

interface CallInPieces {
  id: string;
  name: string;
  text: string;
}

function readAnswer(grow: (text: string) => void): AnswerProtocol {
  const calls = new Map<number, CallInPieces>();
  let finish: Finish | null = null;
  let usage: Usage | undefined;

  const piece = (type: "text" | "thinking", text: unknown): ModelEvent[] => {
    if (typeof text !== "string" || text === "") return [];
    grow(text);
    return [{ type, text }];
  };
  /** Some servers give no index, or the same one for every call; a new id is a new call. */
  const placeOf = ({ index, id }: any): number => {
    const given = typeof index === "number" ? index : Math.max(0, calls.size - 1);
    const there = calls.get(given);
    return there && typeof id === "string" && id !== "" && there.id !== id ? calls.size : given;
  };
  const addCall = (delta: any) => {
    const place = placeOf(delta ?? {});
    const { id, function: { name, arguments: text } = {} as any } = delta ?? {};
    let call = calls.get(place);
    if (!call) {
      if (typeof name !== "string") throw new UnreadableAnswer();
      call = { id: typeof id === "string" && id !== "" ? id : `call_${randomUUID()}`, name, text: "" };
      calls.set(place, call);
    }
    const more = typeof text === "string" ? text : text === undefined || text === null ? "" : JSON.stringify(text);
    grow(more);
    call.text += more;
  };

  return {
    isOver: () => false,
    end: () => (finish === null ? null : { finish, ...(usage && { usage }) }),
    take(chunk) {
      if (chunk.error !== undefined && chunk.error !== null) throw chunk;
      if (!Array.isArray(chunk.choices)) throw new UnreadableAnswer();
      if (chunk.usage) usage = usageOf(chunk.usage);
      const [{ delta, finish_reason } = {} as any] = chunk.choices;
      const events = [...piece("thinking", delta?.reasoning_content ?? delta?.reasoning), ...piece("text", delta?.content)];
      if (Array.isArray(delta?.tool_calls)) for (const one of delta.tool_calls) addCall(one);
      if (typeof finish_reason !== "string" || finish !== null) return events;
      finish = FINISH[finish_reason] ?? "other";
      return [
        ...events,
        ...[...calls.values()].map(
          ({ id, name, text }): ModelEvent => ({ type: "request", request: { id, name, ...readArguments(text) } }),
        ),
      ];
    },
  };
}

function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details }: any): Usage {
  return { input: prompt_tokens ?? 0, cacheRead: prompt_tokens_details?.cached_tokens ?? 0, cacheWrite: 0, output: completion_tokens ?? 0 };
}
