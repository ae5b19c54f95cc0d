import { answerText } from "../core/answer.ts";
import { type Gate, PASS } from "../core/door.ts";
import type { TurnContext } from "../core/turn.ts";
import { type Grounding, grounding } from "./grounding.ts";

export interface Verifiers extends Gate {
  /** What a person said, or what a tool returned earlier, in a conversation that is opened again. */
  heard(conversation: string, from: "person" | "tool", text: string): void;
}

const MOST_CONVERSATIONS = 64;

/** What is known of each conversation. */
export type VerifierMemory = Map<string, Grounding>;

/**
 * A model may only go to addresses it was given: by the person, or in what a tool returned. One it made up is asked about: it is
 * a mistake, or a way to carry something out. A person's own call is their own.
 */
export function verifiers(autonomy: "readonly" | "supervised" | "full", known: VerifierMemory = new Map()): Verifiers {
  const groundOf = ({ conversationId, turnId }: Pick<TurnContext, "conversationId" | "turnId">): Grounding => {
    const key = conversationId ?? turnId;
    const ground = known.get(key) ?? grounding();
    known.delete(key);
    known.set(key, ground);
    if (known.size > MOST_CONVERSATIONS) known.delete(known.keys().next().value!);
    return ground;
  };
  return {
    name: "verifiers",
    heard: (conversationId, from, text) => groundOf({ conversationId, turnId: "" })[from === "person" ? "said" : "returned"](text),
    judge(call, turn) {
      if (turn.phase !== "executor") return PASS;
      if (autonomy === "full") return { kind: "pass", rule: "autonomy = full" };
      const made = call.touches.flatMap((touch) => (touch.kind === "url" && !groundOf(turn).holds(touch.url) ? [touch.url] : []));
      if (made.length === 0) return PASS;
      const why = `${made.join(", ")} was named neither by you nor in any result. The model may have made it up.`;
      return { kind: "ask", rule: "url grounding", why, about: made.join(" ") };
    },
    settled(call, outcome, turn) {
      if (turn.phase !== "executor") return;
      groundOf(turn).returned(answerText(outcome), JSON.stringify(call.input));
      // From here on the model has read what a stranger wrote; an error may hold a stranger's words too.
      if (call.tool.effect === "fetches" && outcome.decision.verdict === "allow") turn.seen.untrusted = true;
    },
  };
}
