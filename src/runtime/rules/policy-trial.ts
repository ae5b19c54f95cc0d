import type { Loaded } from "../../config/load.ts";
import type { SettingOrigin } from "../../config/origin.ts";
import { ConfigError, placeText } from "../../config/problem.ts";
import { configSchema } from "../../config/schema.ts";
import type { AuditFile } from "../../store/audit/audit-file.ts";
import { openRuntime } from "../create.ts";
import { type FileSettings, openDesk } from "../settings/stores.ts";
import type { Tested } from "./rulebook-test.ts";

export type TrialSettings = Pick<FileSettings, "config" | "set">;

/** Like `Tested`; who said what happens to a call that no rule matches is always known. */
export interface Tried extends Tested {
  readonly from: string;
}

/**
 * Runs the examples of a file in a runtime that has all tools and none of the person's own rules, so that a broken one is no hindrance.
 * Only the default is theirs: a file of rules says nothing of it.
 */
export async function tryRules(file: string, cwd: string, settings: TrialSettings = {}): Promise<Tried> {
  const { effect, from, remarks } = await defaultInForce(cwd, settings);
  const { zeph, examples } = await openRuntime({
    servers: "later",
    cwd,
    config: { tools: { policy: { default_effect: effect } } },
    store: "memory",
    log: unwritten,
  });
  try {
    const tested = await examples(file);
    return tested.from === null ? { ...tested, from, warnings: [...tested.warnings, ...remarks] } : { ...tested, from: tested.from };
  } finally {
    await zeph.close();
  }
}

interface InForce {
  readonly effect: Tested["default"];
  readonly from: string;
  readonly remarks: readonly string[];
}

async function defaultInForce(cwd: string, settings: TrialSettings): Promise<InForce> {
  try {
    const { config, origins } = await load(cwd, settings);
    return { effect: config.tools.policy.default_effect, from: said(origins.get(KEY)), remarks: [] };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const effect = configSchema().parse({}).tools.policy.default_effect;
    return {
      effect,
      from: "built in",
      remarks: [`Your configuration cannot be read, so ${KEY} = "${effect}" is assumed. ${error.message}`],
    };
  }
}

const KEY = "tools.policy.default_effect";

/** What the person vouched for is only asked where there is a project: nothing is opened that need not be. */
async function load(cwd: string, settings: TrialSettings): Promise<Loaded> {
  const first = openDesk(cwd, { ...settings, store: "memory" });
  await first.close();
  if (first.loaded.project === null) return first.loaded;
  const desk = openDesk(cwd, settings);
  await desk.close();
  return desk.loaded;
}

function said(origin: SettingOrigin | undefined): string {
  if (!origin || origin.layer === "built-in") return "built in";
  return origin.file === undefined ? (origin.name ?? origin.layer) : placeText(origin);
}

/** A log that is not written: only what happens belongs into one. */
export const unwritten = (path: string): AuditFile => ({ path, append() {}, async record() {}, close() {} });
