/** One program that a tool starts by itself. */
export interface LocalProgram {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Less than what a command may take, when that is used up in part. */
  readonly timeoutMs?: number;
}
