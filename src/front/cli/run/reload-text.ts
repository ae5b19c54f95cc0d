import type { ZephEvent } from "../../../core/event.ts";
import { visible } from "../../../text/visible.ts";
import { prose, type Terminal } from "../terminal/terminal.ts";

export type ReloadEvent = Extract<ZephEvent, { type: "reload" }>;

/** The text for a person when the rules were read again. */
export function reloadText({ changed, later, problem, mended }: Omit<ReloadEvent, "type">): string {
  if (problem !== undefined) return `The changed rules are not used; the old rules stay: ${problem}`;
  const waits = later.length === 0 ? "" : ` After the next start: ${later.join(", ")}.`;
  const same = mended ? "The rules are valid again; nothing has changed." : "No rule has changed.";
  return changed.length === 0 ? `${same}${waits}` : `New rules count from now on: ${changed.join(", ")}.${waits}`;
}

export function printReload(event: ReloadEvent, { stderr, err }: Terminal): void {
  const colour = event.problem === undefined ? err.dim : err.yellow;
  stderr.write(`${colour(prose(visible(reloadText(event)), stderr))}\n`);
}
