import type { ElicitResult } from "@modelcontextprotocol/server";
import { isRecord, record } from "../../text/json.ts";

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];

/** The answer of a client; null when it is none. The fields of a form are checked where the question was asked. */
export function readElicitResult(given: unknown): ElicitResult | null {
  const { action, content } = record(given);
  if (!ACTIONS.includes(action)) return null;
  if (action !== "accept") return { action } as ElicitResult;
  if (content !== undefined && !isRecord(content)) return null;
  return { action, ...(content !== undefined && { content }) } as ElicitResult;
}
