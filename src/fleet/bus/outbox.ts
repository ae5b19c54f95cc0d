export interface Outgoing {
  readonly subject: string;
  readonly text: string;
}

/** What waits for a connection. When it is full the oldest goes: a newer hint says more. */
export interface Outbox {
  add(message: Outgoing): void;
  /** Takes out up to `most`, oldest first. */
  take(most: number): readonly Outgoing[];
  readonly size: number;
}

const MOST_MESSAGES = 1000;
const MOST_LENGTH = 4 * 1024 * 1024;

export function createOutbox(): Outbox {
  let waiting: Outgoing[] = [];
  let length = 0;
  const take = (most: number): readonly Outgoing[] => {
    const taken = waiting.slice(0, most);
    waiting = waiting.slice(taken.length);
    for (const { text } of taken) length -= text.length;
    return taken;
  };
  return {
    add(message) {
      waiting.push(message);
      length += message.text.length;
      while (waiting.length > MOST_MESSAGES || length > MOST_LENGTH) take(1);
    },
    take,
    get size() {
      return waiting.length;
    },
  };
}
