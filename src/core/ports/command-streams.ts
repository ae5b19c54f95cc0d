/** The streams of whoever waits for a command, lent to it while it runs. What it prints is also kept, as for any command. */
export interface CommandStreams {
  /** Whether there is anything for it to read. */
  readonly stdin: boolean;
  /** Variables for this command alone. */
  readonly env: Readonly<Record<string, string>>;
  /** Every byte once, as it comes. */
  output(bytes: Buffer, stream: "stdout" | "stderr"): void;
  started(running: RunningCommand): void;
  /** As a shell says it: 128 and the signal's number for a command that was killed. */
  ended(exitCode: number): void;
}

/** What can be done to a command that runs. */
export interface RunningCommand {
  /** Hands over what it is to read. False when it has not read the last of it; `drained` is called when it has. */
  write(bytes: Buffer, drained: () => void): boolean;
  /** There is nothing more to read. */
  end(): void;
  /** To everything it started, as a terminal does. Its walls are not told. False when nothing was found that hears it. */
  signal(number: number): boolean;
}
