import type { ConfigInput } from "../core/inputs/config-input.ts";
import { escapeLines, escapeMarkers } from "../core/marker.ts";
import { type FiltersConfig, filtersConfig } from "./config.ts";
import { type FilterResult, filterText, joinTexts, type Mark, type PrintedOutput, unfiltered } from "./filter.ts";
import { builtInRules, type RuleSet, rulesWith } from "./rules.ts";
import { compileSecretPatterns } from "./secrets/custom-patterns.ts";
import { createSecretFinder, type Secret, type SecretFinder, warningLine } from "./secrets/secrets.ts";

/** A command and what it printed. */
export interface FilterRequest {
  readonly command: string;
  readonly raw: string;
  readonly exitCode: number;
  /** The table `[tools.filters]`; rules may be given as TOML text in `rules_toml`. */
  readonly filters?: NonNullable<ConfigInput["tools"]>["filters"];
}

/** What is left of an output, and what was done to it. */
export interface FilteredOutput extends Omit<FilterResult, "left" | "body" | "mark"> {
  readonly rawChars: number;
  readonly chars: number;
  readonly secrets: readonly Pick<Secret, "family">[];
  readonly warnings: readonly string[];
}

/** What a model would read of what a command printed. For programs; a runtime does this to every command by itself. */
export function filterOutput({ command, raw, exitCode, filters = {} }: FilterRequest): FilteredOutput {
  const filter = createOutputFilter(filtersConfig().parse(filters), null);
  const { left: _left, body: _body, mark: _mark, warning: _warning, ...result } = filter.shorten({ command, raw, exitCode });
  return { ...result, secrets: result.secrets.map(({ family }) => ({ family })), warnings: filter.warnings };
}

/** `text` is the body, the mark and the warning together. Secrets are in none of them. */
export interface Shortening extends FilterResult {
  readonly rawChars: number;
  readonly chars: number;
  readonly secrets: readonly Secret[];
  /** Says that secrets were taken out; null when there were none. */
  readonly warning: string | null;
}

export interface OutputFilter {
  /** Filters and redacts what a command printed. */
  shorten(printed: PrintedOutput, mark?: Mark): Shortening;
  /** Takes the secrets out of any text. */
  readonly secrets: SecretFinder;
  readonly warnings: readonly string[];
  rules(): RuleSet["rules"];
}

/** `file` is the person's own rule file, already read. */
export function createOutputFilter(
  config: FiltersConfig,
  file: { readonly name: string; readonly text: string } | null,
  { secrets: known, warnings } = createSecretFinder(compileSecretPatterns(config.security.extra_patterns)),
): OutputFilter {
  const own = config.rules_toml === "" ? file : { name: "rules_toml", text: config.rules_toml };
  const given = own ? rulesWith(own.name, own.text) : null;
  const rules = () => (config.enabled ? (given?.rules ?? builtInRules()) : []);
  return {
    warnings: [...(given?.warnings ?? []), ...warnings],
    secrets: known,
    rules,
    shorten(printed, mark) {
      const found = config.security.enabled ? known.find(printed.raw) : [];
      const safe = { ...printed, raw: escapeMarkers(printed.raw) };
      const result = config.enabled ? filterText(safe, rules(), mark) : unfiltered(safe.raw);
      const warning = found.length === 0 ? null : warningLine(found);
      const redacted = found.length === 0 ? result.body : known.redact(result.body, found);
      // Again: a prefix or a colour that is gone may have kept a line from looking like a note of ours.
      const shown = escapeLines(redacted);
      const body = found.length > 0 && result.left === null ? shown.trimEnd() : shown;
      const text = body === result.body && warning === null ? result.text : joinTexts(body, result.mark, warning);
      return { ...result, text, body, warning, rawChars: printed.raw.length, chars: text.length, secrets: found };
    },
  };
}
