/** The layer that set a value, and where. */
export interface SettingOrigin {
  readonly layer: "built-in" | "user" | "project" | "environment" | "flag" | "policy";
  readonly file?: string;
  readonly line?: number;
  /** The variable, the flag, or the policy of a fleet. */
  readonly name?: string;
  /** When the value was added to another and did not replace it: whose that was. */
  readonly addedTo?: SettingOrigin;
}

export interface SetValue {
  readonly value: unknown;
  readonly origin: SettingOrigin;
}
