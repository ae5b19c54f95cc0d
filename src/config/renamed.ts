/** Keys that had another name once. Add a line here: the error, the hint for variables and `--migrate-config` follow. */
export interface Rename {
  readonly from: string;
  readonly to: string;
  /** When the meaning changed too: what the new key holds. */
  readonly value?: (old: unknown) => unknown;
}

export const RENAMED_SETTINGS: readonly Rename[] = [
  { from: "agent.max_tool_retries", to: "tools.retry.max_attempts" },
  { from: "agent.max_retry_duration_secs", to: "tools.retry.budget_secs" },
  { from: "tools.sandbox.disabled", to: "tools.sandbox.enabled", value: (disabled) => disabled !== true },
];
