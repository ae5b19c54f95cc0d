import { randomInt } from "node:crypto";
import { type RuleFile, readRuleFile } from "../../config/rule-file.ts";
import { omission } from "../../core/marker.ts";
import type { Kept, Owner } from "../../core/ports/printed/overflow.ts";
import type { SavedSum } from "../../core/ports/printed/savings.ts";
import type { Store } from "../../core/ports/store.ts";
import type { RuleStep } from "../../filters/apply-rules.ts";
import { type Subject, speakersOf } from "../../filters/command.ts";
import type { FiltersConfig } from "../../filters/config.ts";
import type { PrintedOutput } from "../../filters/filter.ts";
import { createOutputFilter, type OutputFilter, type Shortening } from "../../filters/output.ts";
import { type ListedRule, listedRules } from "../rules/listed-rules.ts";
import { openStores, type Settings } from "../settings/stores.ts";
import { dayOf } from "./savings.ts";

export type { ListedRule };

/** What was made of an output, and why. */
export interface DeskOutput extends Omit<Shortening, "secrets" | "steps" | "body" | "mark" | "warning"> {
  /** The values stay here. */
  readonly secrets: readonly { readonly family: string }[];
  /** With the form of the command by which each rule knew it. */
  readonly steps: readonly (RuleStep & { readonly form: string | null })[];
  /** The command in the forms a rule may know it by; null when several printed, or it is not clear who did. */
  readonly forms: readonly string[] | null;
  /** The commands that print, each in its shortest form. */
  readonly speakers: readonly string[];
  readonly verbatim: Subject["verbatim"];
  /** Under which name the whole text is kept; null when nothing was left out, or nothing is kept. */
  readonly kept: string | null;
  readonly warnings: readonly string[];
}

/** The filter alone, as `zeph filter` uses it: no tools, no gates. */
export interface FilterDesk {
  /** About the configuration and the person's rules. */
  readonly warnings: readonly string[];
  /** When something is left out, the whole text is kept, without its secrets, and the mark says where. */
  filter(printed: PrintedOutput): Promise<DeskOutput>;
  /** By id or `raw#n`; without one the newest. */
  find(id?: string): Promise<Kept | null>;
  /** Those in force, in the order in which they apply. */
  rules(): readonly ListedRule[];
  /** A rule file tried out in place of the person's own. Nothing is kept. */
  trial(file: RuleFile): Trial;
  /** What filters saved on the last days, today among them. */
  savings(days: number): Promise<readonly SavedSum[]>;
  close(): Promise<void>;
}

export interface Trial {
  readonly warnings: readonly string[];
  readonly rules: readonly ListedRule[];
  filter(printed: PrintedOutput): DeskOutput;
}

export function openFilterDesk(cwd: string, settings: Settings = {}): FilterDesk {
  const { config, warnings, userFile, store, at } = openStores(settings, cwd);
  const filters = config.tools.filters;
  const own = readRuleFile(filters.filters_path, { userFile, home: at.home });
  const filter = createOutputFilter(filters, own.file);
  return {
    warnings: [...warnings, ...own.warnings, ...filter.warnings],
    filter: (printed) => shortenAndKeep(printed, filter, store),
    find: async (id) =>
      id === undefined ? store.overflow.newest() : ((await store.overflow.get(OWNER, id)) ?? (await store.overflow.find(id))),
    rules: () => listedRules(filter.rules(), ownText(filters, own.file)),
    trial: (file) => trial(file, filters),
    savings: (days) => store.savings.list({ since: dayOf(daysAgo(days - 1)) }),
    close: store.close,
  };
}

/** Not by hours: a day may have 23 or 25 of them. */
function daysAgo(days: number): Date {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return day;
}

const ownText = ({ rules_toml }: FiltersConfig, file: RuleFile | null): RuleFile | null =>
  rules_toml === "" ? file : { name: "rules_toml", text: rules_toml };

function trial(file: RuleFile, config: FiltersConfig): Trial {
  const filter = createOutputFilter({ ...config, enabled: true, rules_toml: "" }, file);
  return {
    warnings: filter.warnings,
    rules: listedRules(filter.rules(), file),
    filter: (printed) => described(printed, filter, filter.shorten(printed), null),
  };
}

/** Of all runs at the command line. */
export const OWNER: Owner = { session: "zeph filter" };

/** Shortens an output by its rules. The whole text is kept where something is left out. */
export async function shortenAndKeep(
  printed: PrintedOutput,
  filter: OutputFilter,
  { overflow }: Store,
  owner: Owner = OWNER,
): Promise<DeskOutput> {
  // Not counted: other runs and other sessions number theirs at the same time.
  const handle = randomInt(100_000, 1_000_000);
  const made = filter.shorten(printed, (left) => omission({ ...left, handle }));
  if (made.left === null) return described(printed, filter, made, null);
  try {
    const text = made.secrets.length > 0 ? filter.secrets.redact(printed.raw, made.secrets) : printed.raw;
    await overflow.put({ owner, text, handle });
    return described(printed, filter, made, `raw#${handle}`);
  } catch (error) {
    // The output matters more than its copy; only the mark must not promise one.
    const unkept = described(printed, filter, filter.shorten(printed), null);
    return { ...unkept, warnings: [...unkept.warnings, `The whole text could not be kept: ${(error as Error).message}`] };
  }
}

function described(printed: PrintedOutput, filter: OutputFilter, made: Shortening, kept: string | null): DeskOutput {
  const speakers = speakersOf(printed.command);
  const subject = speakers.length === 1 ? speakers[0] : undefined;
  const formOf = ({ rule: name, command }: RuleStep): string | null => {
    const rule = filter.rules().find((one) => one.name === name);
    return subject?.forms.find((form) => rule?.matches({ ...subject, forms: [form] })) ?? (command === "" ? null : command);
  };
  const { body: _body, mark: _mark, warning: _warning, ...rest } = made;
  return {
    ...rest,
    secrets: made.secrets.map(({ family }) => ({ family })),
    steps: made.steps.map((step) => ({ ...step, form: formOf(step) })),
    forms: subject?.forms ?? null,
    speakers: speakers.map(({ forms }) => forms.at(-1)!),
    verbatim: subject?.verbatim ?? null,
    kept,
    warnings: [],
  };
}
