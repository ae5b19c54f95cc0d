import type { Trajectory } from "../../core/ports/store.ts";
import {
  ALIKE,
  createSequenceQuery,
  LONGEST,
  type SequenceGroup,
  type SequenceSteps,
  type StoredStep,
  type StoredWord,
  similarity,
  WEIGHTS,
} from "./sequence-query.ts";

const MOST = 5_000;

export interface Alike {
  readonly trajectory: Trajectory;
  readonly score: number;
}

/** What ended badly, found by the words of its last call. */
export interface Likeness {
  add(trajectory: Trajectory): void;
  remove(callId: string): void;
  /** A call ended well: errors that ended with the very same call are taken back. */
  takeBack(last: readonly string[]): void;
  closest(steps: SequenceSteps): Alike | null;
  /** Sequences that ended with a call of this tool. */
  of(tool: string): readonly Trajectory[];
}

export function createLikeness(): Likeness {
  const words = new Map<string, StoredWord>();
  const steps = new Map<string, StoredStep>();
  const groups = new Map<StoredStep, SequenceGroup>();
  const byCall = new Map<string, SequenceGroup>();
  const byTool = new Map<string, Set<SequenceGroup>>();
  let query = 0;

  const wordOf = (text: string): StoredWord => {
    const word = words.get(text) ?? { text, uses: 0, groups: new Set(), query: 0, held: 0 };
    if (word.uses++ === 0) words.set(text, word);
    return word;
  };
  const stepOf = (texts: readonly string[]): StoredStep => {
    const key = keyOf(texts);
    const known = steps.get(key);
    const step = known ?? { key, words: [...new Set(texts)].map(wordOf), uses: 0, query: 0, scores: WEIGHTS.map(() => -1) };
    step.uses += 1;
    steps.set(key, step);
    return step;
  };
  const release = (step: StoredStep): void => {
    step.uses -= 1;
    if (step.uses > 0) return;
    steps.delete(step.key);
    for (const word of step.words) {
      word.uses -= 1;
      if (word.uses === 0) words.delete(word.text);
    }
  };
  const groupOf = (last: StoredStep, tool: string): SequenceGroup => {
    const known = groups.get(last);
    if (known) return known;
    const group: SequenceGroup = { tool, last, entries: new Map(), query: 0 };
    groups.set(last, group);
    byTool.set(tool, (byTool.get(tool) ?? new Set()).add(group));
    for (const word of last.words) word.groups.add(group);
    return group;
  };
  const remove = (callId: string): void => {
    const group = byCall.get(callId);
    const entry = group?.entries.get(callId);
    if (!group || !entry) return;
    byCall.delete(callId);
    group.entries.delete(callId);
    if (group.entries.size === 0) {
      groups.delete(group.last);
      byTool.get(group.tool)?.delete(group);
      for (const word of group.last.words) word.groups.delete(group);
    }
    entry.steps.forEach(release);
  };

  return {
    add(trajectory) {
      const tool = trajectory.steps.at(-1)?.[0];
      remove(trajectory.callId);
      if (tool === undefined || !counts(trajectory)) return;
      if (byCall.size >= MOST) remove(byCall.keys().next().value!);
      const own = trajectory.steps.slice(-LONGEST).toReversed().map(stepOf);
      const group = groupOf(own[0]!, tool);
      group.entries.set(trajectory.callId, { trajectory, steps: own });
      byCall.set(trajectory.callId, group);
    },
    remove,
    takeBack(last) {
      const step = steps.get(keyOf(last));
      for (const { trajectory } of (step && groups.get(step)?.entries.values()) ?? [])
        if (trajectory.ended === "error") remove(trajectory.callId);
    },
    closest(own) {
      const asked = createSequenceQuery(own, words, ++query);
      if (!asked) return null;
      let best: Alike | null = null;
      for (const group of asked.candidates()) {
        for (const { trajectory, steps } of group.entries.values()) {
          const score = similarity(steps, asked, best?.score ?? ALIKE);
          if (score >= ALIKE && score > (best?.score ?? 0)) best = { trajectory, score };
        }
      }
      return best;
    },
    of: (tool) => [...(byTool.get(tool) ?? [])].flatMap((group) => [...group.entries.values()].map((one) => one.trajectory)),
  };
}

/** One call that failed says little, and the rules themselves judge it when it comes again. A person's word is enough. */
const counts = ({ ended, steps }: Trajectory): boolean => ended === "unacceptable" || (ended !== "ok" && steps.length > 1);

const keyOf = (words: readonly string[]): string => words.join("\u0000");
