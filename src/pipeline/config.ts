import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

/** Retention and the cap cannot be set by a stranger: what is kept belongs to every project, and for the cap 0 is the largest. */
export const overflowConfig = makeOnce(() =>
  z
    .strictObject({
      threshold: setting(
        z.int().min(1).max(100_000_000).default(50_000),
        "A result with more characters than this is kept in the store; the model gets its beginning, its end and an id for `read_overflow`.",
        "smaller",
      ),
      retention_days: setting(z.number().min(0).max(3650).default(7), "What was kept is deleted at the first start after so many days."),
      max_overflow_bytes: setting(
        z.int().min(0).max(1_000_000_000).default(10_485_760),
        "Of a result larger than this only the beginning and the end are kept. 0 means no limit.",
      ),
    })
    .prefault({}),
);
export type OverflowConfig = z.output<ReturnType<typeof overflowConfig>>;

export const cacheConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(z.boolean().default(true), "Answer a repeated read or search from memory while nothing it read has changed.", "off"),
      ttl_secs: setting(
        z.number().min(0).max(31_536_000).default(300),
        "An answer older than this is not given again. 0 means never too old.",
      ),
    })
    .prefault({}),
);
export type CacheConfig = z.output<ReturnType<typeof cacheConfig>>;

const strategy = makeOnce(() => z.enum(["aggressive", "moderate", "off"]));

export const compressionConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(
        z.boolean().default(true),
        "Shorten what tools return while a goal is active. Without a goal nothing is shortened here.",
      ),
      goal_aware: setting(
        z.boolean().default(true),
        "Look at what each section of an output has to do with the goal, and leave out what has nothing to do with it.",
      ),
      compression_threshold_tokens: setting(z.int().min(0).max(1_000_000).default(300), "Outputs up to this long are left as they are."),
      preserve_shell_errors: setting(z.boolean().default(true), "Never shorten the output of a command that failed."),
      preserve_errors: setting(z.boolean().default(true), "Never leave out a line that tells of an error."),
      goal_relevance_threshold: setting(
        z.number().min(0).max(1).default(0.5),
        "Sections at least this relevant to the goal stay whole (0 to 1).",
      ),
      max_preserved_chars: setting(
        z.int().min(0).max(10_000_000).default(4096),
        "Most characters of relevant sections that are shown; the rest is kept for read_overflow. Lines that tell of errors are always shown.",
      ),
      strategies: setting(
        z.record(z.string(), strategy()).default({ bash: "moderate", find_path: "moderate", read: "moderate", web_scrape: "moderate" }),
        "How a tool's output is shortened: `aggressive` leaves two or three lines, `moderate` shortens only long ones, `off` leaves everything. A tool that is not named: `off`.",
      ),
    })
    .prefault({}),
);
export type CompressionConfig = z.output<ReturnType<typeof compressionConfig>>;

export const summarizeConfig = makeOnce(() =>
  setting(
    z.boolean().default(false),
    "Let a model summarise an output that is too long to show, in place of its beginning and end. When that fails, beginning and end are shown.",
  ),
);

export const fourEyesConfig = makeOnce(() =>
  setting(
    z.boolean().default(false),
    "A yes counts only if it names a person, and another one than the caller. A no counts from anybody.",
    "on",
  ),
);
