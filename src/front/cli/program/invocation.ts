import type { Settings } from "../runtime.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** A command as it was typed. */
export interface Invocation {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly settings: Settings;
  readonly terminal: Terminal;
}
