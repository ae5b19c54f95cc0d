import type { FieldShape } from "./shape.ts";
import type { ToolRow } from "./tools.ts";

/** The agents that Zeph can be the hook of. */
export const CLIENT_NAMES = ["claude", "codex", "copilot", "gemini", "qwen", "opencode", "pi", "cursor"] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** `guard`: judged, and the client runs the command itself. `walls`: judged, and rewritten to run behind our walls. `filter`: no verdicts, only the output. */
export type HookMode = "guard" | "walls" | "filter";

/** Before a tool runs, or after it. */
export type HookMoment = "pre" | "post";

/** What a client lets a hook do. docs/hooks-clients.md is made from it. */
export interface Abilities {
  /** `shown`: the client puts the question. `terminal`: only with a terminal, else it would hang. `extension`: our own part in the client puts it, where there is somebody. `never`: a question fails the hook, and the call runs. */
  readonly ask: "shown" | "terminal" | "extension" | "never";
  /** `bare`: another input can be given without a word about permission. `with allow`: only together with a permission. `no`: not at all. */
  readonly rewrite: "bare" | "with allow" | "no";
  /** `text`: what the model reads can be replaced. `as an error`: only by what looks like a failure, so it is done for secrets alone. `no`: not at all. */
  readonly replaceOutput: "text" | "as an error" | "no";
  /** `before`: the model can be told something before a call. `no`: not seen. */
  readonly context: "before" | "no";
  /** Whether a question can come with another input, which is what is run after a yes. */
  readonly asksWithInput: boolean;
  /** Whether the client asks its person about what no rule speaks of. */
  readonly asksItself: boolean;
  /** What happens to the call when the hook crashes, and when it takes too long. */
  readonly crash: "runs" | "stops" | "stops if installed so" | "unknown";
  readonly timeout: "runs" | "stops if installed so" | "waits" | "unknown";
  readonly modes: readonly HookMode[];
}

/** A call as a client tells of it. */
export interface HookedCall {
  /** The folder of the session: whose settings and rules hold. */
  readonly cwd: string;
  /** The folder that the tool works in, where it is another one: relative names are meant from there. */
  readonly at?: string;
  readonly session: string;
  /** The client's own id; null where it tells none. */
  readonly callId: string | null;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** How the client treats what no rule speaks of, in its own words, where it tells. */
  readonly permissionMode?: string;
  /** Where the client keeps what was said, where it tells: the name of the folder stands for the one it was started in. */
  readonly transcript?: string;
}

/** How a call ended, as a client tells of it. */
export interface ClientEnd {
  /** What the model would read, where it is a text. */
  readonly text: string | null;
  readonly outcome: "ok" | "failed";
  readonly exitCode?: number;
  readonly durationMs?: number;
  /** As it came, to be given back with another text in it. */
  readonly response: unknown;
}

/** What was read of a hook's input. */
export type HeardHook =
  | { readonly kind: "pre"; readonly call: HookedCall; readonly hasPerson?: boolean }
  | { readonly kind: "post"; readonly call: HookedCall; readonly end: ClientEnd }
  /** The input is not what this client sends. */
  | { readonly kind: "unread"; readonly why: string };

/** What a client is told before a call. `silent`: nothing, so its own rules decide. */
export type BeforeAnswer =
  | { readonly kind: "silent" }
  | ({ readonly kind: "allow"; readonly why: string } & Partial<OtherInput>)
  | ({ readonly kind: "rewrite" } & OtherInput)
  /** With other arguments, the person is shown those, and they are run after a yes. */
  | ({ readonly kind: "ask"; readonly why: string } & Partial<OtherInput>)
  | { readonly kind: "deny"; readonly why: string };

/** What the client is to run in place of what it has. */
export interface OtherInput {
  readonly args: Readonly<Record<string, unknown>>;
  /** Something that the model is told beside it, where the client takes that. */
  readonly context?: string;
}

/** What a client is told after a call. */
export type AfterAnswer =
  | { readonly kind: "keep" }
  /** `response`: the whole answer in the shape it came in, where that is not one with a text that is known. */
  | { readonly kind: "replace"; readonly text: string; readonly response?: unknown };

/** What the program that the client started prints, and how it ends. */
export interface HookOutput {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: 0 | 2;
}

/** One client: what it can do as data, and its dialect as two functions. */
export interface HookClient {
  readonly name: ClientName;
  /** The version whose behaviour was seen; null where only its documentation was read. */
  readonly tested: string | null;
  readonly can: Abilities;
  /** The fields of an input that are known, with their types. */
  readonly fields: Readonly<Record<HookMoment, FieldShape>>;
  readonly tools: Readonly<Record<string, ToolRow>>;
  /** Tools that touch nothing outside of the conversation. The client decides about them. */
  readonly harmless: ReadonlySet<string>;
  read(event: HookMoment, input: Readonly<Record<string, unknown>>, at: { readonly cwd: string }): HeardHook;
  writePre(answer: BeforeAnswer): HookOutput;
  writePost(answer: AfterAnswer, end: ClientEnd): HookOutput;
}
