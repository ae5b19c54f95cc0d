import { modelAttributes, usageAttributes } from "../agent/attributes.ts";
import { isBlamed, type Loop, runTurn } from "../agent/loop.ts";
import { reformatting } from "../agent/reformat.ts";
import { tally } from "../agent/tally.ts";
import type { Transcript } from "../agent/transcript.ts";
import type { Inside } from "../app.ts";
import type { Message, Model } from "../core/model.ts";
import type { TurnContext } from "../core/turn.ts";
import type { Completion } from "../host/shell/background.ts";

export interface Turns {
  readonly inside: Inside;
  readonly model: Model;
  /** The one that repairs bad arguments. */
  readonly repairer: Model | null;
  readonly system: string;
  readonly contextTokens: number;
  readonly callerId?: string;
}

export interface Opening {
  /** What the person says; null when only background commands have something to say. */
  readonly text: string | null;
  readonly completions: readonly Completion[];
  readonly maxTurns: number;
}

/** One turn of an agent: everything the loop needs, and what is to be told and kept around it. */
export async function takeTurn(
  turns: Turns,
  transcript: Transcript,
  opening: Opening,
  emit: Loop["emit"],
  signal: AbortSignal,
): Promise<void> {
  const { inside, model, system, contextTokens } = turns;
  const { config, session, store, tracing } = inside;
  const turn = session.current({
    phase: "executor",
    conversationId: transcript.id,
    ...(turns.callerId !== undefined && { callerId: turns.callerId }),
  });
  const counts = tally(model.price);
  const quality = { good: 0, bad: 0 };
  const { tools } = inside.zeph;
  const call: Loop["call"] = (request, signal) => inside.call(request, turn, signal);
  const loop: Loop = {
    model,
    system,
    tools,
    call: async (request, signal) => {
      const outcome = await call(request, signal);
      quality[isBlamed(outcome) ? "bad" : "good"] += 1;
      return outcome;
    },
    intended: (request) => inside.intended(request, turn),
    reformat:
      turns.repairer &&
      reformatting({
        model: turns.repairer,
        tools,
        call,
        patienceMs: patience(config.tools.retry.budget_secs),
        warn: inside.warn,
        used(usage) {
          counts.asked();
          counts.answered(usage, turns.repairer?.price);
        },
        tracing,
      }),
    transcript,
    retry: config.tools.retry,
    limits: { iterations: opening.maxTurns, contextTokens },
    reflection: config.agent.self_reflection ? "once" : "never",
    tally: counts,
    emit,
    tracing,
  };
  const named = () => ({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "zeph",
    ...modelAttributes(model),
    "gen_ai.conversation.id": transcript.id,
  });
  await tracing.span("invoke_agent zeph", "internal", named, async (span) => {
    await emit({ type: "turn_start", turnId: turn.turnId, conversation: transcript.id, model: model.id });
    const messages = await openingMessages(inside, turn, opening, emit);
    for (const message of messages) inside.heard(transcript.id, message);
    const ended = await runTurn(loop, messages, signal);
    if (quality.good + quality.bad > 0) await store.reputation.add(model.id, quality);
    span.set(usageAttributes(counts.totals().usage));
    if (ended.why !== "answered") span.fail(ended.why);
    await emit({ type: "done", ...ended, totals: counts.totals() });
  });
}

const DEFAULT_PATIENCE_MS = 30_000;
const patience = (budgetSecs: number) => (budgetSecs > 0 ? budgetSecs * 1000 : DEFAULT_PATIENCE_MS);

/** What happened meanwhile comes first, then what the person says. */
async function openingMessages(inside: Inside, turn: TurnContext, { text, completions }: Opening, emit: Loop["emit"]): Promise<Message[]> {
  const messages: Message[] = [];
  for (const completion of completions) {
    const { runId, command, ran } = completion;
    await emit({ type: "background", runId, command, exitCode: ran.exitCode });
    const shown = await inside.shown(completion, turn);
    messages.push({ role: "user", from: "background", text: `[background complete] run_id=${runId} exit_code=${ran.exitCode}\n${shown}` });
  }
  if (text !== null) messages.push({ role: "user", text });
  return messages;
}
