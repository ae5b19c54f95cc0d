import type { ToolCall } from "../call.ts";

/** Verdicts only get stricter: pass < ask < deny. No gate can overrule another's deny. */
export type Verdict =
  | { readonly kind: "pass"; readonly rule?: string; readonly noted?: Noted }
  | {
      readonly kind: "ask" | "deny";
      readonly rule: string | null;
      readonly why: string;
      /** What the model reads in place of `why`, where the reason is not for it. */
      readonly told?: string;
      /** What the model is advised to do in place of what the table of errors says. */
      readonly advice?: string;
      /** What exactly is asked about. A yes is good for this alone. */
      readonly about?: string;
      /** A yes is good for this call and kept for no other. */
      readonly once?: true;
      readonly noted?: Noted;
    };

/** What a gate leaves behind for the audit log besides its verdict. */
export interface Noted {
  readonly policy_match?: string;
  readonly adversarial_policy_decision?: string;
  /** The gate would have asked, and an earlier answer covers the call. */
  readonly grant?: EarlierAnswer;
  /** Everything that gates had against the call, where that is more than one thing. */
  readonly objections?: readonly NotedObjection[];
  /** A model may have made something up: said, and never a reason to refuse. */
  readonly suspect?: string;
}

/** How long an earlier answer holds: in its session, for all edits of its session, for good. `client`: the client in front asks about each call itself. */
export type EarlierAnswer = "session" | "edits" | "always" | "client";

/** What the log says of an objection. */
export interface NotedObjection {
  readonly gate: string;
  readonly kind: "ask" | "deny";
  readonly rule: string | null;
}

export const PASS: Verdict = Object.freeze({ kind: "pass" });

/** One gate's answer, with the door's word for who gave it. */
export type Opinion = Verdict & { readonly gate: string };
/** What a gate has against a call. */
export type Objection = Exclude<Verdict, { kind: "pass" }> & { readonly gate: string };

/** Everything that was said about a call. `spoke` are the objections that decided it. */
export interface Review {
  readonly verdict: "allow" | "ask" | "deny";
  readonly spoke: readonly Objection[];
  readonly trace: readonly Opinion[];
}

/** What one gate has said so far. */
export interface Count {
  readonly passed: number;
  readonly asked: number;
  readonly denied: number;
}

/** How a call was decided, in the words of the public contract. `none`: it never reached the door. */
export interface Decision {
  readonly verdict: "allow" | "ask" | "deny" | "none";
  readonly gate?: string;
  readonly rule?: string;
  readonly why?: string;
  /** Who answered, and why they did so. */
  readonly by?: string;
  readonly reason?: string;
}

/** Why a call was let in. */
export type Grant =
  | { readonly kind: "preapproved" }
  | { readonly kind: "confirmed"; readonly by: string; readonly reason?: string; readonly asked: readonly Objection[] };

export interface Denied {
  readonly kind: "denied";
  readonly objection: Objection;
}
export interface Pending {
  readonly kind: "pending";
  readonly call: ToolCall;
  readonly asked: readonly Objection[];
}
/** A person said yes to this call. */
export interface Confirmation {
  readonly by: string;
  readonly reason?: string;
  readonly callId: string;
}

/** The rule of a question that is asked only because no walls stand around a command. */
export const NO_WALLS = "no walls";

/** The rule of the question whether a command that failed at a wall may run without walls. */
export const ESCALATION = "tools.sandbox.escalation = ask";

/** The rule of a denial that is only a question that changed. */
export const ANOTHER_QUESTION = "another question";

export const anotherQuestion = ({ gate }: Objection): Objection => ({
  kind: "deny",
  gate,
  rule: ANOTHER_QUESTION,
  why: "What the call would touch, such as a file, has changed since the question was asked, so the answer does not cover it. Make the call again to be asked about what is there now.",
});
export const WRONG_ANSWER: Objection = { kind: "deny", gate: "hooks", rule: "wrong answer", why: "That answer belongs to another call." };

export const nobodyToAsk = (question: Objection): Objection => ({
  ...question,
  kind: "deny",
  rule: question.rule ?? "would have to be asked about",
  why: `${question.why} Zeph's own maintenance asks nobody, so it is not done.`,
});

export const FAILED = "failed";

export const failed = ({ name }: { readonly name: string }, cause: unknown): Exclude<Verdict, { kind: "pass" }> => ({
  kind: "deny",
  rule: FAILED,
  why: `The ${name} gate failed: ${cause instanceof Error ? cause.message : String(cause)}`,
});
