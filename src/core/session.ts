import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes, randomUUID } from "node:crypto";
import type { Bound, Phase, Session, TaintMarks, Trust, TurnContext } from "./turn.ts";

/** Who calls, where that is not the person at the keyboard. */
export interface Caller {
  readonly callerId?: string;
  readonly phase?: Phase;
  readonly trust?: Trust;
  readonly conversationId?: string;
  readonly goalId?: string;
  readonly skillName?: string;
  readonly unattended?: true;
  readonly front?: true;
}

export interface OpenSession extends Session {
  /** The turn a call belongs to: the one it was made in, else one of its own. */
  current(caller: Caller): TurnContext;
  /** Everything called inside belongs to one turn. A turn inside a turn is the same turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** A turn for calls that come one by one from outside, such as those of a client's session: it lasts until it is ended. */
  begin(): { current(caller: Caller): TurnContext; end(): void };
  /** Called with the turn's id when it is over. */
  onTurnEnd(listener: (turnId: string) => void): void;
}

/** Conversations, turns and callers that are open at once; far more than anybody has. */
const MOST_SEEN = 1000;

/** Told when a conversation gets a mark, so that it can be kept. */
export type OnMark = (conversationId: string, seen: Readonly<TaintMarks>) => void;

export function createSession(onMark: OnMark = () => {}): OpenSession {
  const id = randomUUID();
  const running = new AsyncLocalStorage<string>();
  const listeners: ((turnId: string) => void)[] = [];
  /** Nothing is known of these; of those something is, and it is not forgotten for somebody else's sake. */
  const unmarkedOnes = new Map<string, TaintMarks>();
  const markedOnes = new Map<string, TaintMarks>();
  const marks = (conversation: string | undefined, owner: Owner | null): TaintMarks => {
    if (!owner) return unmarked(() => {});
    const key = owner.join(" ");
    const marked = markedOnes.get(key);
    if (marked) return marked;
    const known =
      unmarkedOnes.get(key) ??
      unmarked((now) => {
        unmarkedOnes.delete(key);
        markedOnes.set(key, now);
        if (conversation !== undefined) onMark(conversation, now);
      });
    // The one that was used longest ago goes first.
    unmarkedOnes.delete(key);
    unmarkedOnes.set(key, known);
    if (unmarkedOnes.size > MOST_SEEN) unmarkedOnes.delete(unmarkedOnes.keys().next().value!);
    return known;
  };
  const contextIn = (
    turnId: string | undefined,
    { callerId, conversationId, goalId, skillName, unattended, front, phase = "planner", trust = "trusted" }: Caller,
  ): TurnContext => ({
    sessionId: id,
    turnId: turnId ?? randomUUID(),
    seen: marks(conversationId, ownerOf(turnId, { callerId, conversationId, phase })),
    phase,
    trust,
    ...(callerId !== undefined && { callerId }),
    ...(conversationId !== undefined && { conversationId }),
    ...(goalId !== undefined && { goalId }),
    ...(skillName !== undefined && { skillName }),
    ...(unattended && { unattended }),
    ...(front && { front }),
    timestampMs: Date.now(),
  });
  const end = (turnId: string) => {
    for (const ones of [unmarkedOnes, markedOnes]) ones.delete(`turn ${turnId}`);
    for (const listener of listeners) listener(turnId);
  };
  return {
    id,
    nonce: randomBytes(8).toString("hex"),
    current: (caller) => contextIn(running.getStore(), caller),
    async turn(work) {
      if (running.getStore() !== undefined) return work();
      const turnId = randomUUID();
      try {
        return await running.run(turnId, work);
      } finally {
        end(turnId);
      }
    },
    begin() {
      const turnId = randomUUID();
      return { current: (caller) => contextIn(turnId, caller), end: () => end(turnId) };
    },
    onTurnEnd: (listener) => void listeners.push(listener),
  };
}

type Owner = readonly ["conversation" | "turn" | "caller", string] | readonly ["session"];

/**
 * Whose marks a call sees and sets. A model that is run by somebody else's loop calls without a conversation and without a turn, and what it
 * has read counts all the same. A person's own call outside of both stands alone.
 */
function ownerOf(
  turnId: string | undefined,
  { callerId, conversationId, phase }: { callerId: string | undefined; conversationId: string | undefined; phase: Phase },
): Owner | null {
  if (conversationId !== undefined) return ["conversation", conversationId];
  if (turnId !== undefined) return ["turn", turnId];
  if (phase !== "executor") return null;
  return callerId === undefined ? ["session"] : ["caller", callerId];
}

/** Marks are set and never taken back. */
function unmarked(changed: (seen: TaintMarks) => void): TaintMarks {
  let untrusted = false;
  let skill: Bound | undefined;
  const self: TaintMarks = {
    get untrusted() {
      return untrusted;
    },
    set untrusted(now) {
      if (!now || untrusted) return;
      untrusted = true;
      changed(self);
    },
    get skill() {
      return skill;
    },
    set skill(now: Bound | undefined) {
      if (!now) return;
      skill = now;
      changed(self);
    },
  } as TaintMarks;
  return self;
}
