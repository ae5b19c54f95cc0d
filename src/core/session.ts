import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, randomUUID } from "node:crypto";
import type { Phase, Seen, Session, Trust, TurnContext } from "./turn.ts";

/** Who calls, where that is not the person at the keyboard. */
export interface Caller {
  readonly callerId?: string;
  readonly phase?: Phase;
  readonly trust?: Trust;
  readonly conversationId?: string;
  readonly goalId?: string;
  readonly skillName?: string;
}

export interface OpenSession extends Session {
  /** The turn a call belongs to: the one it was made in, else one of its own. */
  current(caller: Caller): TurnContext;
  /** Everything called inside belongs to one turn. A turn inside a turn is the same turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** Called with the turn's id when it is over. */
  onTurnEnd(listener: (turnId: string) => void): void;
}

/** Conversations and turns that are open at once; far more than anybody has. */
const MOST_SEEN = 1000;

export function openSession(): OpenSession {
  const id = randomUUID();
  const running = new AsyncLocalStorage<string>();
  const listeners: ((turnId: string) => void)[] = [];
  const seen = new Map<string, Seen>();
  const marks = (key: string | undefined): Seen => {
    const known = (key !== undefined && seen.get(key)) || { untrusted: false };
    if (key !== undefined) seen.set(key, known);
    if (seen.size > MOST_SEEN) seen.delete(seen.keys().next().value!);
    return known;
  };
  return {
    id,
    nonce: randomBytes(8).toString("hex"),
    current: ({ callerId, conversationId, goalId, skillName, phase = "planner", trust = "trusted" }) => ({
      sessionId: id,
      turnId: running.getStore() ?? randomUUID(),
      seen: marks(conversationId ?? running.getStore()),
      phase,
      trust,
      ...(callerId !== undefined && { callerId }),
      ...(conversationId !== undefined && { conversationId }),
      ...(goalId !== undefined && { goalId }),
      ...(skillName !== undefined && { skillName }),
      timestampMs: Date.now(),
    }),
    async turn(work) {
      if (running.getStore() !== undefined) return work();
      const turnId = randomUUID();
      try {
        return await running.run(turnId, work);
      } finally {
        seen.delete(turnId);
        for (const listener of listeners) listener(turnId);
      }
    },
    onTurnEnd: (listener) => void listeners.push(listener),
  };
}
