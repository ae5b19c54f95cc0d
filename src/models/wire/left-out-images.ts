import type { Message } from "../../core/ports/model.ts";
import { plural } from "../../text/words.ts";

/** The same object for the same message, so that what was sent before is found again. */
const KNOWN = new WeakMap<Message, Message>();

/** A message for a model that takes no images: its text says that there were some. */
function withoutImages(message: Message): Message {
  if (message.role !== "user" || !message.images?.length) return message;
  const known = KNOWN.get(message);
  if (known) return known;
  const { images, ...rest } = message;
  const left = { ...rest, text: `${message.text}\n[${plural(images.length, "image")} left out: this model takes none]` };
  KNOWN.set(message, left);
  return left;
}

export const leaveOutImages = (messages: readonly Message[]): readonly Message[] =>
  messages.some((message) => message.role === "user" && message.images) ? messages.map(withoutImages) : messages;
