import type { ElicitResult } from "@modelcontextprotocol/server";

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];

/** What a client answered, if it is an answer. What a form holds is looked at by whoever asked. */
export function readElicitResult(given: unknown): ElicitResult | null {
  if (typeof given !== "object" || given === null) return null;
  const { action, content } = given as { action?: unknown; content?: unknown };
  if (!ACTIONS.includes(action)) return null;
  if (action !== "accept") return { action } as ElicitResult;
  if (content !== undefined && (typeof content !== "object" || content === null || Array.isArray(content))) return null;
  return { action, ...(content !== undefined && { content }) } as ElicitResult;
}
