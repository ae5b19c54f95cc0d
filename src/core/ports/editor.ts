/** An editor that lends its buffers and its terminal. What it does not offer is done on this machine. */
export interface Editor {
  readonly buffers?: Buffers;
  readonly terminal?: EditorTerminal;
}

/** Files as the person sees them, unsaved changes included. Paths are absolute and were judged before. */
export interface Buffers {
  /** Rejects with `EditorRefused` when the editor will not: then nobody reads the file. After any other failure the file on disk is read. */
  read?(path: string, signal: AbortSignal): Promise<string>;
  write?(path: string, text: string, signal: AbortSignal): Promise<void>;
}

/**
 * Where the person watches a command. It is handed the whole sandbox command line; where there are no walls, only what cleans the environment
 * stands before the command. It runs on this machine, as this user.
 */
export interface EditorTerminal {
  /** Ends when the command has ended, the time is up or the signal says so; then everything it started has been killed and what it printed so far is in `output`. */
  run(line: TerminalLine, signal: AbortSignal): Promise<TerminalEnd>;
}

/** The editor was asked and said no. Zeph does not do by itself what was refused. */
export class EditorRefused extends Error {
  override readonly name = "EditorRefused";
}

/** Nothing was started and nothing will be: the command may be run elsewhere. Any other failure leaves open what happened. */
export class TerminalUnavailable extends Error {
  override readonly name = "TerminalUnavailable";
}

/** A command that an editor is to run in its terminal. */
export interface TerminalLine {
  /** The call it belongs to. */
  readonly callId: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Aborts when that time is up: later than a timer would say where somebody was asked meanwhile. */
  readonly over?: AbortSignal;
  /** The editor keeps no more than this; the end of the output is what counts. */
  readonly outputBytes: number;
}

/** How a command in an editor's terminal ended. */
export interface TerminalEnd {
  readonly output: string;
  readonly truncated: boolean;
  /** Null when a signal ended it, or we did. */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly stopped?: "timeout" | "aborted";
}
