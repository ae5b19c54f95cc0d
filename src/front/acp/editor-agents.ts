import type { Quote, SlashCommand } from "../../core/command.ts";
import type { Confirm, Question, ZephEvent } from "../../core/event.ts";
import type { Editor } from "../../core/ports/editor.ts";
import type { Elicit } from "../../core/ports/elicitation.ts";
import type { Message } from "../../core/ports/model.ts";
import type { Conversation } from "../../core/ports/store.ts";

/** The agents behind the protocol, and the conversations that are kept. */
export interface EditorAgents {
  /** Why no session may work in this folder, which is there; null when one may. */
  refusal(folder: string): string | null;
  /** A new conversation under this id. It is kept from its first word on. */
  begin(id: string, wish: SessionRequest): Promise<EditorSession>;
  /** Null when there is no such conversation. One of another folder is refused with a ConversationError. */
  resume(id: string, wish: SessionRequest): Promise<EditorSession | null>;
  /** Newest first. */
  list(filter: { readonly cwd?: string; readonly limit: number }): Promise<readonly Conversation[]>;
  delete(id: string): Promise<boolean>;
}

export interface SessionRequest {
  /** Absolute, and a folder that is there. */
  readonly cwd: string;
  readonly servers: readonly EditorServer[];
  readonly host: EditorHost;
}

/** The services of an editor for one session. */
export interface EditorHost {
  readonly confirm: Confirm;
  readonly elicit: Elicit;
  readonly editor: Editor;
  /** Takes events between turns. */
  aside(event: ZephEvent): void;
}

/** An MCP server as the editor knows it. */
export type EditorServer =
  | { readonly kind: "stdio"; readonly name: string; readonly command: string; readonly args: readonly string[]; readonly env: Pairs }
  | { readonly kind: "http"; readonly name: string; readonly url: string; readonly headers: Pairs }
  | { readonly kind: "sse"; readonly name: string };
export type Pairs = readonly { readonly name: string; readonly value: string }[];

export type EditorAutonomy = "readonly" | "supervised" | "edits" | "full";

/** What goes with a message: texts of strangers, and what the person wrote of it themselves, which may name resources of servers. */
export interface SentBeside {
  readonly quotes?: readonly Quote[];
  readonly mentions?: string;
}

/** One conversation with an agent, in one folder. */
export interface EditorSession {
  readonly cwd: string;
  /** Warnings that the person should know from the start. */
  readonly warnings: readonly string[];
  /** One turn, up to `done`. One at a time. */
  send(text: string, signal: AbortSignal, beside: SentBeside): AsyncIterable<ZephEvent>;
  commands(): readonly SlashCommand[];
  /** Everything that was said, oldest first. */
  history(): AsyncIterable<Message>;
  /** The questions whose answers come later. */
  openQuestions(): Promise<readonly Question[]>;
  models(): Models;
  /** From the next turn on. Throws an Error that says what is wrong. */
  useModel(value: string): Promise<void>;
  /** A text without secrets. */
  redact(text: string): string;
  autonomy(): EditorAutonomy;
  chooseAutonomy(autonomy: EditorAutonomy): void;
  /** Ends what runs and everything it started. */
  close(): Promise<void>;
}

export interface Models {
  readonly current: string;
  readonly options: readonly { readonly value: string; readonly name: string; readonly description?: string }[];
}
