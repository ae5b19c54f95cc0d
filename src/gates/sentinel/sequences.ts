import type { ToolCall } from "../../core/call.ts";
import { groupBy } from "../../text/group-by.ts";
import { type BlockedStep, blockedStep, meets, namesIn } from "./match.ts";

/** How far each sequence of more than one call has come in a conversation. */
export type SequenceProgress = Map<string, number>;

export interface BlockedSequences {
  readonly count: number;
  /** The place in the list of the sequence this call would complete; null when it completes none. */
  completedBy(call: ToolCall, progress: SequenceProgress): number | null;
  /** The call was let in. */
  advance(call: ToolCall, progress: SequenceProgress): void;
}

interface Sequence {
  readonly index: number;
  /** Progress is known by what the sequence says, so that other rules do not make it begin anew. */
  readonly key: string;
  readonly steps: readonly BlockedStep[];
}

/** The tools there are now, by every name. */
export interface ToolNames {
  get(name: string): { readonly name: string } | undefined;
}

/** Reads the entries once for each set of tools: which words begin a call depends on which tools there are. */
export function createBlockedSequences(entries: readonly (readonly string[])[], tools: () => ToolNames): BlockedSequences {
  let known: ToolNames | null = null;
  let sequences: readonly Sequence[] = [];
  let longer: readonly Sequence[] = [];
  const shelves = new Map<string, Shelf>();
  const read = () => {
    const now = tools();
    if (now === known) return;
    known = now;
    sequences = entries.flatMap((words, index) => readings(words, index, now));
    longer = sequences.filter(({ steps }) => steps.length > 1);
    shelves.clear();
  };
  const shelfOf = (tool: string): Shelf => {
    const shelf = shelves.get(tool) ?? shelfFor(sequences, tool);
    shelves.set(tool, shelf);
    return shelf;
  };
  return {
    count: entries.length,
    completedBy(call, progress) {
      if (entries.length === 0) return null;
      read();
      let first: number | null = null;
      for (const { index, key, steps } of endingWith(call, shelfOf(call.tool.name))) {
        if (first !== null && index >= first) continue;
        if ((progress.get(key) ?? 0) === steps.length - 1 && meets(steps.at(-1)!, call)) first = index;
      }
      return first;
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

/** The sequences whose last call may be one of a tool. */
interface Shelf {
  readonly all: readonly Sequence[];
  /** By a word their last call has to hold; most commands hold none of them. */
  readonly byWord: ReadonlyMap<string | undefined, readonly Sequence[]>;
  readonly wordless: readonly Sequence[];
}

function shelfFor(sequences: readonly Sequence[], tool: string): Shelf {
  const all = sequences.filter(({ steps }) => [null, tool].includes(steps.at(-1)!.tool));
  const wordOf = ({ steps }: Sequence) => steps.at(-1)!.operands.at(-1);
  const byWord = groupBy(all, wordOf);
  return { all, byWord, wordless: byWord.get(undefined) ?? [] };
}

/** The sequences that a call may complete. */
function* endingWith(call: ToolCall, { all, byWord, wordless }: Shelf): Generator<Sequence> {
  const names = byWord.size === 0 ? null : namesIn(call);
  if (names === null) return yield* all;
  yield* wordless;
  for (const ofOne of names) for (const name of ofOne) yield* byWord.get(name) ?? [];
}

/** A tool's name begins the next call. Programs are named like tools (`grep`), so what begins with a shell may also be one command. */
function readings(words: readonly string[], index: number, tools: ToolNames): Sequence[] {
  const steps: { tool: string | null; words: string[] }[] = [];
  for (const word of words) {
    const tool = tools.get(word)?.name;
    if (tool !== undefined) steps.push({ tool, words: [] });
    else if (steps.length === 0) steps.push({ tool: null, words: [word] });
    else steps.at(-1)!.words.push(word);
  }
  const all = [steps.map(({ tool, words }) => blockedStep(tool, words))];
  if (steps.length > 1 && words[0] === "bash") all.push([blockedStep("bash", words.slice(1), "commands only")]);
  return all.map((one) => ({ index, key: JSON.stringify(one), steps: one }));
}
