import type { Answer, ConfirmAnswer, Question } from "../../../core/event.ts";
import { choicesFor } from "../../../question/answers.ts";
import type { GateView } from "../../../runtime/rules/gate-views.ts";
import type { Key } from "./typing/keys.ts";
import { answerKeys } from "./view/question-keys.ts";

/** A question on the screen, and how far the person has come with it. */
export interface AskedQuestion {
  readonly question: Question;
  /** When it came to the front and was drawn. */
  shownAt: number;
  /** `typing`: keys go to the draft until Tab. `settling`: the hands have to rest. `armed`: a key answers. */
  state: "typing" | "settling" | "armed";
  /** The first of its lines that is on the screen. */
  top: number;
  /** How many of its lines are on the screen. */
  shown: number;
  /** Its last line was on the screen. */
  isSeen: boolean;
  /** "Always" was chosen and waits for Enter. */
  isConfirming: boolean;
  /** Every gate's word, once it was asked for. */
  gates: readonly GateView[] | null;
  answer(answer: ConfirmAnswer): void;
}

/** Questions one after the other, and the keys that answer them. A letter that was typed for something else never does. */
export interface QuestionQueue {
  ask(question: Question, signal: AbortSignal): Promise<ConfirmAnswer>;
  current(): AskedQuestion | undefined;
  /** How many wait behind it. */
  waiting(): number;
  /** What the key was to the question; `typed`: it is none of its keys and belongs to the draft. */
  key(key: Key): QuestionKey;
  /** A no, and why; the model reads it. */
  refuse(asked: AskedQuestion, reason: string): void;
  /** Nobody answers what is open. */
  dismiss(): void;
}
export type QuestionKey = "done" | "typed" | "stop" | "explain" | "reason" | "page-up" | "page-down" | "not-seen";

export interface QuestionQueueParts {
  lastKeyAt(): number;
  /** Something is typed already. */
  isTyping(): boolean;
  /** The screen has to be drawn again. */
  changed(): void;
}

/** Whoever types pauses less than this. */
export const RESTING_MS = 600;

export function createQuestionQueue({ lastKeyAt, isTyping, changed }: QuestionQueueParts): QuestionQueue {
  const asked: AskedQuestion[] = [];
  let timer: NodeJS.Timeout | undefined;
  /** A key counts when nobody was typing as it came, and it was there for long enough to be read. */
  const settle = () => {
    clearTimeout(timer);
    const first = asked[0];
    if (first?.state !== "settling") return;
    const wait = RESTING_MS - (performance.now() - Math.max(first.shownAt, lastKeyAt()));
    if (isTyping()) first.state = "typing";
    else if (wait <= 0) first.state = "armed";
    else timer = setTimeout(settle, wait + 1);
    changed();
  };
  const show = (first: AskedQuestion | undefined, state: AskedQuestion["state"]) => {
    if (!first) return;
    first.shownAt = performance.now();
    first.state = state;
    settle();
  };
  const give = (one: AskedQuestion, answer: ConfirmAnswer) => {
    const at = asked.indexOf(one);
    if (at === -1) return;
    asked.splice(at, 1);
    // Who has answered one goes on answering, but not with a key pressed twice.
    if (at === 0) show(asked[0], "settling");
    one.answer(answer);
    changed();
  };
  const chosen = (first: AskedQuestion, letter: string): QuestionKey => {
    const answer = answerFor(first.question, letter);
    if (answer === null) return unknown(first);
    if (!first.isSeen && answer !== "no") return "not-seen";
    if (answer === "always") first.isConfirming = true;
    else give(first, answer);
    return "done";
  };
  /** Somebody types a text: the question waits for Tab. */
  const unknown = (first: AskedQuestion): QuestionKey => {
    first.state = "typing";
    return "typed";
  };
  return {
    ask: (question, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(null);
        const one: AskedQuestion = {
          question,
          shownAt: performance.now(),
          state: "typing",
          top: 0,
          shown: 0,
          isSeen: false,
          isConfirming: false,
          gates: null,
          answer: resolve,
        };
        signal.addEventListener("abort", () => give(one, null), { once: true });
        asked.push(one);
        // Whoever typed a moment ago may still be at it: this one waits for Tab.
        if (asked.length === 1) show(one, performance.now() - lastKeyAt() < RESTING_MS ? "typing" : "settling");
        changed();
      }),
    current: () => asked[0],
    waiting: () => Math.max(0, asked.length - 1),
    key(key) {
      const first = asked[0]!;
      if (key.name === "pagedown") return "page-down";
      if (key.name === "pageup") return "page-up";
      if (first.state !== "armed") {
        // A Tab that came with the question was meant for something else, and so is the letter behind it.
        if (key.name !== "tab" || performance.now() - first.shownAt < RESTING_MS) return unknown(first);
        first.state = "armed";
        return "done";
      }
      if (first.isConfirming) {
        first.isConfirming = false;
        if (key.name === "enter") give(first, "always");
        return "done";
      }
      // The topmost thing first: the gates' words, then the turn.
      if (key.name === "escape") return first.gates === null ? "stop" : "explain";
      if (key.name === "tab") {
        first.state = "typing";
        return "done";
      }
      if (key.name !== "text") return key.name === "paste" ? unknown(first) : "done";
      // More than one at once was not typed as an answer, and means none.
      const letter = key.text!.toLowerCase();
      if (letter === " ") return "page-down";
      if (letter === "e") return "explain";
      if (letter === "t") return first.isSeen ? "reason" : "not-seen";
      return chosen(first, letter);
    },
    refuse: (one, reason) => give(one, reason.trim() === "" ? "no" : { answer: "no", reason }),
    dismiss() {
      for (const one of asked.splice(0)) one.answer(null);
      changed();
    },
  };
}

/** The answer that a letter means at this question; null where it means none. */
const answerFor = (question: Question, letter: string): Answer | null =>
  answerKeys(choicesFor(question)).find(({ key }) => key === letter)?.answer ?? null;
