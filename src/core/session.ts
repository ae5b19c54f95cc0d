import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, randomUUID } from "node:crypto";
import type { Phase, Session, Trust, TurnContext } from "./turn.ts";

/** Who calls, where that is not the person at the keyboard. */
export interface Caller {
  readonly callerId?: string;
  readonly phase?: Phase;
  readonly trust?: Trust;
}

export interface OpenSession extends Session {
  /** The turn a call belongs to: the one it was made in, else one of its own. */
  current(caller: Caller): TurnContext;
  /** Everything called inside belongs to one turn. A turn inside a turn is the same turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
}

export function openSession(): OpenSession {
  const id = randomUUID();
  const running = new AsyncLocalStorage<string>();
  return {
    id,
    nonce: randomBytes(8).toString("hex"),
    current: ({ callerId, phase = "planner", trust = "trusted" }) => ({
      sessionId: id,
      turnId: running.getStore() ?? randomUUID(),
      phase,
      trust,
      ...(callerId !== undefined && { callerId }),
      timestampMs: Date.now(),
    }),
    turn: (work) => (running.getStore() === undefined ? running.run(randomUUID(), work) : work()),
  };
}
