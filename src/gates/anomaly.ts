import * as z from "zod";
import { type Gate, PASS } from "../core/door.ts";
import type { Outcome } from "../core/layer.ts";
import { setting } from "../core/setting.ts";

export const anomalyConfig = z
  .strictObject({
    enabled: setting(z.boolean().default(true), "Whether the failures of each tool are watched.", "on"),
    window_size: setting(
      z.int().min(10).max(10_000).default(20),
      "How many of a tool's last calls are looked at; it is judged once there are 10.",
    ),
    failure_threshold: setting(z.number().min(0).max(1).default(0.7), "The share of failures above which a tool is reported.", "smaller"),
    auto_block: setting(z.boolean().default(true), "Whether such a tool is not used any more until `/unblock`.", "on"),
  })
  .prefault({});
export type AnomalyConfig = z.output<typeof anomalyConfig>;

export interface AnomalyParts {
  /** The tool is not believed any more. */
  block(tool: string): void;
  readonly warn: (message: string) => void;
}

export interface AnomalyGate extends Gate {
  /** A call that never reached the door: its arguments were wrong. */
  missed(tool: string, outcome: Outcome): void;
  /** Somebody looked at the tool: it begins anew. */
  forget(tool: string): void;
}

export interface AnomalyMemory {
  /** The last calls of each tool: whether they failed. */
  readonly windows: Map<string, boolean[]>;
}
export const anomalyMemory = (): AnomalyMemory => ({ windows: new Map() });

export function anomaly(_config: AnomalyConfig, _parts: AnomalyParts, _memory: AnomalyMemory): AnomalyGate {
  return { name: "anomaly", judge: () => PASS, missed() {}, forget() {} };
}
