import type { ToolCall } from "../../core/call.ts";
import { SHORTEST_CALL_ID } from "../../core/call-id.ts";
import { CommandError } from "../../core/command.ts";
import type { Outcome } from "../../core/layer.ts";
import type { Trajectories, Trajectory, TrajectoryEnd } from "../../core/ports/store.ts";
import type { TurnContext } from "../../core/turn.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { createLikeness, type Likeness } from "./likeness.ts";
import { sequenceEnding } from "./sequence-ending.ts";
import { LONGEST, type SequenceSteps } from "./sequence-query.ts";
import type { SequenceProgress } from "./sequences.ts";
import { keyOf } from "./taint.ts";
import { sequenceWords } from "./words.ts";

const MOST_CONVERSATIONS = 64;
const MOST_RECENT = 1_000;
const MOST_STORED = 5_000;
const KEPT_MS = 30 * 24 * 3_600_000;

/** The calls of a conversation that were let in. */
export interface Sequence {
  /** The last of them. */
  steps: SequenceSteps;
  /** How many there were. */
  calls: number;
  readonly progress: SequenceProgress;
}

export interface HistoryMemory {
  readonly conversations: Map<string, Sequence>;
  readonly words: WeakMap<ToolCall, readonly string[]>;
  /** The sequence a call was let in with. */
  readonly admitted: WeakMap<ToolCall, SequenceSteps>;
  /** Calls of this session, for those that left nothing in the store. */
  readonly recent: Map<string, SequenceSteps>;
  /** What ended badly; loaded when it is first wanted. */
  known: Likeness | null;
  loading: Promise<Likeness> | null;
  hasExpired: boolean;
  hasWarned: boolean;
  /** Ends of calls that are being stored. One rejects where that failed. */
  readonly writing: Set<Promise<void>>;
}
export const historyMemory = (): HistoryMemory => ({
  conversations: new Map(),
  words: new WeakMap(),
  admitted: new WeakMap(),
  recent: new Map(),
  known: null,
  loading: null,
  hasExpired: false,
  hasWarned: false,
  writing: new Set(),
});

export interface HistoryParts {
  readonly workspace: string;
  readonly trajectories: Trajectories;
  readonly redact: (text: string) => string;
  readonly warn: (message: string) => void;
}

export interface SequenceHistory {
  /** Undefined when nothing was let in yet. */
  of(turn: TurnContext): Sequence | undefined;
  /** The recent calls, and this one. */
  with(call: ToolCall, turn: TurnContext): SequenceSteps;
  admitted(call: ToolCall, turn: TurnContext): Sequence;
  settled(call: ToolCall, outcome: Outcome, turn: TurnContext): void;
  /** What ended badly; a promise only until it was loaded. */
  known(): Likeness | Promise<Likeness>;
  judged(callId: string, word: "unacceptable" | "revoke" | "ok"): Promise<{ readonly callId: string; readonly tool: string } | null>;
}

/** Remembers what was called, and how it ended. */
export function createHistory({ workspace, trajectories, redact, warn }: HistoryParts, memory: HistoryMemory): SequenceHistory {
  const { conversations, words, recent } = memory;
  const stepOf = (call: ToolCall): readonly string[] => {
    const known = words.get(call) ?? sequenceWords(call, redact);
    words.set(call, known);
    return known;
  };
  const withCall = (call: ToolCall, turn: TurnContext): SequenceSteps => {
    const before = conversations.get(keyOf(turn))?.steps ?? [];
    return [...before.slice(1 - LONGEST), stepOf(call)];
  };
  const learn = (trajectory: Trajectory): void => {
    const change = (known: Likeness) => {
      if (trajectory.ended === "ok") known.takeBack(trajectory.steps.at(-1)!);
      known.add(trajectory);
    };
    if (memory.known) change(memory.known);
    else memory.loading?.then(change, () => {});
  };
  const keep = async (callId: string, steps: SequenceSteps, ended: TrajectoryEnd): Promise<void> => {
    try {
      learn(await trajectories.add({ workspace, callId, steps, ended }));
    } catch (error) {
      if (!memory.hasWarned) warn(`How calls end is not remembered: ${(error as Error).message}`);
      memory.hasWarned = true;
      throw error;
    }
    if (memory.hasExpired) return;
    memory.hasExpired = true;
    // What is too old is not looked at, whether or not it could be deleted.
    await trajectories.expire(Date.now() - KEPT_MS).catch(() => {});
  };
  const load = async (): Promise<Likeness> => {
    const index = createLikeness();
    const stored = await trajectories.bad(workspace, Date.now() - KEPT_MS, MOST_STORED);
    for (const one of stored.toReversed()) index.add(one);
    return index;
  };
  /** Whatever would refuse the same again is taken back. */
  const forgive = async (steps: SequenceSteps): Promise<void> => {
    const known = await current();
    for (let found = known.closest(steps); found; found = known.closest(steps)) {
      known.remove(found.trajectory.callId);
      await trajectories.judge(found.trajectory.callId, "ok", "sequence");
    }
  };
  const current = (): Likeness | Promise<Likeness> => {
    if (memory.known) return memory.known;
    memory.loading ??= load().then(
      (index) => {
        memory.known = index;
        return index;
      },
      (error: unknown) => {
        memory.loading = null;
        throw error;
      },
    );
    return memory.loading;
  };
  return {
    of: (turn) => conversations.get(keyOf(turn)),
    with: withCall,
    known: current,
    admitted(call, turn) {
      const steps = withCall(call, turn);
      const key = keyOf(turn);
      const sequence = conversations.get(key) ?? { steps, calls: 0, progress: new Map() };
      sequence.steps = steps;
      sequence.calls += 1;
      memory.admitted.set(call, steps);
      return keepRecent(conversations, key, sequence, MOST_CONVERSATIONS);
    },
    settled(call, outcome, turn) {
      const steps = memory.admitted.get(call) ?? withCall(call, turn);
      keepRecent(recent, call.id, steps, MOST_RECENT);
      const ended = sequenceEnding(outcome);
      if (ended === null) return;
      const kept = keep(call.id, steps, ended);
      memory.writing.add(kept);
      kept.catch(() => {}).finally(() => memory.writing.delete(kept));
    },
    async judged(callId, word) {
      if (callId.length < SHORTEST_CALL_ID) throw new CommandError(`Give at least ${SHORTEST_CALL_ID} characters of the call's id.`);
      const ended = word === "ok" ? "ok" : "unacceptable";
      const of = word === "revoke" ? "call" : "sequence";
      const here = recent.has(callId) ? [callId] : [...recent.keys()].filter((id) => id.startsWith(callId));
      if (here.length > 1) return null;
      const id = here[0] ?? callId;
      const steps = recent.get(id);
      let judged = await trajectories.judge(id, ended, of);
      if (!judged && steps)
        judged = await trajectories.add({ workspace, callId: id, steps: of === "call" ? steps.slice(-1) : steps, ended });
      if (!judged) return null;
      if (word === "ok") await forgive(judged.steps);
      learn(judged);
      return { callId: judged.callId, tool: judged.steps.at(-1)?.[0] ?? "" };
    },
  };
}
