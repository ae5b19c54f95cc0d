import type { Effect } from "../tool.ts";
import type { CommandTouch, PathTouch, UnknownTouch, UrlTouch } from "../touch.ts";
import type { Phase, Trust } from "../turn.ts";

/** A gate of a program's own. It is asked after all of Zeph's, and can only make the decision stricter. */
export interface OwnGate {
  /** How refusals, the audit log and `judge` name it: small letters, digits, `-`, `_` and `.`. Not the name of one of Zeph's own gates. */
  readonly id: string;
  /**
   * Decides, and changes nothing: a call may be judged several times, and `judge` asks too. Who throws, takes longer than half a minute or
   * answers anything else has denied. A yes of a person covers the same question only, so `why` should be the same each time.
   */
  judge(call: JudgedCall, context: JudgingContext): OwnVerdict | Promise<OwnVerdict>;
}

/** What a gate of a program's own may say. Nothing, or "pass", leaves the decision to the others. */
export type OwnVerdict =
  | "pass"
  | undefined
  | {
      readonly kind: "ask" | "deny";
      /** For the person and the model. */
      readonly why: string;
      /** Which rule of the gate spoke, for the audit log. */
      readonly rule?: string;
    };

/** A call as a gate of a program's own sees it: data, and frozen. */
export interface JudgedCall {
  readonly id: string;
  readonly tool: string;
  readonly effect: Effect;
  /** As JSON has it, with the names of every object in order. */
  readonly input: unknown;
  readonly touches: readonly JudgedTouch[];
  /** The folder that commands start in, where it is not the workspace. */
  readonly cwd?: string;
  /** Why this is judged though no model asked for it: an address that a call is sent on to, or a command that a tool starts by itself. A question refuses both. */
  readonly because?: "redirect" | "inner command";
}

/** What a call would touch; of a path also where it really leads. */
export type JudgedTouch = CommandTouch | UrlTouch | UnknownTouch | (PathTouch & { readonly realPath: string });

/** Who calls, and when. */
export interface JudgingContext {
  readonly workspace: string;
  readonly session: string;
  readonly turn: string;
  readonly conversation?: string;
  readonly caller?: string;
  readonly skill?: string;
  readonly goal?: string;
  readonly phase: Phase;
  readonly trust: Trust;
  /** Nobody is there to be asked. */
  readonly unattended: boolean;
  /** Something a stranger wrote has come into the conversation. */
  readonly untrusted: boolean;
  /** Milliseconds since 1970. */
  readonly time: number;
}
