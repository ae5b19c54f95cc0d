/** How a run of the tests ended, as test/verdict-reporter.ts writes it. */
export interface Verdict {
  /** vitest was interrupted, or an error came from outside of all tests. */
  readonly hasCrashed: boolean;
  readonly files: readonly {
    readonly file: string;
    readonly passed: number;
    readonly skipped: number;
    readonly failed: readonly { readonly name: string; readonly message: string }[];
  }[];
}

export declare function runWithSecondChance(
  run: (args: string[], env: { VERDICT_FILE: string }) => Promise<number>,
  words?: string[],
  say?: (text: string) => void,
): Promise<number>;
