import { addMarkedEntries, type MarkedBlock, markedBlocks, type Origin } from "../../config/edit/marked.ts";
import type { RuleAction } from "../rules/client-rule.ts";
import type { Piece } from "./piece.ts";

type RulePiece = Extract<Piece, { kind: "rule" }>;
type Rule = Pick<RulePiece, "pattern" | "action">;

const CLASS: Readonly<Record<RuleAction, number>> = { deny: 0, ask: 1, allow: 2 };
/** A question about everything that is left stands behind all others: that is what Zeph does anyhow where there are rules. */
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
    let now: string | null = text;
    for (const rank of [0, 1, 2, LAST]) {
      const mine = pieces.filter((piece, n) => rankOf(piece, n === pieces.length - 1) === rank);
      if (now !== null) now = insert(now, mine, rank);
    }
    return now;
  }

  /** Before the first block of weaker rules. */
  function insert(now: string, rules: readonly RulePiece[], rank: number): string | null {
    const weaker = blocksOf(now).find((block) => rankOfBlock(block) > rank);
    return addAll(now, rules, weaker?.start ?? null);
  }

  function addAll(now: string, rules: readonly RulePiece[], before: number | null): string | null {
    if (rules.length === 0) return now;
    const entries = rules.map(({ pattern, action }) => ({ pattern, action }));
    return addMarkedEntries(now, path, entries, origin, before);
  }
}

const rankOf = ({ pattern, action }: Rule, isLast: boolean): number =>
  isLast && pattern === "*" && action === "ask" ? LAST : CLASS[action];

const rankOfBlock = ({ entries }: MarkedBlock): number => {
  const rules = entries as readonly Rule[];
  return Math.min(...rules.map((rule, n) => rankOf(rule, n === rules.length - 1 && rules.length === 1)));
};

const isSorted = (rules: readonly Rule[]): boolean => {
  const ranks = rules.map((rule, n) => rankOf(rule, n === rules.length - 1));
  return ranks.every((rank, n) => n === 0 || ranks[n - 1]! <= rank);
};

const leadingDenials = (pieces: readonly RulePiece[]): readonly RulePiece[] => {
  const end = pieces.findIndex(({ action }) => action !== "deny");
  return end < 0 ? pieces : pieces.slice(0, end);
};
