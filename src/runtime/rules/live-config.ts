import { isDeepStrictEqual } from "node:util";
import { isAmong, RULE_SETTINGS } from "../../config/rule-settings.ts";
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
 * What counts as soon as it is read again: rules, and what is of one machine alone. Everything else was built into something that has state of its own
 * (walls, files, models, hooks, the store), which is not rebuilt under a running call.
 */
const LIVE: readonly string[] = [
  ...RULE_SETTINGS,
  // Each call of another agent asks for it.
  "clients",
  // Servers come and go like any toolset; those whose entry is as it was are left alone.
  "mcp.servers",
];

export const isLive = (key: string): boolean => isAmong(LIVE, key);

/** The settings whose value is another one, in the order of the schema. */
export const changedKeys = (before: Config, after: Config): string[] =>
  allSettings().flatMap(({ key, path }) => (isDeepStrictEqual(valueAtPath(before, path), valueAtPath(after, path)) ? [] : [key]));

/** The live settings as they were read last, the others as they were at the start. */
export function mergeLive(first: StartConfig, read: Config): LiveConfig {
  const config = structuredClone(first);
  for (const { key, path } of allSettings()) if (isLive(key)) setAtPath(config, path, structuredClone(valueAtPath(read, path)));
  return asLive(config);
}
