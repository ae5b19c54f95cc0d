import type { Effect } from "../core/tool.ts";
import type { Touch } from "../core/touch.ts";

/** What is known of a call before it runs: enough to say whether another may run beside it. Paths are canonical. */
export interface IntendedCall {
  readonly effect: Effect;
  readonly touches: readonly Touch[];
}

/** Calls of one message run side by side, at most so many; one that might disturb an earlier one waits for it. */
export async function runSideBySide<T>(
  calls: readonly (IntendedCall & { readonly run: () => Promise<T> })[],
  limit: number,
): Promise<readonly T[]> {
  const running = new Set<Promise<unknown>>();
  const started: Promise<T>[] = [];
  for (const [n, call] of calls.entries()) {
    await Promise.all(started.filter((_, earlier) => disturbs(calls[earlier]!, call)));
    while (running.size >= limit) await Promise.race(running);
    const mine = call.run();
    started[n] = mine;
    running.add(mine);
    void mine.finally(() => running.delete(mine)).catch(() => {});
  }
  // Whoever fails waits for the others: nothing goes on when this is over.
  await Promise.allSettled(started);
  return Promise.all(started);
}

/** Whether two calls may not overlap: both change something, or one changes what the other may look at. */
export function disturbs(a: IntendedCall, b: IntendedCall): boolean {
  if (isQuiet(a) && isQuiet(b)) return false;
  // A model that writes an edit and then a test means the test of what was edited.
  if (!isQuiet(a) && !isQuiet(b)) return true;
  const [quiet, other] = isQuiet(a) ? [a, b] : [b, a];
  if (quiet.effect === "fetches") return false;
  // Which files a command changes is not known before it has run.
  return other.effect === "writes" ? meet(a, b) : true;
}

/** Changes nothing a tool could see. */
const isQuiet = ({ effect }: IntendedCall) => effect === "reads" || effect === "fetches";

const meet = (a: IntendedCall, b: IntendedCall): boolean =>
  paths(a).some((one) => paths(b).some((other) => (one.access !== "read" || other.access !== "read") && overlap(one.path, other.path)));

const paths = ({ touches }: IntendedCall) => touches.flatMap((touch) => (touch.kind === "path" ? [touch] : []));

/** The same place, or one inside the other: a folder that is moved takes its files with it. */
function overlap(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}
