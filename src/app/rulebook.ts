import type { Config } from "../config/schema.ts";
import type { AdversarialConfig } from "../gates/adversarial.ts";
import type { PolicyRules } from "../gates/policy.ts";

/** All that gates are built from: the configuration, and the files it names. */
export interface Rulebook extends PolicyRules {
  readonly config: Config;
  readonly adversarial: AdversarialConfig;
  /** The files the rules were read from besides the configuration's own. */
  readonly files: readonly string[];
}

/** Reads what the configuration names. Throws a ConfigError that lists everything wrong, with its place. */
export function readRulebook(config: Config): Rulebook {
  const { policy, authorization, adversarial_policy } = config.tools;
  return { config, policy, authorization, adversarial: adversarial_policy, files: [] };
}
