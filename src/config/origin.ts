/** Who set a value. */
export interface Origin {
  readonly layer: "built-in" | "user" | "project" | "environment" | "flag";
  readonly file?: string;
  readonly line?: number;
  /** The variable or the flag. */
  readonly name?: string;
  /** When the value was added to another and did not replace it: whose that was. */
  readonly addedTo?: Origin;
}

export interface SetValue {
  readonly value: unknown;
  readonly origin: Origin;
}
