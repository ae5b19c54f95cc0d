import { answerText } from "../core/answer.ts";
import type { ToolCall } from "../core/call.ts";
import { type Gate, PASS, type Verdict } from "../core/door.ts";
import type { TurnContext } from "../core/turn.ts";
import { type Grounding, grounding } from "./grounding.ts";
import { bringsStrangersText } from "./sentinel-stranger.ts";
import { type Hearing, hear, newHearing, type Suspect, suspectsIn, suspectText, warningsAbout } from "./suspicion.ts";
import type { PathFacts } from "./suspicion-paths.ts";

export interface Verifiers extends Gate {
  /**
   * What a person said, or what a tool returned earlier, in a conversation that is opened again. What a model was told besides
   * (`known`: instructions, a summary) names things too, and no address one may go to.
   */
  heard(conversation: string, from: "person" | "tool" | "known", text: string): void;
}

export interface SuspicionParts {
  /** Whether the model is one whose words are looked at this way. */
  suspects(): boolean;
  readonly facts: PathFacts;
  readonly warn: (message: string) => void;
}

const MOST_CONVERSATIONS = 64;

interface Known {
  readonly ground: Grounding;
  readonly hearing: Hearing;
}
/** What is known of each conversation. */
export type VerifierMemory = Map<string, Known>;

/**
 * A model may only go to addresses it was given: by the person, or in what a tool returned. One it made up is asked about: it is
 * a mistake, or a way to carry something out. A person's own call is their own. Paths and names that a reasoning model may have
 * made up are warned about, where that is switched on; nothing is refused for it.
 */
export function verifiers(
  autonomy: "readonly" | "supervised" | "full",
  known: VerifierMemory = new Map(),
  suspicion: SuspicionParts | null = null,
): Verifiers {
  const knownOf = ({ conversationId, turnId }: Pick<TurnContext, "conversationId" | "turnId">): Known => {
    const key = conversationId ?? turnId;
    const one = known.get(key) ?? { ground: grounding(), hearing: newHearing() };
    known.delete(key);
    known.set(key, one);
    if (known.size > MOST_CONVERSATIONS) known.delete(known.keys().next().value!);
    return one;
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
    heard(conversationId, from, text) {
      const { ground, hearing } = knownOf({ conversationId, turnId: "" });
      if (from !== "known") ground[from === "person" ? "said" : "returned"](text);
      hear(hearing, listening(), text);
    },
    judge(call, turn) {
      if (turn.phase !== "executor") return PASS;
      const verdict = grounded(call, turn);
      const found = suspects(call, turn);
      return found.length === 0 ? verdict : { ...verdict, noted: { suspect: suspectText(found) } };
    },
    admitted(call, turn) {
      const found = suspects(call, turn);
      if (found.length > 0) for (const message of warningsAbout(found, knownOf(turn).hearing)) suspicion?.warn(message);
    },
    settled(call, outcome, turn) {
      if (turn.phase !== "executor") return;
      const { ground, hearing } = knownOf(turn);
      const text = answerText(outcome);
      const asked = JSON.stringify(call.input);
      ground.returned(text, asked);
      // Where nobody has said anything yet, there is nothing a call could be compared with.
      hear(hearing, hearing.hasBegun ? listening() : "does not", text, outcome.ok ? undefined : asked);
      // From here on the model has read what a stranger wrote; an error may hold a stranger's words too.
      if (outcome.decision.verdict === "allow" && bringsStrangersText(call)) turn.seen.untrusted = true;
    },
    state: () => `addresses: ${autonomy === "full" ? "off" : "ask"}, paths and names: ${suspicion?.suspects() ? "warn" : "off"}`,
  };
}
