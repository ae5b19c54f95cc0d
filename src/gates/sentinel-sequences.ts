import type { ToolCall } from "../core/call.ts";
import { type BlockedStep, blockedStep, meets } from "./sentinel-match.ts";

/** How far each sequence of more than one call has come in a conversation. */
export type Progress = Map<string, number>;

export interface BlockedSequences {
  readonly count: number;
  /** The place in the list of the sequence this call would complete; null when it completes none. */
  completedBy(call: ToolCall, progress: Progress): number | null;
  /** The call was let in. */
  advance(call: ToolCall, progress: Progress): void;
}

interface Sequence {
  readonly index: number;
  /** Progress is known by what the sequence says, so that other rules do not make it begin anew. */
  readonly key: string;
  readonly steps: readonly BlockedStep[];
}

/** Names of tools, as far as there are some now. */
export interface ToolNames {
  has(name: string): boolean;
}

/** Reads the entries once for each set of tools: which words begin a call depends on which tools there are. */
export function blockedSequences(entries: readonly (readonly string[])[], tools: () => ToolNames): BlockedSequences {
  let known: ToolNames | null = null;
  let sequences: readonly Sequence[] = [];
  let longer: readonly Sequence[] = [];
  const read = () => {
    const now = tools();
    if (now === known) return;
    known = now;
    sequences = entries.flatMap((words, index) => readings(words, index, now));
    longer = sequences.filter(({ steps }) => steps.length > 1);
  };
  return {
    count: entries.length,
    completedBy(call, progress) {
      if (entries.length === 0) return null;
      read();
      const isNext = ({ key, steps }: Sequence) => (progress.get(key) ?? 0) === steps.length - 1 && meets(steps.at(-1)!, call);
      return sequences.find(isNext)?.index ?? null;
    },
    advance(call, progress) {
      if (entries.length === 0) return;
      read();
      for (const { key, steps } of longer) {
        const done = progress.get(key) ?? 0;
        // The last step is never taken: a call that would take it is refused, unless its tool is on the allowlist.
        if (done < steps.length - 1 && meets(steps[done]!, call)) progress.set(key, done + 1);
      }
    },
  };
}

/** A tool's name begins the next call. Programs are named like tools (`grep`), so what begins with a shell may also be one command. */
function readings(words: readonly string[], index: number, tools: ToolNames): Sequence[] {
  const steps: { tool: string | null; words: string[] }[] = [];
  for (const word of words) {
    if (tools.has(word)) steps.push({ tool: word, words: [] });
    else if (steps.length === 0) steps.push({ tool: null, words: [word] });
    else steps.at(-1)!.words.push(word);
  }
  const all = [steps.map(({ tool, words }) => blockedStep(tool, words))];
  if (steps.length > 1 && words[0] === "bash") all.push([blockedStep("bash", words.slice(1), "commands only")]);
  return all.map((one) => ({ index, key: JSON.stringify(one), steps: one }));
}
