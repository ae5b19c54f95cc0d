import { hash } from "node:crypto";
import { callKey, type ToolCall } from "../../core/call.ts";
import type { Verdict } from "../../core/gate/verdict.ts";
import { memoryOwner, type TurnContext } from "../../core/turn.ts";
import { keepRecent } from "../../text/keep-recent.ts";
import { type CallHistory, utilityWords } from "./score.ts";

export interface UtilityMemory {
  /** The one that was used longest ago first. Read by `knownOf`. */
  readonly conversations: Map<string, UtilityConversation>;
  /** Calls that were skipped and not asked for again, with the time of their turn. They outlive what is known of a conversation. */
  readonly skipped: Map<string, number>;
  /** One call gets one answer, however often it is judged: a call that a person was asked about is not skipped afterwards. */
  readonly judged: WeakMap<ToolCall, Verdict>;
  /** How many calls may have changed something, in whichever conversation. */
  changes: number;
}
export const utilityMemory = (): UtilityMemory => ({ conversations: new Map(), skipped: new Map(), judged: new WeakMap(), changes: 0 });

export interface UtilityConversation {
  /** What the person said last, in small letters. */
  said: string;
  /** Calls that were answered since something last changed. */
  readonly answered: Set<string>;
  readonly tools: Map<string, ToolPast>;
  /** Skipped since a call was last let in; and in the turn of that name. */
  inARow: number;
  inTurn: { id: string; skips: number };
  /** After how many changes it was looked at last. What it knew before others is outdated. */
  asOf: number;
}

export interface ToolPast {
  calls: number;
  answers: number;
  meanTokens: number;
  readonly recent: ReadonlySet<string>[];
}

const MOST_CONVERSATIONS = 64;
const MOST_TOOLS = 200;
const MOST_ANSWERED = 500;
const MOST_RECENT = 16;
const CHARACTERS_PER_TOKEN = 4;

/** Calls outside a conversation share one. */
export const conversationOf = (turn: Pick<TurnContext, "conversationId" | "rights">): string => memoryOwner(turn) ?? "";

/** What is known of a conversation; undefined where nothing is. */
export function knownOf({ conversations, changes }: UtilityMemory, id: string): UtilityConversation | undefined {
  const known = conversations.get(id);
  if (known && known.asOf !== changes) {
    outdated(known);
    known.asOf = changes;
  }
  return known;
}

/** The same, kept from now on. */
export function recallUtility(memory: UtilityMemory, id: string): UtilityConversation {
  const known: UtilityConversation = knownOf(memory, id) ?? {
    said: "",
    answered: new Set(),
    tools: new Map(),
    inARow: 0,
    inTurn: { id: "", skips: 0 },
    asOf: memory.changes,
  };
  return keepRecent(memory.conversations, id, known, MOST_CONVERSATIONS);
}

export function pastOf(call: ToolCall, conversation: UtilityConversation | undefined): CallHistory {
  const tool = conversation?.tools.get(call.tool.name);
  return {
    calls: tool?.calls ?? 0,
    meanTokens: tool?.meanTokens ?? 0,
    isAnswered: conversation?.answered.has(answerKey(call)) ?? false,
    recent: tool?.recent ?? [],
  };
}

export function called(call: ToolCall, conversation: UtilityConversation): void {
  toolIn(call, conversation).calls += 1;
}

export function answered(call: ToolCall, text: string, conversation: UtilityConversation): void {
  const past = toolIn(call, conversation);
  past.answers += 1;
  past.meanTokens += (text.length / CHARACTERS_PER_TOKEN - past.meanTokens) / past.answers;
  past.recent.push(utilityWords(call));
  if (past.recent.length > MOST_RECENT) past.recent.shift();
  conversation.answered.add(answerKey(call));
  if (conversation.answered.size > MOST_ANSWERED) conversation.answered.delete(conversation.answered.values().next().value!);
}

/** Something may have changed, so no earlier answer is known to hold. */
export function outdated(conversation: UtilityConversation): void {
  conversation.answered.clear();
  for (const { recent } of conversation.tools.values()) recent.length = 0;
}

function toolIn({ tool }: ToolCall, { tools }: UtilityConversation): ToolPast {
  const known = tools.get(tool.name) ?? { calls: 0, answers: 0, meanTokens: 0, recent: [] };
  tools.set(tool.name, known);
  if (tools.size > MOST_TOOLS) tools.delete(tools.keys().next().value!);
  return known;
}

/** The same path means another file where the shell stands elsewhere. */
const answerKey = (call: ToolCall) => short(callKey(call, call.cwd));

/** A call that is asked for again is the same wherever the shell stands. */
export const skipKey = (call: ToolCall, turn: TurnContext) => short(callKey(call, conversationOf(turn)));

/** Keys are stored, and a call may name a secret. */
const short = (text: string): string => hash("sha256", text, "base64");

const MOST_SKIPPED = 10_000;
const FORGOTTEN_AFTER_MS = 3_600_000;

/** Whether one more skipped call could be remembered. One that could not might be skipped for ever. */
export function hasRoom({ skipped }: UtilityMemory, { timestampMs }: TurnContext): boolean {
  if (skipped.size < MOST_SKIPPED) return true;
  const [, oldest] = skipped.entries().next().value!;
  return timestampMs - oldest > FORGOTTEN_AFTER_MS;
}

export function rememberSkip(memory: UtilityMemory, key: string, turn: TurnContext): void {
  if (memory.skipped.size >= MOST_SKIPPED && hasRoom(memory, turn)) memory.skipped.delete(memory.skipped.keys().next().value!);
  memory.skipped.set(key, turn.timestampMs);
}
