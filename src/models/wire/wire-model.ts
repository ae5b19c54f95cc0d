import { leaveOutMedia } from "../../core/media/left-out-media.ts";
import type { Message, Model, ModelEvent, Prompt } from "../../core/ports/model.ts";
import { type AskedProvider, cutOff, modelError, timedOut, UnreadableAnswer } from "../errors.ts";
import { messagesInWords } from "../in-words.ts";
import { watchRequest } from "../request-watch.ts";
import type { ProviderSetup } from "../setup.ts";
import { type AnswerEnd, createAnswer } from "./answer.ts";
import { post } from "./http.ts";
import { joinRequest, type RequestPiece } from "./request-bytes.ts";
import { readServerEvents } from "./server-events.ts";

/** What differs from one protocol to the next. */
export interface ModelProtocol {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes of a request. The same messages always give the same bytes, so that a provider finds what it kept. */
  body(prompt: Prompt): readonly RequestPiece[];
  /** A reader of one answer. */
  read(grow: (text: string) => void): AnswerProtocol;
}

export interface AnswerProtocol {
  /** What an event of the stream says. Throws an UnreadableAnswer, or the event itself if it is a server's refusal. */
  take(event: any): readonly ModelEvent[];
  /** Null until the protocol's own end of the answer has come. */
  end(): AnswerEnd | null;
  /** Whether nothing follows that is of interest. */
  isOver(): boolean;
}

export const modelId = ({ name, model }: Pick<AskedProvider, "name" | "model">): string => `${name}/${model}`;

/** A model that is asked by one of our protocols. */
export function createWireModel(
  { asked, contextTokens, price, reasoning, images, audio, timeoutMs }: ProviderSetup,
  protocol: ModelProtocol,
): Model {
  const takes = { ...(images && { images }), ...(audio && { audio }) };
  const seen = (prompt: Prompt): Prompt => ({ ...prompt, messages: leaveOutMedia(prompt.messages, takes) });
  return {
    id: modelId(asked),
    made: { provider: asked.type, model: asked.model },
    address: asked.url,
    contextTokens,
    ...(price && { price }),
    ...(reasoning && { reasoning }),
    ...takes,
    stream: (prompt, signal) => streamAnswer({ protocol, asked, timeoutMs }, withCallable(seen(prompt)), signal),
  };
}

/** Calls in a conversation are refused where no tool is offered, as when it is to be summed up. */
export const withCallable = (prompt: Prompt): Prompt =>
  prompt.tools.length === 0 && prompt.messages.some(({ role }: Message) => role === "tool")
    ? { ...prompt, messages: messagesInWords(prompt.messages) }
    : prompt;

interface Asking {
  readonly protocol: ModelProtocol;
  readonly asked: AskedProvider;
  readonly timeoutMs: number;
}

async function* streamAnswer({ protocol, asked, timeoutMs }: Asking, prompt: Prompt, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  signal.throwIfAborted();
  const watch = watchRequest(signal, timeoutMs);
  const answer = createAnswer();
  const reader = protocol.read(answer.grow);
  let answered = false;
  try {
    const response = await post({
      url: protocol.url,
      headers: protocol.headers,
      body: joinRequest(protocol.body(prompt)),
      signal: watch.signal,
    });
    watch.touch();
    answered = true;
    reading: for await (const some of readServerEvents(response.chunks, watch.touch))
      for (const data of some) {
        watch.throwIfStopped();
        if (data === "[DONE]") break reading;
        for (const event of reader.take(parseEvent(data)))
          for (const ready of answer.say(event)) {
            yield ready;
            watch.throwIfStopped();
          }
        if (reader.isOver()) break reading;
        // Some servers leave the line open behind the end.
        if (reader.end()) watch.expectEnd(response.close);
      }
    watch.throwIfStopped();
    const end = reader.end();
    if (!end) throw cutOff(asked);
    watch.letGo(response.drain);
    for (const event of answer.finish(end)) {
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

function parseEvent(data: string): object {
  let event: unknown;
  try {
    event = JSON.parse(data);
  } catch {
    throw new UnreadableAnswer();
  }
  if (typeof event !== "object" || event === null) throw new UnreadableAnswer();
  return event;
}
