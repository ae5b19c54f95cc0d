import type { ToolOutput } from "../core/tool.ts";

/** The line for a rollback without counts. */
export const ROLLED_BACK = "rolled back";

const COUNTS = /^rolled back after exit code \d+: (\d+) restored, (\d+) removed/;

/** The rollback of a call in one line: `rolled back: 2 restored`. Null without a rollback. */
export function rollbackWords(output: Pick<ToolOutput, "rollback"> | undefined): string | null {
  if (output?.rollback === undefined) return null;
  const [, restored, removed] = COUNTS.exec(output.rollback) ?? [];
  // The host of a program may use other words.
  if (restored === undefined) return ROLLED_BACK;
  const counts = [...(restored === "0" ? [] : [`${restored} restored`]), ...(removed === "0" ? [] : [`${removed} removed`])];
  return `rolled back: ${counts.length === 0 ? "nothing had changed" : counts.join(", ")}`;
}
