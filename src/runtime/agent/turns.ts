import { modelAttributes, usageAttributes } from "../../agent/attributes.ts";
import { beginningText, changedFacts } from "../../agent/beginning.ts";
import { type BudgetAccount, createBudget, overText } from "../../agent/budget.ts";
import { isBlamed, type Loop, runTurn, waitsFor } from "../../agent/loop.ts";
import { calledTools } from "../../agent/messages.ts";
import { withKnowledge } from "../../agent/prompt.ts";
import type { WantedOutput } from "../../agent/structured-output.ts";
import type { Transcript } from "../../agent/transcript.ts";
import { createTurnTotals } from "../../agent/turn-totals.ts";
import { answerText } from "../../core/answer.ts";
import type { Quote } from "../../core/command.ts";
import type { Answered } from "../../core/event.ts";
import type { HeldSession } from "../../core/ports/fleet/session.ts";
import type { Message, MessageImage } from "../../core/ports/model.ts";
import type { OpenSession } from "../../core/session.ts";
import type { CallContext } from "../../core/tool.ts";
import type { TurnContext } from "../../core/turn.ts";
import type { CompletedRun } from "../../host/shell/background.ts";
import { abortAfter } from "../../text/abort.ts";
import { record } from "../../text/json.ts";
import { endedText } from "../../tools/command-output.ts";
import type { RuntimeInternals } from "../create.ts";
import { quoteImages, quoteSource, quoteText } from "../person/quotes.ts";
import { lookAround } from "./look-around.ts";
import { createTurnLoop, type Turns } from "./turn-loop.ts";

export interface Opening {
  /** What the person says; null when only background commands have something to say, or an answer came. */
  readonly text: string | null;
  /** What they show beside it. */
  readonly images?: readonly MessageImage[];
  /** Texts of strangers that they send along. */
  readonly quotes?: readonly Quote[];
  /** The answer to a question that was left for later. */
  readonly answered?: { readonly callId: string; readonly answer: Answered };
  readonly completions: readonly CompletedRun[];
  /** Background commands that ended too and are told of in later turns. */
  readonly unheard?: number;
  readonly maxTurns: number;
  /** What the answer has to be. */
  readonly output?: WantedOutput | undefined;
  /** What is known of what other processes did in this conversation, where the model has not been told yet. */
  readonly held?: Pick<HeldSession, "news" | "resumes"> | undefined;
  /** Limits of this turn alone. */
  readonly accounts?: readonly BudgetAccount[];
  /** `own` is the turn of a task nobody waits for: it works towards no goal, and all tools are there. */
  readonly kind: "conversation" | "own";
}

/** One turn of an agent: everything the loop needs, and what is to be told and kept around it. */
export async function takeTurn(
  turns: Turns,
  transcript: Transcript,
  opening: Opening,
  emit: Loop["emit"],
  signal: AbortSignal,
  current: OpenSession["current"] = turns.inside.session.current,
): Promise<void> {
  const { inside, model, spending } = turns;
  const { store, tracing, parts, catalogue } = inside;
  const isTalk = opening.kind === "conversation";
  // The goal is that of whoever opened the runtime, and no word of it is for its callers.
  const isOwners = isTalk && turns.caller.rights === undefined;
  const found = isTalk ? await parts.goal() : null;
  const goal = isOwners ? found : null;
  const turn = current({
    phase: "executor",
    conversationId: transcript.id,
    ...turns.caller,
    // An editor's session is called like its conversation.
    ...(turns.caller.callerId === transcript.id && { front: true as const }),
    ...(goal && { goalId: goal.id }),
    ...(!isTalk && { unattended: true as const }),
  });
  if (isTalk) {
    const used = () => calledTools(transcript.messages());
    await catalogue.forTurn({ query: opening.text ?? "", conversation: transcript.id, model, used }, signal);
  }
  for (const quote of opening.quotes ?? []) inside.note(`the person sent along ${quoteSource(quote).slice(0, 300)}`);
  const { stranger } = parts.instructions.told();
  if (stranger !== null) inside.readStranger(transcript.id, stranger);
  // A task of its own is not asked about, whoever is there.
  const facts = await lookAround(inside, isTalk ? turns.confirm : undefined, transcript.begun() === null ? "at the beginning" : "later");
  if (transcript.begun() === null) transcript.begin(beginningText(facts, isTalk ? catalogue.later() : []));
  const begun = transcript.begun()!;
  const system = `${await turns.system()}\n\n${begun}`;
  inside.known(transcript.id, withKnowledge(system, transcript.knowledge()));
  const counts = createTurnTotals(model.price);
  const budget = createBudget([...(opening.accounts ?? []), ...turns.accounts], counts.totals);
  const within = budget.msLeft === null ? signal : AbortSignal.any([signal, abortAfter(budget.msLeft + EARLY_MS)]);
  const quality = { good: 0, bad: 0 };
  const loop = createTurnLoop(turns, {
    turn,
    transcript,
    system: () => withKnowledge(system, transcript.knowledge()),
    tools: isTalk ? catalogue.tools : () => inside.zeph.tools().filter(({ name }) => inside.facets(name).needs !== "conversation"),
    compactor: turns.compactorOf(transcript),
    maxTurns: opening.maxTurns,
    budget,
    output: opening.output,
    tally: counts,
    async emit(event) {
      // What was said about the goal may be gone with the rest.
      if (event.type === "compacted") parts.goals.forget(transcript.id);
      await emit(event);
    },
    ...(isTalk && { ended: () => completionTexts(inside, turn, inside.background.takeCompletions(MOST_COMPLETIONS), emit) }),
    called({ name }, outcome) {
      quality[isBlamed(outcome) ? "bad" : "good"] += 1;
      if (!isTalk) return;
      catalogue.used(name);
      // A skill names the tools it works with.
      if (outcome.ok && inside.facets(name).about === "skill") catalogue.askedFor(String(record(outcome.output.raw).asks ?? ""));
    },
  });
  const named = () => ({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": "zeph",
    ...modelAttributes(model),
    "gen_ai.conversation.id": transcript.id,
  });
  const work = tracing.span("invoke_agent zeph", "internal", named, async (span) => {
    await emit({ type: "turn_start", turnId: turn.turnId, conversation: transcript.id, model: model.id });
    const messages = await openingMessages(inside, turn, opening, emit);
    for (const message of messages) await inside.heard(transcript.id, message);
    // Said after the person's words: a turn begins with those.
    const news = isOwners ? await parts.goals.tell(transcript.id) : null;
    for (const told of [opening.held?.news, changedFacts(begun, transcript.messages(), facts), news])
      if (told) messages.push({ role: "user", from: "loop", text: told });
    if (opening.output) messages.push({ role: "user", from: "loop", text: opening.output.told });
    const ended = await spending.during(counts, budget, async () => {
      const waits = opening.answered && (await hearAnswer(inside, transcript, { turn, signal: within }, opening.answered, counts));
      const end = waits ? { why: "waiting" as const, message: waitsFor(waits) } : await runTurn(loop, messages, within);
      const over = end.why === "cancelled" && !signal.aborted ? budget.over() : null;
      return over ? { why: "budget" as const, message: overText(over) } : end;
    });
    if (quality.good + quality.bad > 0) await store.reputation.add(model.id, quality);
    span.set(usageAttributes(counts.totals().usage));
    if (ended.why !== "answered") span.fail(ended.why);
    await emit({ type: "done", ...ended, totals: counts.totals() });
  });
  await work.finally(budget.end);
}

/** A timer may end this much before its time by another clock. The budget would not be used up then, and the end would be told as somebody's. */
const EARLY_MS = 2;

/** Makes the call that a person has decided about. How many of the same message still wait; the model is asked when none does. */
async function hearAnswer(
  inside: RuntimeInternals,
  transcript: Transcript,
  ctx: CallContext,
  { callId, answer }: NonNullable<Opening["answered"]>,
  tally: Loop["tally"],
): Promise<number> {
  const { outcome, requestId } = await inside.answer(callId, answer, ctx);
  tally.ended(outcome);
  await transcript.append({
    role: "tool",
    id: requestId,
    text: answerText(outcome) || "(no output)",
    ...(!outcome.ok && { failed: true }),
    ...(outcome.output?.media && { media: outcome.output.media }),
  });
  return transcript.waiting().length;
}

/** A turn hears of so many background commands; a thousand outputs at once would fill any context. */
export const MOST_COMPLETIONS = 10;

/** How background commands ended, as a model reads it. */
async function completionTexts(
  inside: RuntimeInternals,
  turn: TurnContext,
  completions: readonly CompletedRun[],
  emit: Loop["emit"],
): Promise<string[]> {
  const texts: string[] = [];
  for (const completion of completions) {
    const { runId, command, ran } = completion;
    await emit({ type: "background", runId, command, exitCode: ran.exitCode });
    texts.push(`${endedText(runId, ran)}\n${await inside.shown(completion, turn)}`);
  }
  return texts;
}

/** What happened meanwhile comes first, then what the person says. */
async function openingMessages(
  inside: RuntimeInternals,
  turn: TurnContext,
  { text, images = [], quotes = [], completions, unheard = 0, kind, held }: Opening,
  emit: Loop["emit"],
): Promise<Message[]> {
  const messages: Message[] = [];
  for (const text of await completionTexts(inside, turn, completions, emit)) messages.push({ role: "user", from: "background", text });
  if (unheard > 0)
    messages.push({ role: "user", from: "background", text: `[background] ${unheard} more have ended; the next turns tell of them.` });
  const from = kind === "own" ? "schedule" : held?.resumes ? "loop" : null;
  if (text !== null) messages.push({ role: "user", text, ...(images.length > 0 && { images }), ...(from && { from }) });
  for (const quote of quotes) {
    const along = quoteImages(quote);
    messages.push({ role: "user", from: "server", text: inside.redact(quoteText(quote)), ...(along.length > 0 && { images: along }) });
  }
  return messages;
}
