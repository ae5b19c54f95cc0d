import type { SessionMarks } from "../../core/session.ts";
import type { OpenCalls } from "../../pipeline/client-calls.ts";
import { createQueue } from "../../text/queue.ts";
import { type GateMemory, gateMemory } from "../rules/gate-memory.ts";

/** What outlives a runtime whose settings were exchanged, and, of the sessions of clients, every process: it is in the store (`kept-parts.ts`). */
export interface RuntimeMemory {
  /** Counts, grants and sequences. */
  readonly gates: GateMemory;
  /** Whose text sessions have read. */
  readonly marks: SessionMarks;
  /** Names of the internet that were opened for a session, each behind its caller. */
  readonly names: Set<string>;
  /** Calls of clients that were judged and have not ended. */
  readonly open: OpenCalls;
  /** What is known to be in the store, by whose it is. */
  readonly stored: Map<string, StoredCopy>;
  /** One at a time reads or writes there. */
  readonly inTurn: ReturnType<typeof createQueue>;
}

/** The items of one owner as they were last read or written here. */
export interface StoredCopy {
  version: number;
  items: Map<string, string>;
  /** Calls under way. What they hold is not dropped. */
  users: number;
  /** Something is only here: it could not be stored, or a call is under way. */
  isUnsaved: boolean;
}

/** Whether dropping it would lose something that is in no store. */
export const isUnsaved = ({ stored }: RuntimeMemory): boolean => [...stored.values()].some((copy) => copy.isUnsaved);

export const createRuntimeMemory = (): RuntimeMemory => ({
  gates: gateMemory(),
  marks: new Map(),
  names: new Set(),
  open: new Map(),
  stored: new Map(),
  inTurn: createQueue(),
});
