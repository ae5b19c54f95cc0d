import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolCall } from "../../src/core/call.ts";
import { Door } from "../../src/core/door.ts";
import type { Review } from "../../src/core/gate/verdict.ts";
import type { Facts } from "../../src/core/ports/facts.ts";
import { ToolRequest } from "../../src/core/request.ts";
import type { TurnContext } from "../../src/core/turn.ts";
import { blocklist } from "../../src/gates/blocklist.ts";
import { createPermissionsGate, type PermissionRule, type ShellQuestions } from "../../src/gates/permissions/permissions.ts";
import { createPathRules } from "../../src/host/files/paths.ts";
import { DEFAULT_CONFIRM_PATTERNS } from "../../src/shell/config.ts";
import { understand } from "../../src/shell/understand.ts";
import { bash } from "../../src/tools/bash.ts";

export interface Policy {
  readonly rules?: Record<string, readonly PermissionRule[]>;
  readonly constructs?: "block" | "look";
  readonly asks?: ShellQuestions["constructs"];
  readonly allowNetwork?: boolean;
  readonly blocked?: readonly string[];
  readonly confirm?: readonly string[];
  readonly walls?: boolean;
  readonly own?: readonly string[];
  readonly autonomy?: "full" | "supervised" | "readonly";
  /** What walls give a command for itself. */
  readonly inside?: readonly string[];
  readonly wouldKeep?: Facts["wouldKeep"];
}

export const WORK = realpathSync(mkdtempSync(join(tmpdir(), "shared-shell-")));
export const HOME = "/home/somebody";

const { cwd, canonical, entry } = createPathRules(WORK, { allowed_paths: [], deny_read: [], allow_read: [] }, HOME);
export const facts: Facts = { cwd, home: HOME, canonical, entry, exists: () => true, access: () => null, address: () => null };

const tools = new Map([["bash", bash((command) => understand(command).touches)]]);
export const TURN: TurnContext = {
  sessionId: "s",
  turnId: "t",
  phase: "planner",
  trust: "trusted",
  timestampMs: 0,
  seen: { untrusted: false },
};
let calls = 0;

export function bashCall(command: string, more: object = {}): ToolCall {
  const request = ToolRequest.from({ id: String(calls++), name: "bash", args: { command, ...more } });
  const call = ToolCall.parse(request!, tools);
  if (!(call instanceof ToolCall)) throw call;
  return call;
}

/** A real door with the real gates, built as app.ts builds it. */
export function door(policy: Policy = {}): (command: string) => Promise<Review> {
  const { rules = {}, constructs = "block", asks = "look", allowNetwork = false, blocked = [], walls = true, own = [] } = policy;
  const list = blocklist({ facts, own, shell: { blocked, allowNetwork, constructs } });
  const mode = { autonomy: policy.autonomy ?? "supervised", enabled: true } as const;
  const mutable = Object.fromEntries(Object.entries(rules).map(([tool, entries]) => [tool, [...entries]]));
  const { inside, wouldKeep } = policy;
  const gate = createPermissionsGate(mutable, mode, wouldKeep ? { ...facts, wouldKeep } : facts, {
    ...(inside && { inside }),
    confirm: policy.confirm ?? DEFAULT_CONFIRM_PATTERNS,
    constructs: asks,
    kept: new Set<string>(),
    walls: () => walls,
  });
  const built = new Door(list, [gate]);
  return (command) => built.review(bashCall(command), TURN);
}

export const allowAll: Policy = { rules: { bash: [{ pattern: "*", action: "allow" }] } };

/** The answer in the words of the cases. */
export async function answer(command: string, policy: Policy = {}): Promise<"block" | "deny" | "ask" | "allow"> {
  const { verdict, spoke } = await door(policy)(command);
  return verdict === "deny" && spoke[0]!.gate === "blocklist" ? "block" : verdict;
}
