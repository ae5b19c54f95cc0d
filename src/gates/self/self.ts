import type { ToolCall } from "../../core/call.ts";
import { type Gate, ONLY_CALLS } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { understood } from "../permissions/commands.ts";
import { steeringChange } from "./steering.ts";
import { stoppingCommand } from "./stopping.ts";

export interface SelfParts {
  readonly facts: Facts;
  /** The process that judges: a signal to it would end that. */
  readonly pid: number;
  /** Files and folders besides those that are known by name: its state, its socket, and what was written where an agent keeps its settings elsewhere. */
  readonly folders: readonly string[];
  /** The folder of Zeph's own package; null where nobody knows it. */
  readonly root: string | null;
  /** Whether files of the package may be changed: for those who work on Zeph. */
  readonly package: "closed" | "open";
  /** Where programs are looked for. */
  readonly path: readonly string[];
}

/** Why a call would end the judging, or whether it is a question if it would. */
export interface SelfObjection {
  readonly kind: "ask" | "deny";
  readonly rule: string;
  readonly why: string;
}

/**
 * A model whose calls are judged here must not be able to end that: not by Zeph's own programs, not by the files that make its client ask, and not by
 * a signal. It speaks of clients alone, and reads no mode, rule or grant, so that none of them answers it.
 */
export const createSelfGate = (parts: SelfParts): Gate => ({
  name: "self",
  alsoJudges: ONLY_CALLS,
  state: () => "for calls of other agents",
  judge: (call, { client }) => (client ? judgeClient(call, client.name, parts) : PASS),
});

function judgeClient(call: ToolCall, client: string, parts: SelfParts): Verdict {
  const found: SelfObjection[] = [];
  const changed = steeringChange(call, client, parts);
  if (changed) found.push(changed);
  for (const { commands } of understood(call) ?? []) {
    for (const command of commands) {
      const stops = stoppingCommand(command, commands, parts);
      if (stops) found.push(stops);
    }
  }
  const worst = found.find(({ kind }) => kind === "deny") ?? found[0];
  return worst ? { ...worst, advice: "Leave it as it is, and ask the person to do it." } : PASS;
}
