import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

const MOST_EVENTS = 256;
const MOST_CHARS = 1024 * 1024;

/** Events that a client may have missed when its connection broke, as far as there is room: the oldest goes first. */
export function createEventStore(): EventStore {
  const events: { readonly id: string; readonly stream: string; readonly text: string }[] = [];
  let count = 0;
  let chars = 0;
  return {
    async storeEvent(stream, message) {
      count += 1;
      const id = `${stream}_${count}`;
      const text = JSON.stringify(message) ?? "{}";
      events.push({ id, stream, text });
      chars += text.length;
      while (events.length > 1 && (events.length > MOST_EVENTS || chars > MOST_CHARS)) chars -= events.shift()!.text.length;
      return id;
    },
    getStreamIdForEventId: async (id) => streamOf(id),
    async replayEventsAfter(last, { send }) {
      const stream = streamOf(last) ?? "";
      const at = events.findIndex(({ id }) => id === last);
      for (const { id, stream: of, text } of events.slice(at + 1))
        if (at !== -1 && of === stream && isMessage(text)) await send(id, JSON.parse(text));
      return stream;
    },
  };
}

const streamOf = (id: string): string | undefined => id.slice(0, Math.max(0, id.lastIndexOf("_"))) || undefined;

/** The first event of a stream only names a place to go on from. */
const isMessage = (text: string) => text !== "{}" && (JSON.parse(text) as JSONRPCMessage).jsonrpc === "2.0";
