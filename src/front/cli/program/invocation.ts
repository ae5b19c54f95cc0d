import type { Installed } from "../../../files/own-place.ts";
import type { FirstAnswer } from "../../../runtime/serve/start.ts";
import type { ChatPrompt } from "../chat/prompt.ts";
import type { GlobalSettings } from "../runtime.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** The words of a command, and the person's own command after the first `--`, whatever it looks like; null when there is none. */
export function splitCommand({ words, argv }: Pick<Invocation, "words" | "argv">): {
  readonly words: readonly string[];
  readonly command: readonly string[] | null;
} {
  const at = argv.indexOf("--");
  if (at === -1) return { words, command: null };
  const command = argv.slice(at + 1);
  const before = words.slice(0, words.length - command.length);
  // It stays where an option stood before it.
  return { words: before.at(-1) === "--" ? before.slice(0, -1) : before, command };
}

/** What a command began with, while the rest of the program was still to be read (bin/zeph.cjs). */
export interface Begun {
  /** Of a chat. */
  readonly prompt?: ChatPrompt | null;
  /** Of `zeph mcp`: the client that was answered already. */
  readonly answered?: FirstAnswer | null;
  /** What is installed, where this process was started from a copy of it. */
  readonly installed?: Installed | null;
}

/** A command as it was typed. */
export interface Invocation {
  readonly words: readonly string[];
  /** All of the command line. What stands after a `--` can be told only here. */
  readonly argv: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly settings: GlobalSettings;
  readonly terminal: Terminal;
  readonly answered?: Begun["answered"];
}
