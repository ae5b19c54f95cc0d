import type { ToolCall } from "../core/call.ts";
import type { Outcome } from "../core/layer.ts";
import type { Facts } from "../core/ports/facts.ts";
import type { StrangerWrites } from "../core/ports/store.ts";
import { isPersons, type TurnContext } from "../core/turn.ts";
import { attempt } from "../text/attempt.ts";
import { bringsStrangersText } from "./sentinel/stranger.ts";

export interface StrangerFilesMemory {
  /** When calls that are under way were let in. Other rules may count when they end. */
  readonly began: WeakMap<ToolCall, number>;
}
export const strangerFilesMemory = (): StrangerFilesMemory => ({ began: new WeakMap() });

export interface StrangerFilesParts {
  readonly workspace: string;
  readonly facts: Pick<Facts, "canonical" | "changedAt">;
  readonly writes: StrangerWrites;
  /** How long a command may go on that outlives its call. */
  readonly backgroundMs: number;
  readonly now: () => number;
  readonly warn: (message: string) => void;
}

/** Whether what calls bring is a stranger's text, also when it went through a file. */
export interface StrangerFiles {
  /** A call is let in. */
  admitted(call: ToolCall, turn: TurnContext): void;
  /** It ended. From here on the turn knows whether it has read what a stranger wrote. */
  settled(call: ToolCall, outcome: Outcome, turn: TurnContext): void;
}

/** The clock of files runs a little behind. */
const SLACK_MS = 50;
const MOST_PATHS = 1000;
const MAKES: readonly string[] = ["writes", "runs", "unknown"];

export function createStrangerFilesGate(
  { workspace, facts, writes, backgroundMs, now, warn }: StrangerFilesParts,
  { began }: StrangerFilesMemory = strangerFilesMemory(),
): StrangerFiles {
  let hasWarned = false;
  const isMarked = (path: string): boolean => {
    // A name that is too long, or a link that leads to itself, is no file that could be read.
    const place = attempt(() => facts.canonical(path), null);
    const at = place === null ? null : (facts.changedAt?.(place) ?? null);
    return at !== null && writes.holds(workspace, at);
  };
  const note = (call: ToolCall, from: number) => {
    const isBackground = (call.input as { readonly background?: unknown } | null)?.background === true;
    try {
      writes.add(workspace, { from: from - SLACK_MS, until: now() + SLACK_MS + (isBackground ? backgroundMs : 0) });
    } catch (error) {
      // A locked store: what is written now is not known as a stranger's later.
      if (!hasWarned) warn(`That files may hold a stranger's text could not be kept: ${(error as Error).message}`);
      hasWarned = true;
    }
  };
  return {
    admitted(call, turn) {
      if (isPersons(turn)) return;
      if (!turn.seen.untrusted && readPaths(call).some(isMarked)) turn.seen.untrusted = true;
      if (!MAKES.includes(call.tool.effect)) return;
      began.set(call, now());
      // Before it runs: nobody may be there to note it afterwards.
      if (turn.seen.untrusted) note(call, now());
    },
    settled(call, outcome, turn) {
      if (isPersons(turn) || outcome.decision.verdict !== "allow") return;
      // An error may hold a stranger's words too.
      if (!turn.seen.untrusted && (bringsStrangersText(call) || foundPaths(outcome).some(isMarked))) turn.seen.untrusted = true;
      const from = began.get(call);
      if (from !== undefined && turn.seen.untrusted) note(call, from);
    },
  };
}

/** What a call reads, as far as it says so. What is moved is read under its new name. */
const readPaths = ({ touches }: ToolCall): readonly string[] =>
  touches.flatMap((touch) => (touch.kind === "path" && touch.access !== "write" ? [touch.path] : [])).slice(0, MOST_PATHS);

/** Where a search found something: what its tool lists, and what stands before a colon in what it printed. */
function foundPaths({ output }: Outcome): readonly string[] {
  if (!output) return [];
  const listed = (output.locations ?? []).map(({ path }) => path);
  const raw = Array.isArray(output.raw) ? output.raw.flatMap((item) => (typeof item?.path === "string" ? [item.path as string] : [])) : [];
  const printed = output.exitCode === undefined ? [] : [...output.text.matchAll(/^([^\s:]{1,500}):/gm)].map(([, path]) => path!);
  return [...new Set([...listed, ...raw, ...printed])].slice(0, MOST_PATHS);
}
