import type { ToolCall } from "../core/call.ts";
import { keepRecent } from "../text/keep-recent.ts";

const MOST_TURNS = 32;

/** Commands that are called again in one turn with nothing written between. The second answer is not shortened: the model wants to see all of it. */
export function createRepeatedCalls(): { seen(call: ToolCall, turnId: string): boolean } {
  const turns = new Map<string, Set<string>>();
  return {
    seen(call, turnId) {
      const commands = keepRecent(turns, turnId, turns.get(turnId) ?? new Set(), MOST_TURNS);
      const key = call.tool.effect === "runs" ? JSON.stringify([call.input, call.cwd ?? null]) : null;
      if (key !== null && commands.has(key)) return true;
      if (mayWrite(call)) commands.clear();
      if (key !== null) commands.add(key);
      return false;
    },
  };
}

function mayWrite({ tool, touches }: ToolCall): boolean {
  if (tool.effect === "reads" || tool.effect === "fetches" || tool.effect === "stores") return false;
  if (tool.effect !== "runs") return true;
  return touches.some((touch) => touch.kind === "unknown" || (touch.kind === "path" && touch.access !== "read"));
}
