import type { ToolOutput } from "../core/tool.ts";

/** Where nothing more is known. */
export const ROLLED_BACK = "rolled back";

const COUNTS = /^rolled back after exit code \d+: (\d+) restored, (\d+) removed/;

/** What was undone, for the line of a call: `rolled back: 2 restored`. Null where nothing was. */
export function rollbackWords(output: Pick<ToolOutput, "rollback"> | undefined): string | null {
  if (output?.rollback === undefined) return null;
  const [, restored, removed] = COUNTS.exec(output.rollback) ?? [];
  // A host of a program's own has words of its own.
  if (restored === undefined) return ROLLED_BACK;
  const counts = [...(restored === "0" ? [] : [`${restored} restored`]), ...(removed === "0" ? [] : [`${removed} removed`])];
  return `rolled back: ${counts.length === 0 ? "nothing had changed" : counts.join(", ")}`;
}
