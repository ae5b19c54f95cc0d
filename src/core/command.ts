import type { Media } from "./media/media.ts";

/** A command that a person types with a slash. A feature of the agent brings it; a terminal or an editor offers it. */
export interface SlashCommand {
  /** With its slash. */
  readonly name: `/${string}`;
  readonly usage: string;
  /** Without a capital and a full stop. */
  readonly help: string;
  /** Completions for the tab key. */
  complete?(rest: string): readonly string[] | Promise<readonly string[]>;
  /** A mistake of the person's is thrown as a CommandError. */
  run(rest: string, signal: AbortSignal): Promise<Reply>;
}

/** The text the person reads, and optionally a message that is then sent to the model in the person's name. */
export interface Reply {
  readonly text: string;
  readonly send?: string;
  /** Texts of strangers that go with the message. */
  readonly quotes?: readonly Quote[];
}

/** A stranger's text that a person sends along with a message. */
export interface Quote {
  /** A prompt is to be followed; a resource is to be read. */
  readonly kind: "prompt" | "resource";
  /** The MCP server that wrote it, as the person knows it. */
  readonly server: string;
  /** The command of the prompt, or the address of the resource. */
  readonly name: string;
  readonly text: string;
  /** Images beside the text, which names them. */
  readonly media?: readonly Media[];
}

/** A slash command cannot be carried out; the message says why and what to type. */
export class CommandError extends Error {
  override name = "CommandError";

  /** JSON keeps no message of an error by itself. */
  toJSON(): object {
    return { name: this.name, message: this.message };
  }
}
