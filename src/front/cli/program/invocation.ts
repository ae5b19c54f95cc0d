import type { Settings } from "../runtime.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** A command as it was typed. */
export interface Invocation {
  readonly words: readonly string[];
  /** All of the command line. What stands after a `--` can be told only here. */
  readonly argv: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
  readonly terminal: Terminal;
}
