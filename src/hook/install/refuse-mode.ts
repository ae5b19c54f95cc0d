import type { ClientName, HookMode } from "../client.ts";
import { HOOK_CLIENTS } from "../find-client.ts";
import { CLIENT_PLANS } from "./client-plans.ts";

/** Clients whose own rules are read before a command is rewritten, and whose rewritten commands have something to run them. */
const WALLS_READY: ReadonlySet<ClientName> = new Set();

/** Why a client cannot be put into a mode, in words; null where it can. A mode is never reduced to a lesser one. */
export function whyNotMode(name: ClientName, mode: HookMode): string | null {
  const { can, tested } = HOOK_CLIENTS[name];
  if (mode === "walls" && can.rewrite === "no") return `${name} does not let a hook change a command before it runs.`;
  if (mode === "walls" && tested === null) return `${name} was never run with Zeph, and a command is rewritten only where that was tried.`;
  if (mode === "filter" && can.replaceOutput === "no") return `${name} does not let a hook replace an output.`;
  if (mode === "filter" && can.replaceOutput === "as an error")
    return `${name} shows the model an output that a hook replaced as an error.`;
  if (!can.modes.includes(mode)) return `${name} does not let a hook do that.`;
  if (mode !== "walls" || WALLS_READY.has(name)) return null;
  return `A rewritten command is no longer seen by the rules that you gave to ${name} itself, and Zeph does not read those yet. Mode guard judges every call and rewrites none.`;
}

const CRASH: Readonly<Partial<Record<string, string>>> = {
  unknown: "Nobody has tried what becomes of a call when the hook crashes.",
};
const TIMEOUT: Readonly<Partial<Record<string, string>>> = {
  runs: "A hook that takes longer than the client waits (60 s) lets the call through. Zeph says no long before that.",
  unknown: "Nobody has tried what becomes of a call when the hook takes too long.",
};

/** What passes by the hook of a client, or fails open, whatever Zeph does. */
export function gapsOf(name: ClientName): readonly string[] {
  const { can } = HOOK_CLIENTS[name];
  return [...CLIENT_PLANS[name].gaps, CRASH[can.crash], TIMEOUT[can.timeout]].filter((gap) => gap !== undefined);
}
