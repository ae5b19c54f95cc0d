import type { ClientName, ClientPlan, HookMode } from "./client-plan.ts";

/** Clients whose own rules are read before a command is rewritten, and whose rewritten commands have something to run them. */
const WALLS_READY: ReadonlySet<ClientName> = new Set();

/** Why a client cannot be put into a mode, in words; null where it can. A mode is never reduced to a lesser one. */
export function whyNotMode({ name, cannot }: ClientPlan, mode: HookMode): string | null {
  const why = cannot[mode];
  if (why !== undefined) return why;
  if (mode !== "walls" || WALLS_READY.has(name)) return null;
  return `A rewritten command is no longer seen by the rules that you gave to ${name} itself, and Zeph does not read those yet. Mode guard judges every call and rewrites none.`;
}
