import type { Finish, Meta, Model, ModelEvent, ToolSpec, Usage } from "../core/ports/model.ts";
import { readArguments } from "./arguments.ts";
import type { ProviderSetup } from "./setup.ts";
import {
  type AnswerExchange,
  type AnsweredCall,
  callId,
  dataUrl,
  fewer,
  type MessageOf,
  type PartOf,
  plainName,
  rememberText,
  sentArguments,
} from "./wire/conversation.ts";
import { createKeptBytes } from "./wire/request-bytes.ts";
import { createSentConversation } from "./wire/sent-conversation.ts";
import { type AnswerProtocol, createWireModel, modelId } from "./wire/wire-model.ts";

/** The API refuses to be allowed less. */
const LEAST_OUTPUT = 16;

/** OpenAI with its own API. Nothing is stored there; what it thought comes back to us sealed and goes along with the next request. */
export function createResponsesModel(setup: ProviderSetup): Model {
  const { asked, reasoning } = setup;
  const head = (most: number | undefined) =>
    JSON.stringify({
      model: asked.model,
      stream: true,
      store: false,
      ...(thinks(setup) && { include: ["reasoning.encrypted_content"] }),
      ...(reasoning && { reasoning: { summary: "auto" } }),
      ...(most !== undefined && { max_output_tokens: Math.max(LEAST_OUTPUT, most) }),
    }).slice(0, -1);
  const beginning = createKeptBytes();
  const sent = createSentConversation({
    own: modelId(asked),
    takes: ({ meta }) => itemOf(meta).itemId !== undefined,
    write: (exchanges) => exchanges.flatMap(inputTexts).join(","),
  });
  return createWireModel(setup, {
    url: `${asked.url.replace(/\/+$/, "")}/responses`,
    headers: { "content-type": "application/json", ...(asked.key && { authorization: `Bearer ${asked.key.value}` }) },
    body({ system, tools, messages, maxOutputTokens }) {
      const most = fewer(setup.maxOutputTokens, maxOutputTokens);
      const text = () => {
        const instructions = system.trim() === "" ? "" : `,"instructions":${JSON.stringify(system.toWellFormed())}`;
        const offered = tools.length === 0 ? "" : `,"tools":[${tools.map(toolText).join(",")}]`;
        return `${head(most)}${offered}${instructions},"input":[`;
      };
      return [beginning([most, system, ...tools], text), ...sent(messages).pieces, "]}"];
    },
    read: readAnswer,
  });
}

/** Models that think whether they are told to or not. Others refuse to be asked for it. */
const thinks = ({ asked, reasoning }: ProviderSetup): boolean => reasoning || /^(?:o\d|gpt-5(?!-chat)|codex)/.test(asked.model);

// Without its last word the API takes schemas for strict ones and refuses most.
const toolText = rememberText(({ name, description, parameters }: ToolSpec) =>
  JSON.stringify({ type: "function", name, description, parameters, strict: false }),
);

function inputTexts(exchange: AnswerExchange): string[] {
  const { parts, calls, isOwn, said } = exchange;
  return [
    ...(parts.length > 0 ? [answerText(exchange)] : []),
    ...calls.map(({ request, result }) =>
      JSON.stringify({ type: "function_call_output", call_id: callId(request, isOwn), output: outputOf(result) }),
    ),
    ...said.map(saidText),
  ];
}

const outputOf = ({ text, media }: AnsweredCall["result"]) =>
  media
    ? [
        ...(text === "" ? [] : [{ type: "input_text", text: text.toWellFormed() }]),
        ...media.map((one) => ({ type: "input_image", image_url: dataUrl(one) })),
      ]
    : text.toWellFormed();

const saidText = ({ text, images = [] }: MessageOf<"user">): string =>
  JSON.stringify({
    role: "user",
    content: [
      ...images.map((image) => ({ type: "input_image", image_url: dataUrl(image) })),
      { type: "input_text", text: text.toWellFormed() },
    ],
  });

/** What OpenAI wants back of a thought. */
interface ThoughtItem {
  readonly itemId?: string;
  readonly reasoningEncryptedContent?: string | null;
}
const itemOf = (meta: Meta | undefined) => (meta?.openai ?? {}) as ThoughtItem;

const answerText = ({ parts, isOwn }: AnswerExchange): string =>
  thoughtsTogether(parts)
    .map((part) => {
      if (Array.isArray(part)) return thoughtItem(part);
      if (part.type === "text") return { role: "assistant", content: [{ type: "output_text", text: part.text.toWellFormed() }] };
      const args = JSON.stringify(sentArguments(part.args));
      return { type: "function_call", call_id: callId(part, isOwn), name: plainName(part.name), arguments: args };
    })
    .map((item) => JSON.stringify(item))
    .join(",");

type Thought = PartOf<"thinking">;

/** Pieces of one thought are one item. */
function thoughtsTogether(parts: AnswerExchange["parts"]): (Thought[] | Exclude<AnswerExchange["parts"][number], Thought>)[] {
  const all: (Thought[] | Exclude<AnswerExchange["parts"][number], Thought>)[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (part.type !== "thinking") all.push(part);
    else if (Array.isArray(last) && itemOf(last[0]!.meta).itemId === itemOf(part.meta).itemId) last.push(part);
    else all.push([part]);
  }
  return all;
}

const thoughtItem = (pieces: readonly Thought[]) => ({
  type: "reasoning",
  id: itemOf(pieces[0]!.meta).itemId,
  encrypted_content: pieces.map(({ meta }) => itemOf(meta).reasoningEncryptedContent).findLast((sealed) => sealed),
  summary: pieces.filter(({ text }) => text !== "").map(({ text }) => ({ type: "summary_text", text })),
});

const INCOMPLETE: Readonly<Record<string, Finish>> = { max_output_tokens: "length", content_filter: "refused" };

function readAnswer(grow: (text: string) => void): AnswerProtocol {
  let end: { finish: Finish; usage?: Usage } | null = null;
  let summaries = 0;
  const piece = (type: "text" | "thinking", text: unknown): ModelEvent[] => {
    if (typeof text !== "string" || text === "") return [];
    grow(text);
    return [{ type, text }];
  };
  const closeItem = (item: any): ModelEvent[] => {
    if (item?.type === "reasoning") {
      summaries = 0;
      const meta = { openai: { itemId: item.id, reasoningEncryptedContent: item.encrypted_content ?? null } };
      return [{ type: "thinking", text: "", meta }];
    }
    if (item?.type !== "function_call") return [];
    return [{ type: "request", request: { id: String(item.call_id), name: String(item.name), ...readArguments(item.arguments ?? "") } }];
  };
  return {
    isOver: () => end !== null,
    end: () => end,
    take(event) {
      switch (event.type) {
        case "response.output_text.delta":
        case "response.refusal.delta":
          return piece("text", event.delta);
        case "response.reasoning_summary_part.added":
          return summaries++ === 0 ? [] : piece("thinking", "\n\n");
        case "response.reasoning_summary_text.delta":
          return piece("thinking", event.delta);
        case "response.function_call_arguments.delta":
          grow(String(event.delta));
          return [];
        case "response.output_item.done":
          return closeItem(event.item);
        case "response.completed":
        case "response.incomplete": {
          const usage = usageOf(event.response?.usage);
          const why = event.response?.incomplete_details?.reason;
          const finish = event.type === "response.completed" ? "stop" : (INCOMPLETE[why] ?? "other");
          end = { finish, ...(usage && { usage }) };
          return [];
        }
        case "response.failed":
        case "error":
          throw event;
        default:
          return [];
      }
    },
  };
}

function usageOf(counts: any): Usage | null {
  if (!counts) return null;
  const { input_tokens = 0, input_tokens_details, output_tokens = 0 } = counts;
  return { input: input_tokens, cacheRead: input_tokens_details?.cached_tokens ?? 0, cacheWrite: 0, output: output_tokens };
}
