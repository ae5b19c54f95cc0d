import type { ClientName, HookMode } from "../client.ts";
import { HOOK_CLIENTS } from "../find-client.ts";
import { CLIENT_PLANS } from "./client-plans.ts";

/** Why a client cannot be put into a mode, in words; null where it can. A mode is never reduced to a lesser one. */
export function whyNotMode(name: ClientName, mode: HookMode): string | null {
  const { can, tested } = HOOK_CLIENTS[name];
  if (mode === "walls" && can.rewrite === "no") return `${name} does not let a hook change a command before it runs.`;
  if (mode === "walls" && tested === null) return `${name} was never run with Zeph, and a command is rewritten only where that was tried.`;
  if (mode === "filter" && can.replaceOutput === "no") return `${name} does not let a hook replace an output.`;
  if (mode === "filter" && can.replaceOutput === "as an error")
    return `${name} shows the model an output that a hook replaced as an error.`;
  return can.modes.includes(mode) ? null : `${name} does not let a hook do that.`;
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

const ASKS_AGAIN =
  "It asks about the rewritten command where it would not have asked about the first one, also where one of its rules allows that.";

/** What mode walls comes to in a client, besides what is said of all. */
const IN_WALLS: Readonly<Partial<Record<ClientName, readonly string[]>>> = {
  claude: [
    "What no rule of Claude Code's speaks of, it asks about, also where it would have run it unasked. clients.answer_prompts = true ends that.",
  ],
  codex: [
    "Commands are rewritten only where Codex has no sandbox of its own around them (danger-full-access) and asks nobody about them, or one of its rules allows them. Otherwise they are judged as in mode guard.",
  ],
  copilot: [
    "Commands are rewritten only where it asks nobody about them (--allow-all-tools), or --allow-tool names them. Otherwise they are judged as in mode guard.",
  ],
  gemini: [ASKS_AGAIN],
  opencode: [ASKS_AGAIN],
};

export const NETWORK_IN_WALLS =
  "Behind the walls no name of the internet is open: npm install, git fetch and the like fail until a person opens the name, for one session with the `zeph hook approve` that the failure names, or for good in tools.sandbox.allow_domains.";

export const wallsNotes = (name: ClientName): readonly string[] => IN_WALLS[name] ?? [];
