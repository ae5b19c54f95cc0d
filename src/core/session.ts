import { randomBytes, randomUUID } from "node:crypto";
import { createAmbient } from "../text/ambient.ts";
import {
  type Bound,
  type CallerRights,
  type ClientSide,
  isPersons,
  type Phase,
  type Session,
  type TaintMarks,
  type Trust,
  type TurnContext,
} from "./turn.ts";

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
  /** The person typed this command themselves: the folder where it ends is where their next one and each later turn start. */
  readonly typed?: true;
  /** The client in front of a session puts each call to its person: what no rule speaks of in the workspace is not asked about again. */
  readonly asks?: "the client";
  /** Set by `zeph.as()`. */
  readonly rights?: CallerRights;
  /** Set by `createAgent({ runtime })`. */
  readonly agent?: string;
  /** Another agent, whose own call this is. */
  readonly client?: ClientSide;
}

export interface OpenSession extends Session {
  /** The turn a call belongs to: the one it was made in, else one of its own. */
  current(caller: Caller): TurnContext;
  /** Everything called inside belongs to one turn. A turn inside a turn is the same turn. */
  turn<T>(work: () => Promise<T>): Promise<T>;
  /** The same for an agent among several: it never joins the turn that it was started in. */
  ownTurn<T>(work: () => Promise<T>): Promise<T>;
  /**
   * The same for work of ours that asks for its turn where it needs it: nothing is carried along from promise to promise, which costs each of them.
   * A program's own code inside of it is run by `carry`.
   */
  handedTurn<T>(work: (turn: HandedTurn) => Promise<T>): Promise<T>;
  /** What is called inside belongs to this turn, if it is one that was handed on. */
  carry<T>(turnId: string, work: () => T): T;
  /** A turn for calls that come one by one from outside, such as those of a client's session: it lasts until it is ended. */
  begin(): { current(caller: Caller): TurnContext; end(): void };
  /** Called with the turn's id when it is over. */
  onTurnEnd(listener: (turnId: string) => void): void;
}

/** A turn that is handed on from function to function. */
export interface HandedTurn {
  current(caller: Caller): TurnContext;
  /** What is called inside belongs to this turn. */
  carry<T>(work: () => T): T;
}

/** Conversations, turns and callers that are open at once; far more than anybody has. */
const MOST_SEEN = 1000;

/** Told when a conversation gets a mark, so that it can be kept. */
export type OnMark = (conversationId: string, seen: Readonly<TaintMarks>) => void;

/** What is marked, by whose it is. A session that takes the place of another goes on with its marks. */
export type SessionMarks = Map<string, TaintMarks>;

export function createSession(onMark: OnMark = () => {}, markedOnes: SessionMarks = new Map()): OpenSession {
  const id = randomUUID();
  const running = createAmbient<string>();
  const listeners: ((turnId: string) => void)[] = [];
  /** Turns that nothing is carried along for. */
  const handed = new Set<string>();
  /** Nothing is known of these; of those something is, and it is not forgotten for somebody else's sake. */
  const unmarkedOnes = new Map<string, TaintMarks>();
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
  /** What a shell remembers in a turn is its caller's alone: several callers in one turn have one each. */
  const callersIn = new Map<string, Map<string, string>>();
  const ownTurnId = (turnId: string, { rights }: Caller): string => {
    if (!rights) return turnId;
    const known = callersIn.get(turnId) ?? new Map<string, string>();
    callersIn.set(turnId, known);
    const own = known.get(rights.id) ?? randomUUID();
    known.set(rights.id, own);
    return own;
  };
  const contextIn = (turnId: string | undefined, { phase = "planner", trust = "trusted", ...who }: Caller): TurnContext => {
    const caller = callerOfTurn({ phase, trust, ...who });
    return {
      sessionId: id,
      turnId: turnId === undefined ? randomUUID() : ownTurnId(turnId, who),
      seen: marks(who.conversationId, ownerOf(turnId, { callerId: who.callerId, conversationId: who.conversationId, phase })),
      ...caller,
      timestampMs: Date.now(),
    };
  };
  const end = (turnId: string) => {
    for (const ones of [unmarkedOnes, markedOnes]) ones.delete(`turn ${turnId}`);
    const all = [turnId, ...(callersIn.get(turnId)?.values() ?? [])];
    callersIn.delete(turnId);
    for (const one of all) for (const listener of listeners) listener(one);
  };
  const ownTurn: OpenSession["ownTurn"] = async (work) => {
    const turnId = randomUUID();
    try {
      return await running.run(turnId, work);
    } finally {
      end(turnId);
    }
  };
  return {
    id,
    nonce: randomBytes(8).toString("hex"),
    current: (caller) => contextIn(running.current(), caller),
    turn: async (work) => (running.current() === undefined ? ownTurn(work) : work()),
    ownTurn,
    async handedTurn(work) {
      const around = running.current();
      if (around !== undefined) return work({ current: (caller) => contextIn(around, caller), carry: (inner) => inner() });
      const turnId = randomUUID();
      handed.add(turnId);
      try {
        return await work({ current: (caller) => contextIn(turnId, caller), carry: (inner) => running.run(turnId, inner) });
      } finally {
        handed.delete(turnId);
        end(turnId);
      }
    },
    carry: (turnId, work) => (handed.has(turnId) ? running.run(turnId, work) : work()),
    begin() {
      const turnId = randomUUID();
      return { current: (caller) => contextIn(turnId, caller), end: () => end(turnId) };
    },
    onTurnEnd: (listener) => void listeners.push(listener),
  };
}

/** Who calls in a turn, and nothing else of it: a later turn can have the same caller. */
export const callerOfTurn = ({
  phase,
  trust,
  callerId,
  conversationId,
  goalId,
  skillName,
  unattended,
  front,
  typed,
  asks,
  rights,
  agent,
  client,
}: Omit<Caller, "agent"> & Pick<TurnContext, "phase" | "trust"> & { readonly agent?: string | undefined }): Caller &
  Pick<TurnContext, "phase" | "trust"> => ({
  phase,
  trust,
  ...(callerId !== undefined && { callerId }),
  ...(conversationId !== undefined && { conversationId }),
  ...(goalId !== undefined && { goalId }),
  ...(skillName !== undefined && { skillName }),
  ...(unattended && { unattended }),
  ...(front && { front }),
  ...(typed && { typed }),
  ...(asks && { asks }),
  ...(rights && { rights }),
  ...(agent !== undefined && { agent }),
  ...(client && { client }),
});

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
  if (isPersons({ phase })) return null;
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
