import type { ToolCall } from "../core/call.ts";
import { ToolError } from "../core/error.ts";
import type { Facts } from "../core/ports/facts.ts";
import { attempt } from "../text/attempt.ts";
import { copyPath } from "./copy-path.ts";
import { deletePath } from "./delete-path.ts";
import { assertEditInput, edit, editedText } from "./edit.ts";
import { movePath } from "./move-path.ts";

const CHANGES: ReadonlySet<unknown> = new Set([edit, movePath, copyPath, deletePath]);

/**
 * Why a call of a file tool fails whatever a person says about it; null where that is not known. What is in a file, and whether it is there, is
 * told only where the caller might read it without a question: `mayRead`.
 */
export async function explainDoomed(
  { tool, input, touches }: Pick<ToolCall, "tool" | "input" | "touches">,
  { canonical, exists, isStale, peek }: Pick<Facts, "canonical" | "exists" | "isStale" | "peek">,
  mayRead: (path: string) => Promise<boolean>,
): Promise<ToolError | null> {
  if (!CHANGES.has(tool)) return null;
  try {
    if (tool === edit) {
      assertEditInput(input);
      const path = attempt(() => canonical(input.path), null);
      // Who has read it knows what is in it.
      if (path !== null && isStale?.(path) === true) throw changedSinceRead(input.path);
    }
    for (const touch of touches) {
      if (touch.kind !== "path" || !(await mayRead(touch.path))) return null;
      const isThere = exists(touch.path);
      if (touch.access !== "write" && !isThere)
        throw new ToolError("permanent_failure", `${touch.path}: does not exist (ENOENT).`, { advice: "Check the path." });
      if (touch.access === "write" && isThere && tool !== edit)
        throw new ToolError("permanent_failure", `${touch.path} exists already. Choose another destination.`);
    }
    const text = tool === edit ? await peek?.(input.path) : undefined;
    if (typeof text === "string") editedText(text, input);
    return null;
  } catch (error) {
    return error instanceof ToolError ? error : null;
  }
}

const changedSinceRead = (path: string): ToolError =>
  new ToolError("permanent_failure", `${path} changed on disk since it was last read here. Read it again, then edit.`);
