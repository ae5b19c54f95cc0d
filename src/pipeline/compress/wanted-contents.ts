import type { ToolCall } from "../../core/call.ts";
import { facetsOf } from "../../core/facets.ts";
import { type ContentsAsked, contentsAsked } from "../../filters/contents.ts";

/** The contents that a call asks to see: a file that is read, or what `cat` and `git diff` print. null when it asks for something to be done. */
export function askedForBy({ tool, input }: ToolCall): ContentsAsked | null {
  const given: Readonly<Record<string, unknown>> = typeof input === "object" && input !== null ? { ...input } : {};
  if (facetsOf(tool).shape === "file") {
    const names = typeof given.path === "string" ? [given.path.replace(/^.*\//, "")] : [];
    return { names, lines: "offset" in given || "limit" in given ? "chosen" : "all" };
  }
  return tool.effect === "runs" && typeof given.command === "string" ? contentsAsked(given.command) : null;
}
