import { createHash } from "node:crypto";
import { estimateTokenCount } from "tokenx";
import type { ToolCall } from "../../core/call.ts";
import { type Draft, type DraftPart, textOf } from "../../core/draft.ts";
import { type Facets, facetsOf } from "../../core/facets.ts";
import type { Drafted, InnerLayer } from "../../core/layer.ts";
import type { Embedder } from "../../core/ports/embedder.ts";
import type { AnyTool, Effect } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { createBoundedCache } from "../bounded-cache.ts";
import { type CompressionConfig, compressionConfig } from "../config.ts";
import { createRepeatedCalls } from "../repeated-calls.ts";
import { assembleShown, type Compressed, escapeNotes } from "./assemble.ts";
import { alwaysShown, chooseOutline, choosePaths, chooseRelevant, chooseTwoLines, type LineChoice } from "./choose-lines.ts";
import { createVectors, relevance, relevances, termsOf } from "./relevance.ts";
import { cutIntoSections } from "./sections.ts";
import { askedForBy } from "./wanted-contents.ts";

export interface CompressParts {
  readonly config: CompressionConfig;
  readonly nonce: string;
  /** What the turn works towards, in words; null when it has no goal. */
  readonly goalOf: (turn: TurnContext) => string | null;
  /** Where the `raw#n` of this turn are counted, together with the filter's. */
  readonly handlesOf: (turn: TurnContext) => Promise<{ last: number }>;
  readonly embedder?: () => Promise<Embedder | null>;
}

export interface CompressLayer {
  readonly layer: InnerLayer;
  stats(): CompressionCounts;
}

/** What shortening towards the goal did. */
export interface CompressionCounts {
  /** Outputs that were shortened. */
  readonly outputs: number;
  readonly rawChars: number;
  readonly chars: number;
}

/** What a tool says about what it did is never shortened, nor what was asked for piece by piece. */
const EFFECTS: readonly Effect[] = ["reads", "runs", "fetches", "unknown"];
const UNSHORTENED: readonly Facets["shape"][] = ["whole", "pieces"];
/** A text longer than this is for the overflow; looking at every word of it would take too long. */
const LARGEST = 2_000_000;
/** From so many characters on a moderate strategy shortens; so many of the beginning stay. */
const beginningOf = (shape: Facets["shape"]) => (shape === "file" ? 500 : 1_000);
/** How it ended stands at the end of what a command or a page says; a file is only over. */
const endOf = (shape: Facets["shape"]) => (shape === "text" ? 500 : 0);

/**
 * Shortens what tools return while a goal is active. It lies between the filter, whose text is clean and redacted, and the overflow, which keeps the
 * whole text under the same `raw#n` as what the filter left out. What failed is left alone, and no text becomes longer.
 */
export function createCompressLayer({ config, nonce, goalOf, handlesOf, embedder }: CompressParts): CompressLayer {
  const strategies = new Map(Object.entries({ ...DEFAULTS, ...config.strategies }));
  const vectors = embedder ? createVectors(embedder) : null;
  const before = createRepeatedCalls();
  const memo = createBoundedCache<Compressed>();
  const count = { outputs: 0, rawChars: 0, chars: 0 };

  const choose = async (lines: readonly string[], { tool, wish }: Wanted, goal: string, signal: AbortSignal) => {
    const { goal_relevance_threshold: threshold, max_preserved_chars: most } = config;
    const strategy = strategies.get(tool.name);
    const { shape } = facetsOf(tool);
    const always = alwaysShown(lines, config.preserve_errors ? "keep" : "count");
    const reading = { lines, terms: termsOf(goal), always };
    let choice: LineChoice | null = null;
    if (config.goal_aware || wish === "contents") {
      const cut = cutIntoSections(lines);
      const texts = cut.sections.map(({ from, to, label = "" }) => `${label}\n${lines.slice(from, to).join("\n")}`);
      const scores = await relevances(texts, goal, config.goal_aware ? vectors : null, signal);
      const outline = strategy === "moderate" ? "outline" : "none";
      choice = chooseRelevant(reading, { cut, scores, threshold, outline, most: wish === "contents" ? Number.POSITIVE_INFINITY : most });
    }
    if (shape === "paths")
      choice = choosePaths(reading, choice, { first: strategy === "aggressive" ? "few" : beginningOf(shape), threshold });
    if (!choice && strategy === "aggressive") choice = chooseTwoLines(reading);
    choice ??= chooseOutline(reading, { beginning: beginningOf(shape), end: endOf(shape), most, threshold });
    return assembleShown(lines, choice, always);
  };

  const compressed = async (draft: Draft, wanted: Wanted, goal: string, ctx: { turn: TurnContext; signal: AbortSignal }) => {
    const { shown, omitted, lists } = sorted(draft.parts);
    const text = escapeNotes(textOf(shown));
    const key = createHash("sha256")
      .update(JSON.stringify([goal, wanted.tool.name, wanted.wish, text]))
      .digest("base64");
    const known = memo.get(key);
    const made = known ?? (await choose(text.split("\n"), wanted, goal, ctx.signal));
    if (!known) memo.put(key, made, 2 * made.lines.reduce((sum, line) => sum + line.length + 8, 0));
    if (made.left.lines === 0) return null;
    const handles = omitted ? null : await handlesOf(ctx.turn);
    const before = textOf(omitted ? [...shown, omitted] : shown);
    const mark = omitted ?? { ...NOTHING, handle: handles!.last + 1, nonce, whole: before };
    const parts: DraftPart[] = [
      { kind: "text", text: made.lines.join("\n") },
      // One mark counts what the filter and the goal left out.
      { ...mark, lines: mark.lines + made.left.lines, errors: (mark.errors ?? 0) + made.left.errors },
    ];
    const after = textOf(parts).length;
    if (after >= before.length) return null;
    if (handles) handles.last = mark.handle;
    count.outputs++;
    count.rawChars += before.length;
    count.chars += after;
    return { ...draft, parts: [...parts, ...lists] };
  };

  return {
    stats: () => ({ ...count }),
    layer: async ({ call }, ctx, next) => {
      const isRepeated = before.seen(call, ctx.turn.turnId);
      const outcome = await next();
      if (!config.enabled || ctx.turn.goalId === undefined || isRepeated || !isOpenTo(outcome, call)) return outcome;
      const goal = goalOf(ctx.turn)?.trim();
      if (!goal) return outcome;
      const asked = askedForBy(call);
      // A call that names its lines wants exactly these lines, and a file that is named by the goal is all about it.
      if (asked && (asked.lines === "chosen" || asked.names.some((name) => isAbout(name, goal)))) return outcome;
      const output = await compressed(outcome.output, { tool: call.tool, wish: asked ? "contents" : "work" }, goal, ctx);
      return output ? { ...outcome, output } : outcome;
    },
  };

  function isAbout(name: string, goal: string): boolean {
    return relevance(name, termsOf(goal)) >= config.goal_relevance_threshold;
  }

  function isOpenTo(outcome: Drafted, { tool }: ToolCall): outcome is Extract<Drafted, { ok: true }> {
    if (!outcome.ok || UNSHORTENED.includes(facetsOf(tool).shape) || !EFFECTS.includes(tool.effect)) return false;
    const strategy = strategies.get(tool.name);
    if (strategy === undefined || strategy === "off") return false;
    const { parts, exitCode = 0 } = outcome.output;
    if (exitCode !== 0 && config.preserve_shell_errors) return false;
    const text = textOf(parts.filter(({ kind }) => kind !== "list"));
    if (text.length > LARGEST || text.length <= config.compression_threshold_tokens) return false;
    if (strategy === "moderate" && text.length <= beginningOf(facetsOf(tool).shape)) return false;
    return estimateTokenCount(text) > config.compression_threshold_tokens;
  }
}

const DEFAULTS = compressionConfig().parse({}).strategies;

interface Wanted {
  readonly tool: AnyTool;
  /** Contents that were asked for stay whole where they are about the goal, whatever the settings say. */
  readonly wish: "contents" | "work";
}

type Mark = Extract<DraftPart, { kind: "omitted" }>;
const NOTHING = { kind: "omitted", lines: 0, errors: 0 } as const;

/** What there is to choose from, what the filter left out before, and what is not part of the text at all. */
function sorted(parts: readonly DraftPart[]) {
  const isMark = (part: DraftPart): part is Mark => part.kind === "omitted";
  return {
    shown: parts.filter(({ kind }) => kind !== "omitted" && kind !== "list"),
    omitted: parts.find(isMark),
    lists: parts.filter(({ kind }) => kind === "list"),
  };
}
