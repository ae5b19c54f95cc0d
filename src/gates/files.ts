import { type Gate, PASS } from "../core/door.ts";
import { ToolError } from "../core/error.ts";
import type { Facts } from "../core/facts.ts";
import { commandOf } from "./commands.ts";

/** Asks the host's own check, so that judging a call and running it never disagree. Commands have walls of their own. */
export const files = (facts: Facts): Gate => ({
  name: "files",
  async judge(call) {
    if (commandOf(call) !== null) return PASS;
    for (const touch of call.touches) {
      if (touch.kind !== "path") continue;
      const refusal = await access(facts, touch);
      if (refusal) return { kind: "deny", rule: refusal.rule, why: refusal.why };
    }
    return PASS;
  },
});

/** A path that cannot be resolved (a loop of links, a name too long) cannot be opened either, and the host says why. */
async function access(facts: Facts, touch: Parameters<Facts["access"]>[0]) {
  try {
    return await facts.access(touch);
  } catch (error) {
    if (error instanceof ToolError) return null;
    throw error;
  }
}
