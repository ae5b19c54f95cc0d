import * as z from "zod";
import type { ToolCall } from "../core/call.ts";
import { CommandError } from "../core/command.ts";
import { type Gate, PASS, type Verdict } from "../core/door.ts";
import type { Embedder } from "../core/embedder.ts";
import type { Facts } from "../core/facts.ts";
import { globProblem } from "../core/glob.ts";
import { setting } from "../core/setting.ts";
import type { Trajectories } from "../core/store.ts";
import type { AnyTool } from "../core/tool.ts";
import type { TurnContext } from "../core/turn.ts";
import { type HistoryMemory, history, historyMemory } from "./sentinel-history.ts";
import type { Alike } from "./sentinel-likeness.ts";
import { type SentinelMeaning, sentinelMeaning } from "./sentinel-meaning.ts";
import { privateThings } from "./sentinel-private.ts";
import { blockedSequences, type ToolNames } from "./sentinel-sequences.ts";
import { statusOf } from "./sentinel-status.ts";
import { type TaintMemory, taintMemory, taintMeter } from "./sentinel-taint.ts";
import { commandsOf } from "./sentinel-words.ts";

const validGlob = (pattern: string, ctx: z.RefinementCtx): void => {
  const problem = globProblem(pattern);
  if (problem !== null) ctx.addIssue({ code: "custom", message: `${JSON.stringify(pattern)} is not a valid glob: ${problem}` });
};

export const governanceConfig = z
  .strictObject({
    trajectory_enabled: setting(
      z.boolean().default(false),
      "Whether sequences of calls and how they ended are remembered, and `blocked_sequences` are held.",
      "on",
    ),
    block_risky_patterns: setting(
      z.boolean().default(false),
      'Whether a call is refused whose recent sequence is close to one that ended in an error, a violation or a person\'s "unacceptable". Needs `trajectory_enabled`.',
      "on",
    ),
    blocked_sequences: setting(
      z
        .array(z.array(z.string().min(1)).min(1).max(32))
        .max(1000)
        .default([]),
      'Sequences that are never completed. Each word is a tool or a word of its arguments: `["bash", "rm", "-rf", "/"]`; a tool\'s name begins the next call.',
      "adds",
    ),
    allowlist: setting(z.array(z.string().min(1)).default([]), "Tools the sentinel never refuses."),
    private_paths: setting(
      z.array(z.string().min(1).superRefine(validGlob)).default([]),
      "Files that count as private besides keys, credentials and `.env`: globs. Once one was read and a stranger's text was, too, every way out asks.",
      "adds",
    ),
  })
  .prefault({});
export type GovernanceConfig = z.output<typeof governanceConfig>;

export interface SentinelParts {
  readonly workspace: string;
  readonly facts: Facts;
  readonly trajectories: Trajectories;
  /** Null where none is configured. It may throw an EmbeddingError. */
  readonly embedder: () => Promise<Embedder | null>;
  readonly redact: (text: string) => string;
  readonly warn: (message: string) => void;
  /** Whether a command could reach the network. */
  readonly networkOpen: () => boolean | Promise<boolean>;
  /** The tools there are now: their names begin the calls of a blocked sequence. */
  readonly tools: () => ToolNames;
}

export interface SentinelGate extends Gate {
  /**
   * A person's word about a call, by its id or the beginning of it. `unacceptable`: what led to it and the call are not done again;
   * `revoke`: this call is not, whatever led to it; `ok`: it may be, and what was held against it is taken back.
   * Null when no call of that id is known, or more than one is. A CommandError where nothing is remembered.
   */
  feedback(callId: string, word: "unacceptable" | "revoke" | "ok"): Promise<{ readonly callId: string; readonly tool: string } | null>;
  /** For `/trajectory status`: a name, and what is so. Never for a model. */
  status(): Promise<Readonly<Record<string, string>>>;
  /** Answers the question about exactly this call with yes, until the session begins anew. */
  grant(call: ToolCall): void;
  /** A call, or a result, in a conversation that is opened again. */
  heard(conversation: string, what: { readonly tool: AnyTool; readonly args: unknown } | { readonly text: string }): void;
}

export interface SentinelMemory extends HistoryMemory, TaintMemory {
  meaning: SentinelMeaning | null;
}
export const sentinelMemory = (): SentinelMemory => ({ ...historyMemory(), ...taintMemory(), meaning: null });

/** Looks at calls in a row: sequences that were forbidden, sequences that ended badly, and a stranger's text beside private data. */
export function sentinel(config: GovernanceConfig, parts: SentinelParts, memory: SentinelMemory): SentinelGate {
  const { trajectory_enabled: isOn, block_risky_patterns, allowlist, blocked_sequences, private_paths } = config;
  const looksAlike = isOn && block_risky_patterns;
  const spared = new Set(allowlist);
  const past = history(parts, memory);
  const blocked = blockedSequences(blocked_sequences, parts.tools);
  const things = privateThings(private_paths, parts.facts);
  const meter = taintMeter(things, parts.networkOpen, memory);
  memory.meaning ??= sentinelMeaning(parts.embedder);
  const meaning = memory.meaning;

  const alike = (call: ToolCall, turn: TurnContext): Verdict | null | Promise<Verdict | null> => {
    const known = past.known();
    if (!(known instanceof Promise) && !meaning.isThere()) return likeOne(known.closest(past.with(call, turn)), call);
    const look = async () => {
      const [index, steps] = [await known, past.with(call, turn)];
      const found = meaning.isThere() ? await meaning.closest(steps, index) : "words";
      return likeOne(found === "words" ? index.closest(steps) : found, call);
    };
    return look();
  };
  const refused = (call: ToolCall, turn: TurnContext): Verdict | null | Promise<Verdict | null> => {
    if (!isOn || spared.has(call.tool.name)) return null;
    const index = blocked.completedBy(call, past.of(turn)?.progress ?? NONE);
    if (index !== null) return completing(index, blocked_sequences[index]!);
    return looksAlike ? alike(call, turn) : null;
  };
  const judge = (call: ToolCall, turn: TurnContext): Verdict | Promise<Verdict> => {
    const no = refused(call, turn);
    if (no instanceof Promise) return no.then(async (late) => late ?? (await meter.judge(call, turn)) ?? PASS);
    const asked = no ?? meter.judge(call, turn);
    return asked instanceof Promise ? asked.then((late) => late ?? PASS) : (asked ?? PASS);
  };
  return {
    name: "sentinel",
    judge(call, turn) {
      try {
        const verdict = judge(call, turn);
        return verdict instanceof Promise ? verdict.catch(failing) : verdict;
      } catch (error) {
        return failing(error);
      }
    },
    admitted(call, turn) {
      if (isOn) blocked.advance(call, past.admitted(call, turn).progress);
    },
    settled(call, outcome, turn) {
      meter.settled(call, outcome, turn);
      if (isOn) past.settled(call, outcome, turn);
    },
    async feedback(callId, word) {
      if (!isOn) throw new CommandError("Calls are not remembered. Set tools.governance.trajectory_enabled to true.");
      return past.judged(callId, word);
    },
    status: async () => statusOf(config, memory, await parts.trajectories.count(parts.workspace)),
    grant: (call) => meter.grant(call),
    heard(conversation, what) {
      if ("text" in what) return meter.read(conversation, things.inText(what.text));
      const input = what.tool.input.safeParse(what.args);
      if (!input.success) return;
      const isMemory = what.tool.name === "memory_search";
      meter.read(conversation, isMemory ? "memories" : things.inCall({ tool: what.tool, touches: what.tool.touches(input.data, null) }));
    },
    state() {
      if (!isOn) return "taint meter on, sequences off";
      return `taint meter on, ${blocked.count} blocked sequences, likeness ${looksAlike ? "on" : "off"}`;
    },
    reset() {
      memory.conversations.clear();
      memory.granted.clear();
    },
  };
}

const NONE = new Map<string, number>();
/** All that a model learns. */
const TOLD = "denied by policy";

const completing = (index: number, entry: readonly string[]): Verdict => ({
  kind: "deny",
  rule: `blocked_sequences[${index}]`,
  why: `This call would complete a blocked sequence: ${entry.join(" ").slice(0, 200)}.`,
  told: TOLD,
});

const ENDED = { ok: "ended well", error: "ended in error", violation: "ended in violation", unacceptable: "was unacceptable" } as const;

function likeOne(found: Alike | null, call: ToolCall): Verdict | null {
  if (!found) return null;
  const { trajectory, score } = found;
  const { callId, ended, createdAt, steps } = trajectory;
  const last = shownStep(steps.at(-1)!, call);
  const day = new Date(createdAt).toISOString().slice(0, 10);
  return {
    kind: "deny",
    rule: `like a sequence that ${ENDED[ended]}`,
    why: `This call and those before it are ${Math.floor(score * 100)} % like a sequence of ${day} that ${ENDED[ended]} with ${JSON.stringify(last)} (call ${callId.slice(0, 8)}). To let it in again: /feedback ok ${callId.slice(0, 8)}.`,
    told: TOLD,
  };
}

/** A command, or a tool and its first argument: what else is remembered are pieces of it and the other arguments. */
const shownStep = (step: readonly string[], call: ToolCall): string =>
  (commandsOf(call).length > 0 ? step : step.slice(0, 2)).join(" ").slice(0, 120);

/** A gate that fails denies, and this one does not even say that it is there. */
const failing = (error: unknown): Verdict => ({
  kind: "deny",
  rule: null,
  why: `What ended badly before could not be looked up: ${error instanceof Error ? error.message : String(error)}`,
  told: TOLD,
});
