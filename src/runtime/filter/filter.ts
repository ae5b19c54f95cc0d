import { readRuleFile } from "../../config/rule-file.ts";
import type { FiltersConfig } from "../../filters/config.ts";
import type { OutputFilter } from "../../filters/output.ts";
import { createSecretFinder, redactText, type SecretFinder } from "../../filters/secrets/secrets.ts";
import type { FilterSettings } from "../../pipeline/clean-long.ts";

export interface OpenFilter {
  readonly secrets: SecretFinder;
  /** A text without secrets. */
  readonly redact: (text: string) => string;
  readonly warnings: readonly string[];
  /** A key of our own that must never be shown. */
  hide(value: string): void;
  load(): Promise<OutputFilter>;
  /** As they are now, for a thread. */
  settings(): FilterSettings;
}

/** A shorter one is a word that may stand anywhere. */
const SHORTEST_KEY = 8;

/** The rules are read when a command has printed something; a person's own at once, so that what is wrong with them is told at the start. */
export async function openFilter(
  config: FiltersConfig,
  where: { readonly userFile: string | null; readonly home: string },
): Promise<OpenFilter> {
  const { file, warnings } = readRuleFile(config.filters_path, where);
  const extra = config.security.extra_patterns;
  const own = new Set<string>();
  const known = createSecretFinder(
    extra.length > 0 ? (await import("../../filters/secrets/custom-patterns.ts")).compileSecretPatterns(extra) : undefined,
    own,
  );
  let loaded: Promise<OutputFilter> | undefined;
  const load = () => {
    loaded ??= import("../../filters/output.ts").then(({ createOutputFilter }) => createOutputFilter(config, file, known));
    return loaded;
  };
  const isTheirs = file !== null || config.rules_toml !== "";
  return {
    secrets: known.secrets,
    redact: (text) => redactText(text, known.secrets),
    warnings: [...warnings, ...(isTheirs ? (await load()).warnings : known.warnings)],
    hide: (value) => void (value.length >= SHORTEST_KEY && own.add(value)),
    load,
    settings: () => ({ config, file, own: [...own] }),
  };
}
