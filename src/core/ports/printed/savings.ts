/** What filters took out of what commands printed, in sums for each day. */
export interface Savings {
  /** Adds to the row of its day, kind, rule and confidence. */
  add(saved: SavedSum): Promise<void>;
  /** From this day on, oldest first. */
  list(filter: { readonly since: string }): Promise<readonly SavedSum[]>;
}
/** What was saved on one day with one kind of command. */
export interface SavedSum {
  /** 2026-11-18, where the person is. */
  readonly day: string;
  /** "npm test", "git log": a program and its subcommand. */
  readonly kind: string;
  /** Null where no rule of its own shortened it. */
  readonly rule: string | null;
  readonly confidence: "full" | "partial" | "fallback";
  readonly uses: number;
  readonly rawChars: number;
  readonly chars: number;
}
