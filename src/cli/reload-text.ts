import type { ZephEvent } from "../core/event.ts";

/** What a person reads when the rules were read again. */
export function reloadText({ changed, later, problem }: Extract<ZephEvent, { type: "reload" }>): string {
  if (problem !== undefined) return `The changed rules are not used, those before stay: ${problem}`;
  const waits = later.length === 0 ? "" : ` After the next start: ${later.join(", ")}.`;
  return changed.length === 0 ? `No rule has changed.${waits}` : `New rules count from now on: ${changed.join(", ")}.${waits}`;
}
