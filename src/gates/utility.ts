import * as z from "zod";
import { type Gate, PASS } from "../core/door.ts";
import { setting } from "../core/setting.ts";

const weight = (value: number, of: string) => setting(z.number().min(0).max(10).default(value), `How much ${of} counts.`);

export const utilityConfig = z
  .strictObject({
    enabled: setting(z.boolean().default(false), "Whether calls that promise little are skipped. One that is asked for again runs."),
    threshold: setting(z.number().min(-10).max(10).default(0), "Calls whose score is below this are skipped."),
    exempt_tools: setting(z.array(z.string().min(1)).default(["load_skill", "invoke_skill"]), "Tools that are never skipped."),
    gain_weight: weight(1, "what a call is expected to bring"),
    cost_weight: weight(0.5, "what its answer is expected to take of the context"),
    redundancy_weight: weight(0.3, "how much it repeats an earlier call"),
    exploration_weight: weight(0.2, "that a tool has hardly been used"),
  })
  .prefault({});
export type UtilityConfig = z.output<typeof utilityConfig>;

export interface UtilityGate extends Gate {
  /** What the person said in a conversation: what they asked for is not skipped. */
  heard(conversation: string, text: string): void;
}

export interface UtilityMemory {
  readonly conversations: Map<string, unknown>;
}
export const utilityMemory = (): UtilityMemory => ({ conversations: new Map() });

export function utility(_config: UtilityConfig, _memory: UtilityMemory): UtilityGate {
  return { name: "utility", judge: () => PASS, heard() {} };
}
