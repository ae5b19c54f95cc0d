import type { TrajectoryEnd } from "../../core/ports/store.ts";
import { plural } from "../../text/words.ts";
import type { HistoryMemory } from "./history.ts";
import type { TaintMemory } from "./taint.ts";

interface Settings {
  readonly trajectory_enabled: boolean;
  readonly block_risky_patterns: boolean;
  readonly blocked_sequences: readonly unknown[];
  readonly allowlist: readonly string[];
}

/** What is known, in words for a person. */
export function statusOf(
  config: Settings,
  { conversations, taints }: Pick<HistoryMemory & TaintMemory, "conversations" | "taints">,
  stored: Readonly<Record<TrajectoryEnd, number>>,
): Readonly<Record<string, string>> {
  const { trajectory_enabled: isOn, block_risky_patterns, blocked_sequences, allowlist } = config;
  const calls = [...conversations.values()].at(-1)?.calls ?? 0;
  const both = [...taints.values()].at(-1);
  return {
    sequences: isOn ? "on" : "off (tools.governance.trajectory_enabled)",
    likeness: isOn && block_risky_patterns ? "on" : "off (tools.governance.block_risky_patterns)",
    "current sequence": plural(calls, "call"),
    stored: `${stored.ok} ok, ${stored.error} error, ${stored.violation} violation, ${stored.unacceptable} unacceptable`,
    "blocked sequences": String(blocked_sequences.length),
    allowlist: allowlist.length > 0 ? allowlist.join(", ") : "none",
    "private data read": both?.private ?? "none",
    "stranger's text": both?.stranger ?? "none known",
  };
}
