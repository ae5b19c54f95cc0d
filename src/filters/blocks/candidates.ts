import { type Applied, applyRules } from "../apply-rules.ts";
import type { Subject } from "../command.ts";
import { type Line, lengthOf } from "../line.ts";
import type { Rule } from "../rule.ts";

/** Each costs a reading of the block. */
const MOST_CANDIDATES = 4;

/** What the rules of each of a few commands make of a text: the shortest. The first wins where they are equal. */
export function applyBest(
  lines: readonly Line[],
  { candidates, exitCode }: { readonly candidates: readonly Subject[]; readonly exitCode: number | null },
  rulesFor: (subject: Subject, lines: readonly Line[]) => readonly Rule[],
): Applied {
  const tried = new Set<string>();
  let best: Applied | null = null;
  for (const subject of candidates) {
    const rules = rulesFor(subject, lines);
    const key = rules.map(({ name }) => name).join(" ");
    if (tried.has(key) || tried.size >= MOST_CANDIDATES) continue;
    tried.add(key);
    const applied = applyRules(rules, lines, { exitCode, subject });
    if (best === null || lengthOf(applied.lines) < lengthOf(best.lines)) best = applied;
  }
  return best ?? applyRules([], lines, { exitCode, subject: NOBODY });
}

export const NOBODY: Subject = { forms: [], words: [], verbatim: null };

/** A command that nobody typed, for what is known by its lines alone. */
export const subjectFor = (command: string): Subject => ({ forms: [command], words: command.split(" "), verbatim: null });
