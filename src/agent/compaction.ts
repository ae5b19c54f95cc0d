import { ModelError } from "../core/model-error.ts";
import type { CompactionMethod, Summaries, Summary } from "../core/ports/store.ts";
import { abortAfter, unlessAborted } from "../text/abort.ts";
import { cleanSummary, MOST_SUMMARY_TOKENS, quoteLines } from "./knowledge.ts";
import { estimateTokens, weighMessages } from "./messages.ts";
import { compactionInstructions, compactionQuestion } from "./summary-prompt.ts";
import type { Transcript, TranscriptPast } from "./transcript.ts";

/** Nothing was summarised, and everything is as it was. The message says why. */
export class CompactionError extends Error {
  override name = "CompactionError";
  /** Whoever wanted it stopped it. */
  readonly stopped: boolean = false;
}

/** There is too little for a summary. */
export class TooLittleError extends CompactionError {}

class Stopped extends CompactionError {
  override readonly stopped = true;
}

export interface CompactorParts {
  readonly transcript: Transcript;
  readonly summaries: Pick<Summaries, "add">;
  /** One answer of a model in words. It has no tools, so a summary never calls for another. Throws a ModelError. */
  readonly ask: (prompt: { readonly system: string; readonly text: string }, signal: AbortSignal) => Promise<string>;
  /** How many tokens that model can be given. */
  readonly room: number;
  /** What the messages that stay may weigh; the newest stay whatever they weigh. */
  readonly keepTokens: number;
  /** A summary is kept and sent for long: a secret a model copied into it must not be. */
  readonly redact: (text: string) => string;
  /** Whether a stranger's text was read in this conversation: then a summary may speak for the stranger. */
  readonly seen: () => "own" | "strangers";
}

export interface CompactionWish {
  readonly method: CompactionMethod;
  /** What the summary should look after most, in the words of whoever asked. */
  readonly focus?: string;
  /** So many of the newest messages stay at least. */
  readonly keep?: number;
  /** What a request should hold afterwards. Less stays then, because what is left out later has no summary. */
  readonly aim?: number;
}

/** Tokens are estimates of what a request holds. */
export interface Compaction {
  readonly method: CompactionMethod;
  readonly messages: number;
  readonly tokens: { readonly before: number; readonly after: number };
}

/** The tool by which a model asks for a summary. */
export const ASKS_FOR_SUMMARY = "compress_context";

/** Two steps, because calls of a round may still run while a summary is made: a window must not move under them. */
export interface Compactor {
  /** Makes a summary and keeps it. What is sent does not change yet. Throws a CompactionError or a ModelError. */
  prepare(wish: CompactionWish, signal: AbortSignal): Promise<Compaction>;
  /** Moves the window behind what was summarised. Null when there is nothing to do. Only while no call runs. */
  settle(): Promise<Compaction | null>;
  /** Both, for whoever is outside of the turns; refused while one runs. `later`: a turn began meanwhile, and moves the window between two rounds. */
  compact(wish: CompactionWish, signal: AbortSignal): Promise<{ readonly made: Compaction; readonly takesEffect: "now" | "later" }>;
  /** Whether a summary is being made or waits for its window. */
  isPending(): boolean;
  /** A turn runs until what is returned is called. */
  turnBegins(): () => void;
}

/**
 * Summaries of one open conversation, one at a time. The summary is kept first and the window moved then: whoever is killed in between finds a summary
 * that stands for nothing, because the window still begins before its end, and all messages are sent as before.
 */
export function createCompactor(parts: CompactorParts): Compactor {
  let isBusy = false;
  let made: { readonly summary: Summary; readonly compaction: Compaction } | null = null;
  let turns = 0;
  const prepare: Compactor["prepare"] = async (wish, signal) => {
    if (isBusy || made) throw new CompactionError("Earlier messages are being summarised already. Go on; it takes effect by itself.");
    isBusy = true;
    try {
      made = await summarise(parts, wish, signal);
      return made.compaction;
    } finally {
      isBusy = false;
    }
  };
  const settle: Compactor["settle"] = async () => {
    if (!made || isBusy) return null;
    const { summary, compaction } = made;
    isBusy = true;
    try {
      await parts.transcript.standFor(summary);
      made = null;
    } finally {
      isBusy = false;
    }
    return { ...compaction, tokens: { before: compaction.tokens.before, after: Math.round(parts.transcript.used()) } };
  };
  return {
    prepare,
    settle,
    async compact(wish, signal) {
      if (turns > 0) throw new CompactionError(IN_A_TURN);
      const planned = await prepare(wish, signal);
      const done = turns > 0 ? null : await settle();
      return { made: done ?? planned, takesEffect: done ? "now" : "later" };
    },
    isPending: () => isBusy || made !== null,
    turnBegins() {
      turns++;
      let isOver = false;
      return () => {
        if (!isOver) turns--;
        isOver = true;
      };
    },
  };
}

const IN_A_TURN =
  "The model is at work, so nothing was summarised. Wait for the end of its turn, or stop it first. It can also ask for a summary itself.";

/** Less than this is not worth a request, and the summary would hardly be shorter. */
const FEWEST_TOKENS = 600;
const FEWEST_MESSAGES = 2;
/** What stands in place of messages weighs less than this share of them, else they stay. */
const GAIN = 0.8;
/** Of what may stay, what one summary may weigh: in a small context it is small, too, or the next one would push it out. */
const SMALL = 0.4;
/** A shorter summary than this many tokens is not asked for. */
const FEWEST_SUMMARY_TOKENS = 200;
/** What says less than this about so many messages says nothing. */
const SHORTEST = 80;
const PATIENCE_MS = 120_000;
/** Of the model's room, what is left for its instructions and its answer. */
const SHARE = 0.7;

async function summarise(parts: CompactorParts, wish: CompactionWish, signal: AbortSignal) {
  const { transcript, summaries, ask, room, keepTokens } = parts;
  const past = pastFor(parts, wish);
  if (!past)
    throw new TooLittleError(
      "There is nothing worth summarising yet: the newest messages stay as they are, and before them there is little.",
    );
  const weight = weighMessages(past.messages);
  const most = Math.floor(Math.max(FEWEST_SUMMARY_TOKENS, Math.min(MOST_SUMMARY_TOKENS, keepTokens * SMALL, weight / 2)));
  const answer = await patiently(
    (limit) =>
      ask(
        {
          system: compactionInstructions(most),
          text: compactionQuestion(past.messages, transcript.knowledge(), wish.focus, Math.max(500, room * SHARE)),
        },
        limit,
      ),
    signal,
  );
  // A model may not listen to how much it was asked for.
  const text = cleanSummary(answer, parts.redact, most, parts.seen());
  const said = answer.trim().length;
  if (said < SHORTEST || text === "")
    throw new CompactionError(
      `The summary was ${said === 0 || text === "" ? "empty" : `only ${said} characters long`}, so nothing was replaced by it. Try again, or set another agent.compress_provider.`,
    );
  const after = estimateTokens(quoteLines(text)) + estimateTokens(past.opening);
  if (after >= GAIN * weight)
    throw new CompactionError(
      "The summary was hardly shorter than what it should stand for, so nothing was replaced by it. Try again later.",
    );
  const before = Math.round(transcript.used());
  const { until, opening, messages } = past;
  const summary = await summaries.add({ conversation: transcript.id, until, text, opening, method: wish.method }).catch((error) => {
    throw new CompactionError(`The summary could not be kept, so nothing was replaced by it: ${reason(error)}`);
  });
  const compaction: Compaction = {
    method: wish.method,
    messages: messages.length,
    tokens: { before, after: Math.max(0, Math.round(before - weight + after)) },
  };
  return { summary, compaction };
}

/** The messages that a summary replaces; null when they are too few. A model that asks for a summary keeps fewer messages than usual. */
function pastFor(parts: CompactorParts, { method, keep = 1, aim }: CompactionWish): TranscriptPast | null {
  const tokens = stays(parts, aim);
  const past = parts.transcript.past(Math.max(1, keep), tokens);
  if (past && isWorthIt(past)) return past;
  if (method !== "autonomous") return null;
  for (const recent of [LAST_ROUND, OPEN_ROUND]) {
    const found = parts.transcript.past(recent, tokens, recent);
    const results = found?.messages.filter(({ role }) => role === "tool").length ?? 0;
    if (found && isWorthIt(found) && (recent === LAST_ROUND || results > 1)) return found;
  }
  return null;
}
/** The request that asks for the summary, and before it one result with its request. */
const LAST_ROUND = 3;
const OPEN_ROUND = 1;

/** The opening is sent again, so it is no gain. */
const isWorthIt = ({ messages, opening }: TranscriptPast): boolean =>
  messages.length >= FEWEST_MESSAGES && weighMessages(messages) - estimateTokens(opening) >= FEWEST_TOKENS;

/** What may stay beside the summary. */
function stays({ transcript, keepTokens }: CompactorParts, aim: number | undefined): number {
  if (aim === undefined) return keepTokens;
  const besides = transcript.used() - weighMessages(transcript.messages());
  return Math.max(0, Math.min(keepTokens, aim - besides - Math.min(MOST_SUMMARY_TOKENS, keepTokens * SMALL)));
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** A model that does not listen is not waited for. What it says later is dropped. */
async function patiently(ask: (signal: AbortSignal) => Promise<string>, signal: AbortSignal): Promise<string> {
  if (signal.aborted) throw new Stopped(STOPPED);
  const timeout = abortAfter(PATIENCE_MS);
  const limit = AbortSignal.any([signal, timeout]);
  const ended = () => (signal.aborted ? new Stopped(STOPPED) : new CompactionError(TOO_SLOW));
  try {
    const answer = await unlessAborted(ask(limit), limit, () => {
      throw ended();
    });
    // Who cancels has cancelled, even if the answer came in the same moment.
    if (signal.aborted) throw new Stopped(STOPPED);
    return answer;
  } catch (error) {
    if (error instanceof CompactionError) throw error;
    if (limit.aborted) throw ended();
    // A model may be anybody's code; whatever it throws, nothing has changed.
    throw error instanceof ModelError ? error : new CompactionError(`The summary failed: ${reason(error)}`);
  }
}

const STOPPED = "Stopped before the summary was there. Everything is as it was.";
const TOO_SLOW = `The summary did not come within ${PATIENCE_MS / 1000} seconds. Everything is as it was.`;
