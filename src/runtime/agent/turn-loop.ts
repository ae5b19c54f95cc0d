import type { Budget, BudgetAccount } from "../../agent/budget.ts";
import type { Compactor } from "../../agent/compaction.ts";
import type { Loop } from "../../agent/loop.ts";
import type { IntendedCall } from "../../agent/order.ts";
import { createReformatter } from "../../agent/reformat.ts";
import type { WantedOutput } from "../../agent/structured-output.ts";
import type { Transcript } from "../../agent/transcript.ts";
import type { Confirm } from "../../core/event.ts";
import type { Model, ToolSpec } from "../../core/ports/model.ts";
import type { ToolRequest } from "../../core/request.ts";
import type { Caller } from "../../core/session.ts";
import { runOwner, type TurnContext } from "../../core/turn.ts";
import type { RuntimeInternals } from "../create.ts";
import { haveFilesChanged } from "./files-changed.ts";
import type { Spending } from "./spending.ts";

/** What every turn of an agent has. */
export interface Turns {
  readonly inside: RuntimeInternals;
  readonly model: Model;
  /** The one that repairs bad arguments. */
  readonly repairer: Model | null;
  /** What the model is told at the beginning, without the knowledge of a conversation. */
  readonly system: () => Promise<string>;
  readonly contextTokens: number;
  readonly spending: Spending;
  /** Whom its questions reach, as the model is told. */
  readonly confirm: Confirm | undefined;
  /** Whose calls these are. */
  readonly caller: Pick<Caller, "callerId" | "trust" | "rights" | "agent">;
  /** Whose limits count for every turn: the agent's, its caller's. */
  readonly accounts: readonly BudgetAccount[];
  /** Makes summaries of an open conversation; always the same one for the same transcript. */
  readonly compactorOf: (transcript: Transcript) => Compactor | null;
}

/** What is its own in this turn. */
export interface ThisTurn {
  readonly turn: TurnContext;
  readonly transcript: Transcript;
  readonly system: () => string;
  readonly tools: () => readonly ToolSpec[];
  readonly compactor: Compactor | null;
  readonly maxTurns: number;
  readonly budget: Budget;
  readonly output?: WantedOutput | undefined;
  readonly tally: Loop["tally"];
  readonly emit: Loop["emit"];
  /** What background commands that have ended meanwhile left. */
  readonly ended?: Loop["ended"];
  /** Told of every call when it has ended. */
  readonly called?: (...args: Called) => void;
}
type Called = [request: Parameters<Loop["call"]>[0], outcome: Awaited<ReturnType<Loop["call"]>>];

/** Everything the loop needs. */
export function createTurnLoop({ inside, model, repairer, contextTokens, spending }: Turns, mine: ThisTurn): Loop {
  const { config, tracing } = inside;
  const { turn, transcript, system, tools, compactor, tally, emit } = mine;
  // A call that summarises the context is upkeep: a person is never asked about it.
  const turnOf = ({ name }: ToolRequest): TurnContext =>
    inside.facets(name).about === "context" ? { ...turn, phase: "autonomous" } : turn;
  const call: Loop["call"] = (request, signal, requestId) =>
    inside.call(request, { turn: turnOf(request), signal, ...(requestId !== undefined && { requestId }) });
  const touched = new Set<string>();
  /** Asked for before a call and after it; paths are other ones when the shell has moved meanwhile. */
  const known = new WeakMap<ToolRequest, { readonly from: string | null; readonly call: IntendedCall }>();
  const intended = (request: ToolRequest): IntendedCall => {
    const from = inside.standing(turn);
    const before = known.get(request);
    if (before?.from === from) return before.call;
    const call = inside.intended(request, turn);
    known.set(request, { from, call });
    return call;
  };
  return {
    model,
    system,
    tools,
    compactor,
    call: async (request, signal, requestId) => {
      const outcome = await call(request, signal, requestId);
      if (outcome.ok) for (const path of pathsIn(intended(request))) touched.add(path);
      mine.called?.(request, outcome);
      return outcome;
    },
    intended,
    news() {
      const paths = [...touched];
      touched.clear();
      const found = paths.length === 0 ? null : inside.parts.instructions.below(paths, transcript.messages());
      if (found?.stranger && turn.conversationId !== undefined) inside.readStranger(turn.conversationId, found.stranger);
      if (found?.stranger) turn.seen.untrusted = true;
      return found?.text ?? null;
    },
    ended: mine.ended ?? (async () => []),
    world: {
      isBackgroundRunning: () => inside.background.of(runOwner(turn)).list().length > 0,
      haveFilesChanged: (sinceMs) => haveFilesChanged(inside.cwd, sinceMs),
    },
    reformat:
      repairer &&
      createReformatter({
        model: repairer,
        tools,
        call,
        patienceMs: patience(config.tools.retry.budget_secs),
        warn: inside.warn,
        used: (usage) => spending.add(usage, repairer.price),
        tracing,
      }),
    transcript,
    retry: config.tools.retry,
    limits: { iterations: mine.maxTurns, contextTokens },
    budget: mine.budget,
    output: mine.output ?? null,
    reflection: config.agent.self_reflection ? "once" : "never",
    tally,
    emit,
    tracing,
  };
}

const pathsIn = ({ touches }: IntendedCall): string[] => touches.flatMap((touch) => (touch.kind === "path" ? [touch.path] : []));

const DEFAULT_PATIENCE_MS = 30_000;
const patience = (budgetSecs: number) => (budgetSecs > 0 ? budgetSecs * 1000 : DEFAULT_PATIENCE_MS);
