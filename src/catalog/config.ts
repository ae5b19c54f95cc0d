import * as z from "zod";
import { setting } from "../core/setting.ts";
import { makeOnce } from "../text/make-once.ts";

const DEFAULT_THRESHOLD = 0.6;

export const tafcConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(
        z.boolean().default(false),
        "Give complex tools a field in which the model thinks before it fills in the arguments.",
      ),
      complexity_threshold: setting(
        z.preprocess(within0and1, z.number().min(0).max(1)).default(DEFAULT_THRESHOLD),
        "From which complexity on (0 to 1). A number outside is taken to the nearer end; nan and inf are 0.6.",
      ),
    })
    .prefault({}),
);
export type TafcConfig = z.output<ReturnType<typeof tafcConfig>>;

/** The tools that most work needs, in the order a model is shown them. */
const START_TOOLS = [
  "bash",
  "background",
  "read",
  "write",
  "edit",
  "grep",
  "find_path",
  "list_directory",
  "read_overflow",
  "search_tools",
] as const;

export const startToolsSetting = () =>
  setting(
    z
      .array(z.string().min(1))
      .max(1000)
      .default([...START_TOOLS]),
    "Zeph's own tools that a model is shown from the beginning of a conversation, in this order. It is told the names of the others and shown them when it calls them, finds them with `search_tools`, or a skill asks for them. An empty list shows all.",
  );

/** Tools a model needs to know what it knows. */
export const ALWAYS_ON = ["memory_search", "memory_save", "load_skill", "scheduler", "compress_context"] as const;

/** The tools of the configuration, and the one with which a model makes room for itself. */
export const alwaysOnOf = ({ always_on }: { readonly always_on: readonly string[] }): ReadonlySet<string> =>
  new Set([...always_on, "compress_context"]);

export const toolFilterConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(
        z.union([z.boolean(), z.literal("auto")]).default("auto"),
        "Show the model only the tools that fit what was asked. It finds the others with `search_tools`. `auto` does so where there are more than 30 tools, and then chooses from those of servers and programs alone.",
      ),
      top_k: setting(
        z.int().min(0).max(1000).default(10),
        "How many tools are chosen by rank, besides those that are shown anyway; 0 chooses all.",
      ),
      min_description_words: setting(
        z.int().min(0).max(1000).default(3),
        "A tool with a shorter description cannot be ranked and is always shown.",
      ),
      always_on: setting(
        z
          .array(z.string().min(1))
          .max(1000)
          .default([...ALWAYS_ON]),
        "Tools that the filter never leaves out. `compress_context` is one, whether it is listed or not. With `enabled = true` they are shown from the beginning; else those of Zeph's own that are not among `agent.start_tools` are shown once somebody asks for them.",
      ),
      ranking: setting(
        z.enum(["bm25", "embeddings", "both"]).default("bm25"),
        "`bm25` ranks by words; `embeddings` by meaning, with `llm.embedding_provider`; `both` by the two together. Where meaning fails, words decide.",
      ),
    })
    .prefault({}),
);
export type ToolFilterConfig = z.output<ReturnType<typeof toolFilterConfig>>;

const rule = makeOnce(() =>
  z.strictObject({
    requires: z.array(z.string().min(1)).max(100).default([]),
    prefers: z.array(z.string().min(1)).max(100).default([]),
  }),
);

export const dependenciesConfig = makeOnce(() =>
  z
    .strictObject({
      enabled: setting(
        z.boolean().default(false),
        "Hide and refuse a tool until the tools it requires have succeeded in this session.",
        "on",
      ),
      boost_per_dep: setting(
        z.number().min(0).max(1).default(0.15),
        "How much each preferred tool that has succeeded lifts a tool's rank.",
      ),
      max_total_boost: setting(z.number().min(0).max(1).default(0.2), "The most that all of them lift it."),
      rules: setting(
        z.record(z.string(), rule()).default({}),
        "Written as `[tools.dependencies.rules.<tool>]` with `requires` and `prefers`, each a list of tools.",
      ),
    })
    .prefault({}),
);
export type DependenciesConfig = z.output<ReturnType<typeof dependenciesConfig>>;

function within0and1(value: unknown): unknown {
  if (typeof value !== "number") return value;
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : DEFAULT_THRESHOLD;
}
