import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/schema.ts";
import { allSettings } from "../../config/settings.ts";
import { setAtPath, valueAtPath } from "../../config/shape.ts";

declare const BRAND: unique symbol;

/** The settings a runtime was started with. What has state of its own is built from them once: the host, the store, models, hooks. */
export type StartConfig = Config & { readonly [BRAND]?: never };

/** The settings in force now: the live ones as they were read last, the others as at the start. Rules are built from them. */
export type LiveConfig = Config & { readonly [BRAND]: true };

export const asLive = (config: Config): LiveConfig => config as LiveConfig;

/**
 * Settings, and whole tables of them, that count as soon as they are read again: those the gates and the blocklist are built from, and the MCP servers.
 * Everything else was built into something that has state of its own (walls, files, models, hooks, the store), which is not rebuilt under a running call.
 */
const LIVE: readonly string[] = [
  "autonomy",
  "tools.enabled",
  "tools.max_tool_calls_per_session",
  "tools.four_eyes",
  "tools.permissions",
  "tools.policy",
  "tools.authorization",
  "tools.scoped",
  // Only this one of its table: the others say as whom commands run, which is the host's.
  "tools.scope.require_capability",
  "tools.adversarial_policy",
  "tools.governance",
  "tools.anomaly",
  "tools.utility",
  // What a command may be. How it is run is the host's.
  "tools.shell.blocked_commands",
  "tools.shell.confirm_patterns",
  "tools.shell.constructs",
  // The proxy asks for these at each connection. All else of their table is built into the walls.
  "tools.sandbox.allow_domains",
  "tools.sandbox.deny_domains",
  // Each call of another agent asks for it.
  "clients",
  "agent.hallucination_detection",
  "agent.reasoning_model_detection",
  // What a fleet's policy says of people. Each call, and each question, asks for it.
  "fleet.approval_secs",
  "fleet.trusted_repos",
  "fleet.quota",
  // Servers come and go like any toolset; those whose entry is as it was are left alone.
  "mcp.servers",
];

export const isLive = (key: string): boolean => LIVE.some((live) => key === live || key.startsWith(`${live}.`));

/** The settings whose value is another one, in the order of the schema. */
export const changedKeys = (before: Config, after: Config): string[] =>
  allSettings().flatMap(({ key, path }) => (isDeepStrictEqual(valueAtPath(before, path), valueAtPath(after, path)) ? [] : [key]));

/** The live settings as they were read last, the others as they were at the start. */
export function mergeLive(first: StartConfig, read: Config): LiveConfig {
  const config = structuredClone(first);
  for (const { key, path } of allSettings()) if (isLive(key)) setAtPath(config, path, structuredClone(valueAtPath(read, path)));
  return asLive(config);
}
