import type { ServerResponse } from "node:http";

/** Writes messages of an event stream, no faster than the client takes them. */
export interface EventWriter {
  /** What finds no room is left out, and the client is told how much. */
  send(message: object): void;
  comment(words: string): void;
  /** The last message, whatever room there is. */
  end(message?: object): void;
}

const MOST_WAITING = 1024 * 1024;
/** A client that takes nothing for so long is gone. */
const STALLED_MS = 60_000;

export function createEventWriter(response: ServerResponse): EventWriter {
  let waiting: string[] = [];
  let length = 0;
  let leftOut = 0;
  let stalled: NodeJS.Timeout | null = null;
  const write = (text: string): void => {
    if (response.destroyed || response.write(text) || stalled) return;
    stalled = setTimeout(() => response.destroy(), STALLED_MS);
  };
  response.on("drain", () => {
    if (stalled) clearTimeout(stalled);
    stalled = null;
    const texts = waiting;
    if (leftOut > 0) texts.push(frame({ type: "gap", events: leftOut }));
    waiting = [];
    [length, leftOut] = [0, 0];
    if (texts.length > 0) write(texts.join(""));
  });
  response.on("close", () => {
    if (stalled) clearTimeout(stalled);
  });
  const add = (text: string): void => {
    if (response.writableEnded) return;
    if (!stalled) write(text);
    else if (length + text.length > MOST_WAITING) leftOut++;
    else {
      waiting.push(text);
      length += text.length;
    }
  };
  return {
    send: (message) => add(frame(message)),
    comment: (words) => add(`: ${words}\n\n`),
    end(message) {
      if (response.writableEnded) return;
      const rest = [...waiting, ...(leftOut > 0 ? [frame({ type: "gap", events: leftOut })] : []), ...(message ? [frame(message)] : [])];
      waiting = [];
      response.end(rest.join(""));
    },
  };
}

/** JSON has no line ends, so a message is one line. */
const frame = (message: object): string => `data: ${JSON.stringify(message)}\n\n`;
