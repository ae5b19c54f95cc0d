import { CATEGORIES, type ToolError } from "../core/error.ts";
import type { Effect } from "../core/tool.ts";

/** Only what changes nothing is tried again: a write that failed half way must be seen, not repeated. */
export const mayRetry = (effect: Effect, error: ToolError): boolean =>
  (effect === "reads" || effect === "fetches") && CATEGORIES[error.category].retry === "system";
