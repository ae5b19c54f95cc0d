import type { ZephEvent } from "../../../core/event.ts";
import type { CompactionMethod } from "../../../core/ports/store.ts";
import { wallsName } from "../../../core/ports/walls.ts";
import { currentBranch } from "../../../files/git-repository.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";

/** Counts what the events of a session tell, for the status line and the panel. */
export interface SessionCounts {
  add(event: ZephEvent): void;
  /** How full the context is; null before the first answer. */
  context(): { readonly used: number; readonly budget: number } | null;
  tokens(): { readonly input: number; readonly cached: number; readonly output: number };
  cost(): number | undefined;
  calls(): { readonly ok: number; readonly failed: number; readonly denied: number };
  compactions(): readonly { readonly method: CompactionMethod; readonly before: number; readonly after: number }[];
  rollbacks(): readonly string[];
  branch(): string | undefined;
  /** What makes the walls; null until it is known. */
  walls(): string | null;
  /** Looks at what no event tells: the walls, and the branch. */
  look(agent: Agent): Promise<void>;
}

const MOST_KEPT = 50;

export function createSessionCounts(): SessionCounts {
  let context: { used: number; budget: number } | null = null;
  let tokens = { input: 0, cached: 0, output: 0 };
  let cost: number | undefined;
  const calls = { ok: 0, failed: 0, denied: 0 };
  const compactions: { method: CompactionMethod; before: number; after: number }[] = [];
  const rollbacks: string[] = [];
  let branch = currentBranch(process.cwd());
  let walls: string | null = null;
  const keep = <T>(list: T[], one: T) => {
    list.push(one);
    if (list.length > MOST_KEPT) list.shift();
  };
  return {
    add(event) {
      if (event.type === "usage") {
        const { input, cacheRead, output } = event.usage;
        tokens = { input: tokens.input + input, cached: tokens.cached + cacheRead, output: tokens.output + output };
        context = event.context;
      }
      if (event.type === "done" && event.totals.cost !== undefined) cost = (cost ?? 0) + event.totals.cost;
      if (event.type === "compacted") keep(compactions, { method: event.method, ...event.tokens });
      if (event.type !== "tool_end") return;
      const { outcome } = event;
      const isFailed = !outcome.ok || (outcome.output.exitCode ?? 0) !== 0;
      calls[!outcome.ok && outcome.decision.verdict === "deny" ? "denied" : isFailed ? "failed" : "ok"] += 1;
      const undone = outcome.output?.rollback;
      if (undone !== undefined) keep(rollbacks, String(undone));
      // A command may have changed the branch.
      if (outcome.ok && outcome.output.exitCode !== undefined) branch = currentBranch(process.cwd());
    },
    context: () => context,
    tokens: () => tokens,
    cost: () => cost,
    calls: () => calls,
    compactions: () => compactions,
    rollbacks: () => rollbacks,
    branch: () => branch,
    walls: () => walls,
    async look({ zeph }) {
      branch = currentBranch(process.cwd());
      const reach = await zeph.reach().catch(() => null);
      walls = reach ? wallsName(reach.walls) : walls;
    },
  };
}
