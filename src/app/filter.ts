import { readRuleFile } from "../config/filters.ts";
import type { FiltersConfig } from "../filters/config.ts";
import type { OutputFilter } from "../filters/output.ts";
import { type Secrets, secrets } from "../filters/secrets/secrets.ts";

export interface OpenFilter {
  readonly secrets: Secrets;
  readonly warnings: readonly string[];
  load(): Promise<OutputFilter>;
}

/** The rules are read when a command has printed something; a person's own at once, so that what is wrong with them is told at the start. */
export async function openFilter(
  config: FiltersConfig,
  where: { readonly userFile: string | null; readonly home: string },
): Promise<OpenFilter> {
  const { file, warnings } = readRuleFile(config.filters_path, where);
  const extra = config.security.extra_patterns;
  const known = secrets(extra.length > 0 ? (await import("../filters/secrets/custom.ts")).customPatterns(extra) : undefined);
  let loaded: Promise<OutputFilter> | undefined;
  const load = () => {
    loaded ??= import("../filters/output.ts").then(({ outputFilter }) => outputFilter(config, file, known));
    return loaded;
  };
  const own = file !== null || config.rules_toml !== "";
  return { secrets: known.secrets, warnings: [...warnings, ...(own ? (await load()).warnings : known.warnings)], load };
}
