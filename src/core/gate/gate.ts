import type { ToolCall } from "../call.ts";
import type { Outcome } from "../layer.ts";
import type { AnyTool } from "../tool.ts";
import type { TurnContext } from "../turn.ts";
import type { Verdict } from "./verdict.ts";

export interface Gate {
  readonly name: string;
  /** Decides; changes nothing. May be asked twice about one call. Cheap: everybody waits for it. */
  judge(call: ToolCall, turn: TurnContext): Verdict | Promise<Verdict>;
  /** What the gate is asked about besides calls. Required: a gate that says nothing here would be one that was forgotten. */
  readonly alsoJudges: AlsoJudges;
  /** Asks somebody else, a model, about a call that nobody has denied: once, and never just to see. Its answer stands in place of `judge`'s. */
  consult?(call: ToolCall, turn: TurnContext, signal: AbortSignal): Promise<Verdict>;
  /** What is asked there besides the call. While it is the same, other rules do not ask again. */
  readonly question?: string;
  /** Told exactly once, at the moment a call is let in. Quotas and histories count here. */
  admitted?(call: ToolCall, turn: TurnContext): void;
  /** Told of every call that reached the door, refused ones too. */
  settled?(call: ToolCall, outcome: Outcome, turn: TurnContext): void;
  /** A tool that every call of is denied is not worth showing to a model. */
  hides?(tool: AnyTool): boolean;
  /** How it is set, in a few words for a person: `off`, or what is on. Absent: always on. */
  state?(): string;
  /** The session begins anew. What was learnt for longer stays. */
  reset?(): void;
}

/** How a gate answers the door about things that are not calls of a model and happen because of one. */
export interface AlsoJudges {
  /** An address that a permitted call is redirected to: judged as the same call with that address, by a function that is given both (`call` has the address where the tool takes one), or ignored. */
  readonly redirects:
    | "as a call"
    | "ignored"
    | ((tool: AnyTool, url: string, call: ToolCall, turn: TurnContext) => Verdict | Promise<Verdict>);
  /** A command that a tool starts by itself, as the call of `bash` it would be. */
  readonly innerCommands: "ignored" | ((call: ToolCall, turn: TurnContext) => Verdict | Promise<Verdict>);
}

/** For gates to which redirects and inner commands say nothing new: the call that led to them was judged. */
export const ONLY_CALLS: AlsoJudges = Object.freeze({ redirects: "ignored", innerCommands: "ignored" });

/** Everybody who decides. It is exchanged as a whole: a call is judged by the old ones or by the new ones, never by some of both. */
export interface Rules {
  readonly blocklist: Blocklist;
  readonly gates: readonly Gate[];
}

/** Takes the call and nothing else, so no mode, trust level or permission can switch it off. */
export type Blocklist = (call: ToolCall) => Bar | null | Promise<Bar | null>;
export interface Bar {
  readonly rule: string;
  readonly why: string;
}

/** Asked after every gate let a call in and before it gets its permit: the person's own hooks. It can only say no, with a reason. */
export type LastWord = (call: ToolCall, turn: TurnContext) => Promise<string | null>;
