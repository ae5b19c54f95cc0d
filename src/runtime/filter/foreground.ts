import type { CommandLine } from "../../host/sandbox/backends/perl.ts";
import { prefixVariables, withWatchdog } from "../../host/sandbox/watchdog.ts";

/** A person's own command in front of their terminal, as a line that ends when we do. Descriptor 3 is where we are watched. */
export interface Foreground extends CommandLine {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether descriptor 3 has to be a pipe that we hold. */
  readonly isWatched: boolean;
}

export function foregroundLine(
  line: CommandLine,
  signals: { readonly pass: readonly string[]; readonly hear: readonly string[] },
): Foreground {
  const guarded = withWatchdog(line, { at: WATCH_FD, renamed: true, foreground: signals });
  return guarded ? { ...guarded, env: prefixVariables(process.env), isWatched: true } : { ...line, env: process.env, isWatched: false };
}

const WATCH_FD = 3;
