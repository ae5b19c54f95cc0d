import type { ZephEvent } from "../../../core/event.ts";
import type { Agent } from "../../../runtime/agent/agent-types.ts";

/** Commands in the background whose end nobody has told yet. */
export interface BackgroundRuns {
  add(event: ZephEvent): void;
  /** Commands that end with the agent. Those that have ended by themselves are told first. */
  left(agent: Agent, tell: (event: ZephEvent) => Promise<void>): Promise<readonly BackgroundRun[]>;
}
export interface BackgroundRun {
  readonly runId: string;
  readonly command: string;
}

/** Knows them by what was told: a command was started, has ended, or was waited for or killed. */
export function createBackgroundRuns(): BackgroundRuns {
  const runs = new Map<string, string>();
  const self: BackgroundRuns = {
    add(event) {
      if (event.type === "background") runs.delete(event.runId);
      if (event.type !== "tool_end" || !event.outcome.ok) return;
      const { args } = event.request as { args: { command?: unknown; run_id?: unknown } | null };
      const { raw, exitCode } = event.outcome.output;
      const started = (raw as { run_id?: unknown } | undefined)?.run_id;
      if (typeof started === "string") runs.set(started, String(args?.command ?? ""));
      else if (exitCode !== undefined && typeof args?.run_id === "string") runs.delete(args.run_id);
    },
    async left({ zeph, pending }, tell) {
      for (const { runId, command, ran } of zeph.takeCompletions()) {
        const event = { type: "background", runId, command, exitCode: ran.exitCode } as const;
        self.add(event);
        await tell(event);
      }
      return pending() === 0 ? [] : [...runs].map(([runId, command]) => ({ runId, command }));
    },
  };
  return self;
}
