/** Notes beside a turn: none of them is written into the turn. */
export interface ChatNotes {
  /** Told now, or when the turn that runs has ended. */
  add(note: () => Promise<void>): void;
  /** One turn, or something else that has the screen for itself. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

/** More is not waited with; of what comes then the oldest is not told. */
const MOST = 200;

export function createChatNotes(): ChatNotes {
  let held: (() => Promise<void>)[] | null = null;
  let telling: Promise<void> = Promise.resolve();
  /** One after the other. A note that cannot be told harms nobody. */
  const tell = (note: () => Promise<void>) => {
    telling = telling.then(note).catch(() => {});
  };
  return {
    add(note) {
      if (!held) return tell(note);
      held.push(note);
      if (held.length > MOST) held.shift();
    },
    async during(work) {
      if (held) return work();
      await telling;
      held = [];
      try {
        return await work();
      } finally {
        const waited = held;
        held = null;
        for (const note of waited) tell(note);
        await telling;
      }
    },
  };
}
