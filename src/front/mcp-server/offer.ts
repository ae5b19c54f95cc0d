import type {
  CallToolResult,
  ElicitRequest,
  ElicitResult,
  InputRequiredResult,
  Prompt,
  Resource,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";
import type { Progress } from "../../core/tool.ts";

/** The offer of one session to its client. Nothing here knows what the tools do. */
export interface Offer {
  tools(): readonly Tool[];
  /** Whatever goes wrong in the tool is a result; only an unknown tool is thrown. */
  call(name: string, args: unknown, during: OngoingCall): Promise<CallToolResult | InputRequiredResult>;
  /** Tools came, went or changed. Returns what ends it. */
  subscribe?(changed: () => void): () => void;
  /** States it gave the client itself, and so knows what to do with. Any other that is not ours is refused. */
  ownStates?(state: string): boolean;
  /** What the session tells of itself. */
  readonly texts?: OwnTexts;
  close(): Promise<void>;
}

/** Resources and prompts of a session: about itself, and nobody else. */
export interface OwnTexts {
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
  /** Null where there is none at this address. */
  read(uri: string): Promise<string | null>;
  /** What the person is to say; null where there is no prompt of this name. */
  prompt(name: string, args: unknown): Promise<string | null>;
}

/** A call while it is under way. */
export interface OngoingCall {
  readonly signal: AbortSignal;
  /** The kinds of question that the client can put to the person. */
  readonly asks: ClientAsks;
  /** Puts a question to the person, one at a time in a session. Null when nobody answered. */
  ask(asked: ClientQuestion): Promise<ElicitResult | null>;
  tell(progress: Progress): void;
  readonly context: ServerContext;
}

export interface ClientAsks {
  readonly form: boolean;
  readonly url: boolean;
}

export interface ClientQuestion {
  /** The name of the answer on the wire. */
  readonly key?: string;
  readonly params: ElicitRequest["params"];
  readonly signal?: AbortSignal;
}

/** The client, as the opener of a session's offer may ask it. */
export interface Client {
  /** Folders the client works in; none when it does not say. */
  roots(): Promise<readonly string[]>;
}

/** A session cannot be opened, for a reason its client may know. */
export class SessionRefused extends Error {
  override readonly name = "Unopened";
}

/** The name is nobody's. It is an error of the protocol, not a result. */
export class UnknownTool extends Error {
  override readonly name = "UnknownTool";
}
