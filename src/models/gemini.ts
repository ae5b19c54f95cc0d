import { randomUUID } from "node:crypto";
import type { Media } from "../core/media/media.ts";
import type { Finish, MessagePart, Meta, Model, ModelEvent, ToolSpec, Usage } from "../core/ports/model.ts";
import { UnreadableAnswer } from "./errors.ts";
import type { ProviderSetup } from "./setup.ts";
import {
  type AnswerExchange,
  type AnsweredCall,
  callId,
  fewer,
  type MessageOf,
  plainName,
  rememberText,
  returnedBy,
  sentArguments,
  speakInTurns,
} from "./wire/conversation.ts";
import { createKeptBytes } from "./wire/request-bytes.ts";
import { createSentConversation } from "./wire/sent-conversation.ts";
import { type AnswerProtocol, createWireModel, modelId } from "./wire/wire-model.ts";

/** Google's Gemini API (`generateContent`, streamed). */
export function createGeminiModel(setup: ProviderSetup): Model {
  const { asked, reasoning } = setup;
  const head = (most: number | undefined) => {
    const settings = {
      ...(most !== undefined && { maxOutputTokens: most }),
      ...(reasoning && { thinkingConfig: { includeThoughts: true } }),
    };
    return Object.keys(settings).length === 0 ? "" : `"generationConfig":${JSON.stringify(settings)},`;
  };
  const beginning = createKeptBytes();
  const sent = createSentConversation({ own: modelId(asked), write: contentsWriter(takesInside(asked.model)) });
  return createWireModel(setup, {
    url: `${asked.url.replace(/\/+$/, "")}/models/${encodeURIComponent(asked.model)}:streamGenerateContent?alt=sse`,
    headers: { "content-type": "application/json", ...(asked.key && { "x-goog-api-key": asked.key.value }) },
    body({ system, tools, messages, maxOutputTokens }) {
      const most = fewer(setup.maxOutputTokens, maxOutputTokens);
      const text = () => {
        const offered = tools.length === 0 ? "" : `"tools":[{"functionDeclarations":[${tools.map(toolText).join(",")}]}],`;
        const said = system.trim() === "" ? "" : `"systemInstruction":${JSON.stringify({ parts: [{ text: system.toWellFormed() }] })},`;
        return `{${head(most)}${offered}${said}"contents":[`;
      };
      return [beginning([most, system, ...tools], text), ...sent(messages).pieces, "]}"];
    },
    read: readAnswer,
  });
}

const toolText = rememberText(({ name, description, parameters }: ToolSpec) =>
  JSON.stringify({ name, description, parametersJsonSchema: parameters }),
);

/** `isInside`: which media a result itself may hold. Others stand behind all results. */
const contentsWriter = (isInside: (media: Media) => boolean) => (exchanges: readonly AnswerExchange[]) => {
  const turns = speakInTurns(
    exchanges.flatMap(({ isOwn, parts, calls, said }) => {
      const results = calls.map(({ request, result: { text, failed, media = [] } }) => {
        const inside = media.filter(isInside);
        return JSON.stringify({
          functionResponse: {
            id: callId(request, isOwn),
            name: plainName(request.name),
            response: { [failed ? "error" : "output"]: text.toWellFormed() },
            ...(inside.length > 0 && { parts: inside.map(mediaPart) }),
          },
        });
      });
      const behind = calls.flatMap((call) => mediaBehind(call, isInside)).map((part) => JSON.stringify(part));
      const ours = [...results, ...behind, ...said.flatMap(saidTexts)];
      return [["model", parts.map((part) => partText(part, isOwn))] as const, ["user", ours] as const];
    }),
  );
  return turns.map(({ role, parts }) => `{"role":"${role}","parts":[${parts.join(",")}]}`).join(",");
};

/** From the third generation on a result holds images. */
const takesInside = (model: string) => {
  const isNewer = /gemini-(?:[3-9]|\d{2})/.test(model);
  return ({ kind, mediaType }: Media): boolean => isNewer && kind === "image" && mediaType !== "image/gif";
};

function mediaBehind(call: AnsweredCall, isInside: (media: Media) => boolean): object[] {
  const behind = (call.result.media ?? []).filter((one) => !isInside(one));
  return behind.length === 0 ? [] : [{ text: returnedBy(call) }, ...behind.map(mediaPart)];
}

/** This API knows no GIF, and refuses the whole request for one. */
const mediaPart = ({ mediaType, data }: Pick<Media, "mediaType" | "data">) =>
  mediaType === "image/gif"
    ? { text: "[a GIF image left out: this API takes none]" }
    : { inlineData: { mimeType: mediaType === "audio/mpeg" ? "audio/mp3" : mediaType, data } };

const saidTexts = ({ text, images = [] }: MessageOf<"user">): string[] => [
  ...images.map((image) => JSON.stringify(mediaPart(image))),
  JSON.stringify({ text: text.toWellFormed() }),
];

/** A part goes back with the signature it came with, or the model forgets what it thought. */
const sealOf = (meta: Meta | undefined) => (meta?.google as { readonly thoughtSignature?: string } | undefined)?.thoughtSignature;

function partText(part: MessagePart, isOwn: boolean): string {
  const thoughtSignature = isOwn ? sealOf(part.meta) : undefined;
  const seal = thoughtSignature === undefined ? {} : { thoughtSignature };
  if (part.type === "text") return JSON.stringify({ text: part.text.toWellFormed(), ...seal });
  if (part.type === "thinking") return JSON.stringify({ text: part.text, thought: true, ...seal });
  return JSON.stringify({
    functionCall: { id: callId(part, isOwn), name: plainName(part.name), args: sentArguments(part.args) },
    ...seal,
  });
}

const REFUSED = ["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE"];
const finishOf = (reason: string): Finish => {
  if (reason === "STOP") return "stop";
  // Not Google's word, but that of servers which speak as it does.
  if (reason === "FUNCTION_CALL") return "calls";
  if (reason === "MAX_TOKENS") return "length";
  return REFUSED.includes(reason) ? "refused" : "other";
};

function readAnswer(grow: (text: string) => void): AnswerProtocol {
  let finish: Finish | null = null;
  let usage: Usage | undefined;
  const eventOf = (part: any): ModelEvent[] => {
    const meta = typeof part?.thoughtSignature === "string" ? { meta: { google: { thoughtSignature: part.thoughtSignature } } } : {};
    const call = part?.functionCall;
    if (call) {
      const args = typeof call.args === "object" && call.args !== null ? call.args : {};
      grow(JSON.stringify(args));
      return [{ type: "request", request: { id: call.id || `call_${randomUUID()}`, name: String(call.name), args }, ...meta }];
    }
    const text = typeof part?.text === "string" ? part.text : "";
    if (text === "" && !("meta" in meta)) return [];
    grow(text);
    return [{ type: part.thought === true ? "thinking" : "text", text, ...meta }];
  };
  return {
    // Counts of tokens may come behind the reason to stop.
    isOver: () => finish !== null && usage !== undefined,
    end: () => (finish === null ? null : { finish, ...(usage && { usage }) }),
    take(chunk) {
      if (chunk.error) throw chunk;
      const { candidates, promptFeedback, usageMetadata } = chunk;
      if (usageMetadata) usage = usageOf(usageMetadata);
      if (promptFeedback?.blockReason) finish = "refused";
      if (!Array.isArray(candidates) && !usageMetadata && !promptFeedback) throw new UnreadableAnswer();
      const [first] = Array.isArray(candidates) ? candidates : [];
      const parts = Array.isArray(first?.content?.parts) ? first.content.parts : [];
      const events = parts.flatMap(eventOf);
      if (typeof first?.finishReason === "string") finish = finishOf(first.finishReason);
      return events;
    },
  };
}

function usageOf({ promptTokenCount = 0, cachedContentTokenCount = 0, candidatesTokenCount = 0, thoughtsTokenCount = 0 }: any): Usage {
  return { input: promptTokenCount, cacheRead: cachedContentTokenCount, cacheWrite: 0, output: candidatesTokenCount + thoughtsTokenCount };
}
