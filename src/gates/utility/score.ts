import type { ToolCall } from "../../core/call.ts";

/** What a call's worth is made of; each from 0 to 1. */
export interface Components {
  /** What it is expected to bring. */
  readonly gain: number;
  /** What its answer is expected to take of the context. */
  readonly cost: number;
  /** How much it repeats an earlier call. */
  readonly redundancy: number;
  /** That its tool has hardly been used. */
  readonly exploration: number;
}

export interface Weights {
  readonly gain_weight: number;
  readonly cost_weight: number;
  readonly redundancy_weight: number;
  readonly exploration_weight: number;
}

/** What the conversation knows about calls like this one. */
export interface CallHistory {
  /** How often the tool was called. */
  readonly calls: number;
  /** How many tokens its answers had, on average. */
  readonly meanTokens: number;
  /** This very call was answered, and nothing that could have changed the answer was done since. */
  readonly isAnswered: boolean;
  /** The words of the tool's earlier calls. */
  readonly recent: readonly ReadonlySet<string>[];
}

/** An answer of so many tokens costs 1. */
export const BUDGET_TOKENS = 8000;
const MOST_CALLS = 10;
/** A call that is only like an earlier one repeats at most half of it. */
const ALIKE = 0.5;

/** The score never throws for a parsed call; another scorer may. */
export function componentsOf(call: ToolCall, { calls, meanTokens, isAnswered, recent }: CallHistory): Components {
  return {
    gain: GAIN[kindOf(call)],
    cost: share(meanTokens / BUDGET_TOKENS),
    redundancy: isAnswered ? 1 : ALIKE * likeness(utilityWords(call), recent),
    exploration: share(1 - calls / MOST_CALLS),
  };
}

export type Scorer = (components: Components, weights: Weights) => number;

export const score: Scorer = ({ gain, cost, redundancy, exploration }, weights) =>
  weights.gain_weight * gain -
  weights.cost_weight * cost -
  weights.redundancy_weight * redundancy +
  weights.exploration_weight * exploration;

/** Only what reads is ever scored. */
const GAIN = { memory: 0.8, search: 0.65, file: 0.55, other: 0.5 } as const;

function kindOf({ tool, input, touches }: ToolCall): keyof typeof GAIN {
  if (tool.claims === "memory" || tool.name.startsWith("memory_")) return "memory";
  if (typeof input.query === "string" || typeof input.pattern === "string") return "search";
  return touches.some(({ kind }) => kind === "path") ? "file" : "other";
}

const share = (value: number) => (Number.isNaN(value) ? 1 : Math.min(1, Math.max(0, value)));

/** The share of words two calls have in common, for the one that has most. */
const likeness = (words: ReadonlySet<string>, recent: readonly ReadonlySet<string>[]): number =>
  recent.reduce((most, other) => Math.max(most, overlap(words, other)), 0);

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 || b.size === 0) return 0;
  let common = 0;
  for (const word of a) if (b.has(word)) common++;
  return common / (a.size + b.size - common);
}

const MOST_WORDS = 64;
const MOST_TEXT = 2000;

/** The words of a call's arguments. */
export function utilityWords({ input }: ToolCall): ReadonlySet<string> {
  const text = leavesOf(input).join(" ").slice(0, MOST_TEXT).toLowerCase();
  return new Set((text.match(/[\p{L}\p{N}_]+/gu) ?? []).slice(0, MOST_WORDS));
}

const MOST_LEAVES = 32;

/** The texts and numbers of the arguments, the first of them where there are many. */
export function leavesOf(input: unknown, found: string[] = []): readonly string[] {
  if (found.length >= MOST_LEAVES) return found;
  if (typeof input === "string") found.push(input.slice(0, MOST_TEXT));
  else if (typeof input === "number") found.push(String(input));
  else if (typeof input === "object" && input !== null) for (const value of Object.values(input)) leavesOf(value, found);
  return found;
}
