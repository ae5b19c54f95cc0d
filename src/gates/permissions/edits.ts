import type { ToolCall } from "../../core/call.ts";
import type { Facts } from "../../core/ports/facts.ts";
import type { PathTouch } from "../../core/touch.ts";
import type { TurnContext } from "../../core/turn.ts";
import { attempt } from "../../text/attempt.ts";
import { canonicalJson } from "../../text/json.ts";
import { isWithin } from "../../text/path.ts";
import { callerOf } from "./identity.ts";

/**
 * Whether a call only edits files of the workspace: a tool that changes files, every place it changes lies there as it really is, and what it
 * takes away is kept before. To delete a folder is more than an edit.
 */
export function isWorkspaceEdit(call: ToolCall, facts: Facts): boolean {
  if (call.tool.effect !== "writes") return false;
  const changed = call.touches.filter((touch): touch is PathTouch => touch.kind === "path" && touch.access !== "read");
  if (changed.length === 0 || call.touches.some(({ kind }) => kind !== "path")) return false;
  return changed.every((touch) => {
    const real = attempt(() => (touch.access === "delete" ? facts.entry : facts.canonical)(touch.path), null);
    if (real === null || real === facts.cwd || !isWithin(facts.cwd, real)) return false;
    return touch.access === "write" || facts.wouldKeep?.(touch) === true;
  });
}

/** The key of a yes to all edits: it covers the caller it was given to, and no skill or other caller. */
export const editsKey = (turn: TurnContext): string => canonicalJson([callerOf(turn) ?? null, turn.skillName ?? null]);
