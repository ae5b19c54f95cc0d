import { plural } from "../../text/words.ts";
import type { Message, Model } from "../ports/model.ts";
import type { Media } from "./media.ts";

type Takes = Pick<Model, "images" | "audio">;

/** What a model is shown of messages: where it takes no images or no recordings, the text says that there were some. */
export const leaveOutMedia = (messages: readonly Message[], { images, audio }: Takes): readonly Message[] => {
  if (messages.every((message) => isTaken(message, { ...(images && { images }), ...(audio && { audio }) }))) return messages;
  const known = KNOWN[`${images ? "images" : "none"}${audio ? "+audio" : ""}`];
  return messages.map((message) => shownOnce(message, { ...(images && { images }), ...(audio && { audio }) }, known));
};

/** The same object for the same message, so that what was sent before is found again. */
const KNOWN: Readonly<Record<"none" | "images" | "none+audio" | "images+audio", WeakMap<Message, Message>>> = {
  none: new WeakMap(),
  images: new WeakMap(),
  "none+audio": new WeakMap(),
  "images+audio": new WeakMap(),
};

function shownOnce(message: Message, takes: Takes, known: WeakMap<Message, Message>): Message {
  if (isTaken(message, takes)) return message;
  const before = known.get(message);
  if (before) return before;
  const shown = withoutMedia(message, (kind) => (kind === "image" ? !takes.images : !takes.audio), ": this model takes none");
  known.set(message, shown);
  return shown;
}

const isTaken = (message: Message, takes: Takes): boolean => {
  if (message.role === "user") return takes.images === true || !message.images?.length;
  return message.role === "assistant" || (message.media ?? []).every(({ kind }) => (kind === "image" ? takes.images : takes.audio));
};

/** The message without its media of these kinds. A line says how many there were, and why they are not there. */
export function withoutMedia(message: Message, isGone: (kind: Media["kind"]) => boolean, why: string): Message {
  if (message.role === "assistant") return message;
  const mark = (images: number, audio: number) => {
    const what = [...(images > 0 ? [plural(images, "image")] : []), ...(audio > 0 ? [plural(audio, "recording")] : [])].join(" and ");
    return `${message.text}\n[${what} left out${why}]`;
  };
  if (message.role === "user") {
    if (!message.images?.length || !isGone("image")) return message;
    const { images, ...rest } = message;
    return { ...rest, text: mark(images.length, 0) };
  }
  const gone = (message.media ?? []).filter(({ kind }) => isGone(kind));
  if (gone.length === 0) return message;
  const { media = [], ...rest } = message;
  const left = media.filter(({ kind }) => !isGone(kind));
  const images = gone.filter(({ kind }) => kind === "image").length;
  return { ...rest, text: mark(images, gone.length - images), ...(left.length > 0 && { media: left }) };
}
