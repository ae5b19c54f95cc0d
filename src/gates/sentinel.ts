import * as z from "zod";
import { type Gate, PASS } from "../core/door.ts";
import type { Embedder } from "../core/embedder.ts";
import type { Facts } from "../core/facts.ts";
import { setting } from "../core/setting.ts";
import type { Trajectories, TrajectoryEnd } from "../core/store.ts";

export const governanceConfig = z
  .strictObject({
    trajectory_enabled: setting(
      z.boolean().default(false),
      "Whether sequences of calls and how they ended are remembered, and `blocked_sequences` are held.",
      "on",
    ),
    block_risky_patterns: setting(
      z.boolean().default(false),
      'Whether a call is refused whose recent sequence is close to one that ended in an error, a violation or a person\'s "unacceptable". Needs `trajectory_enabled`.',
      "on",
    ),
    blocked_sequences: setting(
      z
        .array(z.array(z.string().min(1)).min(1).max(32))
        .max(1000)
        .default([]),
      'Sequences that are never completed. Each word is a tool or a word of its arguments: `["bash", "rm", "-rf", "/"]`; a tool\'s name begins the next call.',
      "adds",
    ),
    allowlist: setting(z.array(z.string().min(1)).default([]), "Tools the sentinel never refuses."),
    private_paths: setting(
      z.array(z.string().min(1)).default([]),
      "Files that count as private besides keys, credentials and `.env`: globs. Once one was read and a stranger's text was, too, every way out asks.",
      "adds",
    ),
  })
  .prefault({});
export type GovernanceConfig = z.output<typeof governanceConfig>;

export interface SentinelParts {
  readonly workspace: string;
  readonly facts: Facts;
  readonly trajectories: Trajectories;
  /** Null where none is configured. It may throw an EmbeddingError. */
  readonly embedder: () => Promise<Embedder | null>;
  readonly redact: (text: string) => string;
  readonly warn: (message: string) => void;
  /** Whether a command could reach the network. */
  readonly networkOpen: () => boolean | Promise<boolean>;
}

export interface SentinelGate extends Gate {
  /** A person's word about how a call ended. Null when no call of that id is known. */
  feedback(callId: string, word: "unacceptable" | "revoke" | "ok"): Promise<{ readonly callId: string; readonly tool: string } | null>;
  /** For `/trajectory status`: a name, and what is so. Never for a model. */
  status(): Promise<Readonly<Record<string, string>>>;
  /** Answers the question about exactly this call with yes, until the session begins anew. */
  grant(call: Parameters<Gate["judge"]>[0]): void;
}

export interface SentinelMemory {
  readonly ended: Map<string, TrajectoryEnd>;
}
export const sentinelMemory = (): SentinelMemory => ({ ended: new Map() });

export function sentinel(_config: GovernanceConfig, _parts: SentinelParts, _memory: SentinelMemory): SentinelGate {
  return { name: "sentinel", judge: () => PASS, feedback: async () => null, status: async () => ({}), grant() {} };
}
