/** An option as it is typed, and what it does. A value in angle brackets is wanted; `<file>`, `<folder>` and `<path>` are looked for on the disk. */
export type OptionSpec = readonly [flags: string, help: string];

/** A command and its words. Help, completion and the manual are made from it. What it does is in actions.ts, which is not read before it is needed. */
export interface CommandSpec {
  readonly usage: string;
  /** Without a capital and a full stop. */
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  readonly words: readonly string[] | "its own";
  /** The words that can come first. */
  readonly first?: readonly string[];
  /** Options that the command reads itself. */
  readonly ownOptions?: readonly OptionSpec[];
  /** The values that an option takes. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
}

export const JSON_OPTION = ["--json", "print JSON"] as const;
