import { type Applied, applyRules, chainApplied } from "../apply-rules.ts";
import type { Subject } from "../command.ts";
import { type Line, lengthOf } from "../line.ts";
import type { Rule } from "../rule.ts";

/** Each costs a reading of the block. */
const MOST_CANDIDATES = 4;

/**
 * What the rules of a few commands make of a text: first of the one whose rules shorten it most, the earlier where they are equal; then of the others,
 * who may have printed the rest of it.
 */
export function applyBest(
  lines: readonly Line[],
  { candidates, exitCode }: { readonly candidates: readonly Subject[]; readonly exitCode: number | null },
  select: Select,
): Applied {
  const tries = distinct(candidates, lines, select);
  const results = tries.map(({ rules, subject }) => applyRules(rules, lines, { exitCode, subject }));
  const best = results.reduce<number>((found, { lines }, n) => (lengthOf(lines) < lengthOf(results[found]!.lines) ? n : found), 0);
  if (results.length === 0) return applyRules([], lines, { exitCode, subject: NOBODY });
  const used = new Set(tries[best]!.rules);
  return tries.reduce((applied, { rules, subject }, n) => {
    const more = n === best ? [] : rules.filter((rule) => !used.has(rule));
    for (const rule of more) used.add(rule);
    return more.length === 0 ? applied : chainApplied(applied, applyRules(more, applied.lines, { exitCode, subject }));
  }, results[best]!);
}

interface Try {
  readonly subject: Subject;
  readonly rules: readonly Rule[];
}

function distinct(candidates: readonly Subject[], lines: readonly Line[], select: Select): readonly Try[] {
  const tries = new Map<string, Try>();
  for (const subject of candidates) {
    const rules = select(subject, lines);
    const key = rules.map(({ name }) => name).join(" ");
    if (!tries.has(key) && tries.size < MOST_CANDIDATES) tries.set(key, { subject, rules });
  }
  return [...tries.values()];
}

/** The rules for what a command printed. */
export type Select = (subject: Subject, lines: readonly Line[]) => readonly Rule[];

const NOBODY: Subject = { forms: [], words: [], verbatim: null };

/** A command that nobody typed, for what is known by its lines alone. */
export const subjectFor = (command: string): Subject => ({ forms: [command], words: command.split(" "), verbatim: null });
