import * as z from "zod";
import { fitInput, type ToolCall } from "../../core/call.ts";
import { CommandError } from "../../core/command.ts";
import { facetsOf } from "../../core/facets.ts";
import { type Gate, ONLY_CALLS } from "../../core/gate/gate.ts";
import { PASS, type Verdict } from "../../core/gate/verdict.ts";
import type { Embedder } from "../../core/ports/embedder.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { Trajectories } from "../../core/ports/store.ts";
import { setting } from "../../core/setting.ts";
import type { AnyTool } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import { globProblem } from "../../text/glob.ts";
import { makeOnce } from "../../text/make-once.ts";
import { createHistory, type HistoryMemory, historyMemory } from "./history.ts";
import type { Likeness } from "./likeness.ts";
import { createSentinelMeaning, type SentinelMeaning } from "./meaning.ts";
import { createPrivateFinder } from "./private.ts";
import { createBlockedSequences, type ToolNames } from "./sequences.ts";
import { statusOf } from "./status.ts";
import { createTaintMeter, type TaintMemory, taintMemory } from "./taint.ts";
import { completing, failing, likeOne } from "./verdicts.ts";

const validGlob = (pattern: string, ctx: z.RefinementCtx): void => {
  const problem = globProblem(pattern);
  if (problem !== null) ctx.addIssue({ code: "custom", message: `${JSON.stringify(pattern)} is not a valid glob: ${problem}` });
};

export const governanceConfig = makeOnce(() =>
  z
    .strictObject({
      trajectory_enabled: setting(
        z.boolean().default(false),
        "Remember sequences of calls and how they ended, and enforce `blocked_sequences`.",
        "on",
      ),
      block_risky_patterns: setting(
        z.boolean().default(false),
        'Refuse a call whose recent sequence is similar to one that ended in an error, a violation or a person\'s "unacceptable". Needs `trajectory_enabled`.',
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
    .prefault({}),
);
export type GovernanceConfig = z.output<ReturnType<typeof governanceConfig>>;

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
  /** A call, or a result, in a conversation that is opened again; or what a model was told and nobody vouched for. */
  heard(conversation: string, what: HeardThing): void;
}

type HeardThing = { readonly tool: AnyTool; readonly args: unknown } | { readonly text: string } | { readonly stranger: string };

export interface SentinelMemory extends HistoryMemory, TaintMemory {
  meaning: SentinelMeaning | null;
  /** Grows with all that may change an answer. */
  moment: number;
}
export const sentinelMemory = (): SentinelMemory => ({ ...historyMemory(), ...taintMemory(), meaning: null, moment: 0 });

/** Looks at calls in a row: sequences that were forbidden, sequences that ended badly, and a stranger's text beside private data. */
export function sentinel(config: GovernanceConfig, parts: SentinelParts, memory: SentinelMemory): SentinelGate {
  const { trajectory_enabled: isOn, block_risky_patterns, allowlist, blocked_sequences, private_paths } = config;
  const looksAlike = isOn && block_risky_patterns;
  const isSpared = ({ tool }: ToolCall) => allowlist.some((name) => name === tool.name || parts.tools().get(name)?.name === tool.name);
  const past = createHistory(parts, memory);
  const blocked = createBlockedSequences(blocked_sequences, parts.tools);
  const things = createPrivateFinder(private_paths, parts.facts);
  const meter = createTaintMeter(things, parts.networkOpen, memory);
  memory.meaning ??= createSentinelMeaning(parts.embedder);
  const meaning = memory.meaning;

  memory.moment += 1;

  const alike = (call: ToolCall, turn: TurnContext): Verdict | null | Promise<Verdict | null> => {
    const known = past.known();
    const look = (index: Likeness) => likeOne(index.closest(past.with(call, turn)), call);
    return known instanceof Promise ? known.then(look) : look(known);
  };
  const refused = (call: ToolCall, turn: TurnContext): Verdict | null | Promise<Verdict | null> => {
    if (!isOn || isSpared(call)) return null;
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
  const safely = (call: ToolCall, turn: TurnContext): Verdict | Promise<Verdict> => {
    try {
      const verdict = judge(call, turn);
      return verdict instanceof Promise ? verdict.catch(failing) : verdict;
    } catch (error) {
      return failing(error);
    }
  };
  /** What a sequence means is a model's word, so nobody is asked just to see. Words and the meter are heard once more, because time has passed. */
  const consult = async (call: ToolCall, turn: TurnContext, signal: AbortSignal): Promise<Verdict> => {
    if (isSpared(call) || signal.aborted) return safely(call, turn);
    try {
      const found = await meaning.closest(past.with(call, turn), await past.known());
      if (!meaning.isThere()) delete gate.consult;
      return likeOne(found, call) ?? (await safely(call, turn));
    } catch (error) {
      return failing(error);
    }
  };
  const gate: SentinelGate = {
    name: "sentinel",
    alsoJudges: ONLY_CALLS,
    judge: safely,
    ...(looksAlike && meaning.isThere() && { consult }),
    /** What came before is part of the question: an answer of earlier does not cover what was read since. */
    get question() {
      return `sentinel ${memory.moment}`;
    },
    admitted(call, turn) {
      if (isOn) blocked.advance(call, past.admitted(call, turn).progress);
    },
    settled(call, outcome, turn) {
      memory.moment += 1;
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
      memory.moment += 1;
      if ("stranger" in what) return meter.met(conversation, what.stranger);
      if ("text" in what) return meter.read(conversation, things.inText(what.text));
      const input = fitInput(what.tool, what.args, "ignore").fit;
      if (!input.ok) return;
      const isMemory = facetsOf(what.tool).about === "memory";
      meter.read(conversation, isMemory ? "memories" : things.inCall({ tool: what.tool, touches: what.tool.touches(input.value, null) }));
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
  return gate;
}

const NONE = new Map<string, number>();
