import type { ImageType, Media } from "../media/media.ts";
import type { RawRequest } from "../request.ts";

/** Data that a provider wants back unchanged with a part of its answer: a signature, the id of an item. Zeph does not read it. */
export type Meta = Readonly<Record<string, unknown>>;

/** A piece of an answer, in the order the model gave them. Thinking goes back only to the model that thought it. */
export type MessagePart =
  | { readonly type: "text"; readonly text: string; readonly meta?: Meta }
  | { readonly type: "thinking"; readonly text: string; readonly meta?: Meta }
  | {
      readonly type: "request";
      /** The id on the wire, unique in its conversation. */
      readonly id: string;
      /** The id of the call in events, questions and the audit log. */
      readonly callId: string;
      readonly name: string;
      /** Always an object: what a provider takes back. */
      readonly args: object;
      readonly meta?: Meta;
    };

/** An image beside the words of a message. */
export interface MessageImage {
  readonly mediaType: ImageType;
  /** Its bytes in base64. */
  readonly data: string;
}

/** One message of a conversation, as a model is sent it. */
export type Message =
  /** `from` says who speaks in the person's place: a background command that ended, a task that became due, the loop itself, or a server whose text they sent along. */
  | {
      readonly role: "user";
      readonly text: string;
      readonly from?: "background" | "schedule" | "loop" | "server";
      /** Sent only to a model that says that it takes images. */
      readonly images?: readonly MessageImage[];
      /** Of the first message of a conversation, as it is stored: what the model was told of the place and the day. It is sent with the system text. */
      readonly begun?: string;
    }
  | { readonly role: "assistant"; readonly model: string; readonly parts: readonly MessagePart[] }
  /** `id` is that of the request on the wire. */
  | {
      readonly role: "tool";
      readonly id: string;
      readonly text: string;
      readonly failed?: true;
      /** What the tool returned besides the text. Sent only to a model that says that it takes such. */
      readonly media?: readonly Media[];
    };

/** Why a model stopped: it had said everything, wants calls made, ran out of room for its answer, or was held back. */
export type Finish = "stop" | "calls" | "length" | "refused" | "other";

/** Tokens. `input` is the whole prompt, cached parts included; `output` includes thinking. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

/** US dollars for a million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Of which day it is, as 2026-08-23, where it comes from a list and not from the configuration. */
  readonly date?: string;
}

/** A piece of a model's answer, as it arrives. Text and thinking come in pieces; a piece with `meta` ends its part. */
export type ModelEvent =
  | { readonly type: "text"; readonly text: string; readonly meta?: Meta }
  | { readonly type: "thinking"; readonly text: string; readonly meta?: Meta }
  | { readonly type: "request"; readonly request: RawRequest; readonly meta?: Meta }
  | { readonly type: "end"; readonly finish: Finish; readonly usage?: Usage };

/** A tool as a model is shown it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: unknown;
}

/** A request to a model. The system text and the tools stay the same from turn to turn, so that a provider can cache them. */
export interface Prompt {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly messages: readonly Message[];
  /** Most tokens of the answer, thinking included, where it is to have fewer than the configuration allows. */
  readonly maxOutputTokens?: number;
}

/** An LLM we can stream from. It throws a ModelError for what the wire did, never for what the model said. */
export interface Model {
  /** As people name it and messages remember it: `anthropic/claude-…`. */
  readonly id: string;
  /** As the provider and its model are known to others, for telemetry. */
  readonly made?: { readonly provider: string; readonly model: string };
  /** Where requests and the key go; absent for a model that is on no server. */
  readonly address?: string;
  /** Calls are asked for with fenced blocks in the text, because the model knows no other way. */
  readonly fenced?: true;
  /** The model thinks before it answers, as its configuration says. */
  readonly reasoning?: true;
  /** The model takes images in messages. Without it they are left out, and the text says so. */
  readonly images?: true;
  /** The model takes recordings that tools return. Without it they are left out, and the text says so. */
  readonly audio?: true;
  /** Most tokens of one request and its answer together. */
  readonly contextTokens?: number;
  readonly price?: Price;
  stream(prompt: Prompt, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/**
 * Stands between an agent and its model: it may look at what is asked and answered, ask something else by handing `next` another prompt, answer in
 * the model's place, or change events on their way. What comes out is what a model said: each request for a call goes through the door.
 */
export type ModelMiddleware = (
  prompt: Prompt,
  next: (prompt: Prompt) => AsyncIterable<ModelEvent>,
  context: { readonly model: string; readonly signal: AbortSignal },
) => AsyncIterable<ModelEvent>;
