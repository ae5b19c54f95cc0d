import { answerText } from "../core/answer.ts";
import type { ToolCall } from "../core/call.ts";
import { type Gate, ONLY_CALLS } from "../core/gate/gate.ts";
import { PASS, type Verdict } from "../core/gate/verdict.ts";
import type { Facts } from "../core/ports/facts.ts";
import { isPersons, type TurnContext } from "../core/turn.ts";
import { keepRecent } from "../text/keep-recent.ts";
import { createGroundingGate, type Grounding } from "./grounding.ts";
import { groundsAddresses, makesText } from "./grounding-source.ts";
import { bringsStrangersText } from "./sentinel/stranger.ts";
import type { StrangerFiles } from "./stranger-files.ts";
import type { PathFacts } from "./suspicion/paths.ts";
import { type Hearing, hear, newHearing, type Suspect, suspectsIn, suspectText, warningsAbout } from "./suspicion/suspicion.ts";

/** A tool that neither reads a file nor goes out answers from what it was told before. */
const remembering = ({ tool, touches }: Pick<ToolCall, "tool" | "touches">): ["remembers"?] =>
  tool.effect === "reads" && touches.length === 0 ? ["remembers"] : [];

/** Nobody looks at more of an argument for addresses and names. */
const LONGEST_ARGUMENT = 1_000_000;
const argumentsOf = ({ input }: Pick<ToolCall, "input">): string =>
  JSON.stringify(input, (_, value) =>
    typeof value === "string" && value.length > LONGEST_ARGUMENT ? value.slice(0, LONGEST_ARGUMENT) : value,
  );

/** The clock of files runs a little behind. */
const CLOCKS_DIFFER_MS = 50;

export interface Verifiers extends Gate {
  /**
   * What a person said, in a conversation that is opened again. What a model was told besides (`known`: instructions, a summary, what a
   * command printed in the background) names things too, and no address one may go to.
   */
  heard(conversation: string, from: "person" | "known", text: string): void;
  /** What a tool returned earlier, in a conversation that is opened again; without the call, where that is not known any more. */
  heardResult(conversation: string, text: string, call?: PastCall): void;
}

/** A call of long ago, as far as it can still be told. */
export type PastCall = Pick<ToolCall, "tool" | "touches" | "input">;

export interface SuspicionParts {
  /** Whether the model is one whose words are looked at this way. */
  suspects(): boolean;
  readonly facts: PathFacts;
  readonly warn: (message: string) => void;
}

export interface VerifierParts {
  /** When files were changed. Without it every file counts as the model's own once it has made something. */
  readonly files?: Pick<Facts, "canonical" | "changedAt"> | null;
  /** Strangers' text in files. */
  readonly strangers?: StrangerFiles | null;
  readonly now?: () => number;
}

const MOST_CONVERSATIONS = 64;

interface Known {
  readonly ground: Grounding;
  readonly hearing: Hearing;
  /** When the model first made something itself: a file, or an output in its own words. Null before that. */
  makesSince: number | null;
}
/** What is known of each conversation. */
export type VerifierMemory = Map<string, Known>;

/**
 * A model may only go to addresses it was given: by the person, or in what a tool returned. One it made up is asked about: it is
 * a mistake, or a way to carry something out. A person's own call is their own. Paths and names that a reasoning model may have
 * made up are warned about, where that is switched on; nothing is refused for it.
 */
export function createVerifiersGate(
  autonomy: "readonly" | "supervised" | "edits" | "full",
  known: VerifierMemory = new Map(),
  suspicion: SuspicionParts | null = null,
  { files = null, strangers = null, now = Date.now }: VerifierParts = {},
): Verifiers {
  const knownOf = ({ conversationId, turnId }: Pick<TurnContext, "conversationId" | "turnId">): Known => {
    const key = conversationId ?? turnId;
    const one = known.get(key) ?? { ground: createGroundingGate(), hearing: newHearing(), makesSince: null };
    return keepRecent(known, key, one, MOST_CONVERSATIONS);
  };
  const listening = () => (suspicion?.suspects() ? "listens" : "does not");
  const suspects = (call: ToolCall, turn: TurnContext): readonly Suspect[] =>
    // A skill's instructions are heard by nobody here, so what is done in its name cannot be compared with them.
    turn.phase !== "executor" || turn.skillName !== undefined || !suspicion?.suspects()
      ? []
      : suspectsIn(call, knownOf(turn).hearing, suspicion.facts);

  const grounded = (call: ToolCall, turn: TurnContext): Verdict => {
    if (autonomy === "full") return { kind: "pass", rule: "autonomy = full" };
    const made = call.touches.flatMap((touch) => (touch.kind === "url" && !knownOf(turn).ground.holds(touch.url) ? [touch.url] : []));
    if (made.length === 0) return PASS;
    const why = `${made.join(", ")} was named neither by you nor in any result. The model may have made it up.`;
    return { kind: "ask", rule: "url grounding", why, about: made.join(" ") };
  };
  return {
    name: "verifiers",
    alsoJudges: ONLY_CALLS,
    heard(conversationId, from, text) {
      const { ground, hearing } = knownOf({ conversationId, turnId: "" });
      if (from === "person") ground.said(text);
      hear(hearing, listening(), text);
    },
    heardResult(conversationId, text, call) {
      const one = knownOf({ conversationId, turnId: "" });
      // What files were like then is not known any more.
      if (call && groundsAddresses(call, undefined, one.makesSince === null ? null : 0, null))
        one.ground.returned(text, argumentsOf(call), ...remembering(call));
      if (call && makesText(call)) one.makesSince ??= 0;
      hear(one.hearing, listening(), text);
    },
    judge(call, turn) {
      if (isPersons(turn)) return PASS;
      const verdict = grounded(call, turn);
      const found = suspects(call, turn);
      return found.length === 0 ? verdict : { ...verdict, noted: { suspect: suspectText(found) } };
    },
    admitted(call, turn) {
      strangers?.admitted(call, turn);
      if (!isPersons(turn) && makesText(call)) knownOf(turn).makesSince ??= now() - CLOCKS_DIFFER_MS;
      const found = suspects(call, turn);
      if (found.length > 0) for (const message of warningsAbout(found, knownOf(turn).hearing)) suspicion?.warn(message);
    },
    settled(call, outcome, turn) {
      if (isPersons(turn)) return;
      const { ground, hearing, makesSince } = knownOf(turn);
      const text = answerText(outcome);
      const asked = argumentsOf(call);
      if (groundsAddresses(call, outcome.output, makesSince, files)) ground.returned(text, asked, ...remembering(call));
      else ground.asked(asked);
      // Where nobody has said anything yet, there is nothing a call could be compared with.
      hear(hearing, hearing.hasBegun ? listening() : "does not", text, outcome.ok ? undefined : asked);
      // From here on the model has read what a stranger wrote; an error may hold a stranger's words too.
      if (strangers) strangers.settled(call, outcome, turn);
      else if (outcome.decision.verdict === "allow" && bringsStrangersText(call)) turn.seen.untrusted = true;
    },
    state: () => `addresses: ${autonomy === "full" ? "off" : "ask"}, paths and names: ${suspicion?.suspects() ? "warn" : "off"}`,
  };
}
