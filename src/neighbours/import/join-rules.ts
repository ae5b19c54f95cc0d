import { addMarkedEntries, markedBlocks, type Origin } from "../../config/edit/marked.ts";
import type { RuleAction } from "../rules/client-rule.ts";
import type { Piece } from "./piece.ts";

type RulePiece = Extract<Piece, { kind: "rule" }>;
type Rule = Pick<RulePiece, "pattern" | "action">;

const CLASS: Readonly<Record<RuleAction, number>> = { deny: 0, ask: 1, allow: 2 };
/** A question about everything that is left, behind what is allowed: that is what Zeph does anyhow where there are rules. */
const LAST = 3;

/**
 * Puts the rules of a file for one tool among those of other files. The first rule that fits decides, so those that deny come before those that
 * ask, and these before those that allow. A list with an order of its own cannot be joined with another without allowing what one of them does
 * not: then only what it denies at once is taken. Returns the text, and what was left out.
 */
export function joinRules(
  text: string,
  tool: string,
  pieces: readonly RulePiece[],
  origin: Origin,
): { text: string | null; left: readonly RulePiece[] } {
  const path = ["tools", "permissions", tool];
  const blocksOf = (now: string) => markedBlocks(now).filter((block) => block.path.join("\n") === path.join("\n"));
  const others = blocksOf(text).flatMap(({ entries }) => entries as Rule[]);
  const isFree = isSorted(pieces) && isSorted(others);
  const isAlone = others.every(({ action }) => action === "deny");
  const denials = leadingDenials(pieces);
  if (!isFree && !isAlone) return { text: insert(text, denials, 0), left: pieces.slice(denials.length) };
  if (isSorted(pieces)) return { text: sortIn(), left: [] };
  const first = insert(text, denials, 0);
  return { text: first === null ? null : addAll(first, pieces.slice(denials.length), null), left: [] };

  function sortIn(): string | null {
    const ranks = ranksOf(pieces);
    let now: string | null = text;
    for (const rank of [0, 1, 2, LAST]) {
      const mine = pieces.filter((_, n) => ranks[n] === rank);
      if (now !== null) now = insert(now, mine, rank);
    }
    return now;
  }

  /** Before the first block of weaker rules. */
  function insert(now: string, rules: readonly RulePiece[], rank: number): string | null {
    const blocks = blocksOf(now);
    const ranks = ranksOf(blocks.flatMap(({ entries }) => entries as Rule[]));
    const from = blocks.map((_, n) => blocks.slice(0, n).reduce((sum, { entries }) => sum + entries.length, 0));
    const weaker = blocks.find(({ entries }, n) => Math.min(...ranks.slice(from[n], from[n]! + entries.length)) > rank);
    return addAll(now, rules, weaker?.start ?? null);
  }

  function addAll(now: string, rules: readonly RulePiece[], before: number | null): string | null {
    if (rules.length === 0) return now;
    const entries = rules.map(({ pattern, action }) => ({ pattern, action }));
    return addMarkedEntries(now, path, entries, origin, before);
  }
}

const isRest = ({ pattern, action }: Rule): boolean => pattern === "*" && action === "ask";

/** The class of each rule, in order. */
function ranksOf(rules: readonly Rule[]): readonly number[] {
  const ranks = rules.map(({ action }) => CLASS[action]);
  const last = rules.at(-1);
  return last && isRest(last) && ranks.includes(CLASS.allow) ? [...ranks.slice(0, -1), LAST] : ranks;
}

const isSorted = (rules: readonly Rule[]): boolean => ranksOf(rules).every((rank, n, all) => n === 0 || all[n - 1]! <= rank);

const leadingDenials = (pieces: readonly RulePiece[]): readonly RulePiece[] => {
  const end = pieces.findIndex(({ action }) => action !== "deny");
  return end < 0 ? pieces : pieces.slice(0, end);
};
