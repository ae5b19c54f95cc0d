import * as z from "zod";
import { type Gate, PASS } from "../core/door.ts";
import type { Facts } from "../core/facts.ts";
import { setting } from "../core/setting.ts";

const constraint = z.strictObject({
  tool: z.string().min(1),
  deny_patterns: z.array(z.string().min(1)).default([]),
  allowed_paths: z.array(z.string().min(1)).default([]),
  allowed_domains: z.array(z.string().min(1)).default([]),
  min_trust: z.enum(["untrusted", "provisional", "trusted"]).optional(),
});

export const scopedConfig = z
  .strictObject({
    enabled: setting(z.boolean().default(false), "Whether tools are limited to the lists and constraints below.", "on"),
    denied_tools: setting(z.array(z.string().min(1)).default([]), "Tools that are not used. Ignored when `allowed_tools` is set.", "adds"),
    allowed_tools: setting(z.array(z.string().min(1)).default([]), "The only tools that are used. Empty: all but the denied ones."),
    constraints: setting(
      z.array(constraint).max(256).default([]),
      "Limits for one tool each, written as `[[tools.scoped.constraints]]`: `tool`, and any of `deny_patterns` (text that must not occur in its arguments), `allowed_paths`, `allowed_domains` and `min_trust` (below it: ask).",
      "adds",
    ),
  })
  .prefault({});
export type ScopedConfig = z.output<typeof scopedConfig>;

export interface ScopedGate extends Gate {
  /** Lifts the refusal of exactly that call's tool and arguments, once. By the call's id or the beginning of it; null when nothing of that id was refused. */
  approve(callId: string): { readonly callId: string; readonly tool: string } | null;
}

export interface ScopedMemory {
  /** Refused calls by their id, and what they were. */
  readonly refused: Map<string, { readonly tool: string; readonly key: string }>;
  readonly approved: Set<string>;
}
export const scopedMemory = (): ScopedMemory => ({ refused: new Map(), approved: new Set() });

export function scoped(_config: ScopedConfig, _facts: Facts, _memory: ScopedMemory): ScopedGate {
  return { name: "scoped", judge: () => PASS, approve: () => null };
}
