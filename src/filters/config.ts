import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

export const filtersConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(true), "false shows what commands print as it is. Secrets are taken out all the same."),
      filters_path: setting(
        z.string().default(""),
        "A file of filter rules. Empty means `filters.toml` beside your configuration, if it is there.",
      ),
      rules_toml: setting(z.string().default(""), "Filter rules as TOML text, for programs. It is read in place of the file."),
      security: z
        .strictObject({
          enabled: setting(
            z.boolean().default(true),
            "false shows secrets in the output of tools. The audit log is searched for them all the same.",
            "on",
          ),
          extra_patterns: setting(
            z.array(z.string()).default([]),
            "More patterns of secrets, as RE2 expressions. What a pattern matches is redacted; with a group, what the first group matches.",
            "adds",
          ),
        })
        .prefault({}),
    })
    .prefault({}),
);

export type FiltersConfig = z.output<ReturnType<typeof filtersConfig>>;
