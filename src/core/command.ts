/** What a person types with a slash. A part of the agent brings it; a terminal or an editor offers it. */
export interface SlashCommand {
  /** With its slash. */
  readonly name: `/${string}`;
  readonly usage: string;
  /** Without a capital and a full stop. */
  readonly help: string;
  /** What could follow, for the tab key. */
  complete?(rest: string): readonly string[] | Promise<readonly string[]>;
  /** A mistake of the person's is thrown as a CommandError. */
  run(rest: string, signal: AbortSignal): Promise<Reply>;
}

/** What the person reads; and, if there is one, what is then said to the model in their name. */
export interface Reply {
  readonly text: string;
  readonly send?: string;
}

/** What was typed cannot be done; the message says why and what to type. */
export class CommandError extends Error {
  override name = "CommandError";
}
