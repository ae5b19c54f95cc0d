import type { NetworkPlace } from "../network/session-network.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { EgressCommand } from "./approvals.ts";
import type { CommandEgress } from "./command-egress.ts";
import type { EgressReport } from "./egress.ts";
import { egressHint, unansweredNames } from "./refusal-hint.ts";
import { proxyVariables } from "./variables.ts";

/** The way out of one command: what it is given to find the proxy, and what is told of it at the end. */
export interface WayOut {
  readonly policy: Policy;
  /** The command has ended. Its connections are recorded when this resolves. */
  end(exitCode: number): Promise<WayOutReport>;
}

export interface WayOutReport {
  /** Which name it could not reach, for a command that failed. */
  readonly hint?: string;
  /** The same for one that went on without. */
  readonly notes: readonly string[];
  readonly unanswered: readonly string[];
}

/** Where a command has no place in a network that leads to the proxy, nothing is different for it. */
export function beginWayOut(
  egress: CommandEgress | undefined,
  place: NetworkPlace | null,
  policy: Policy,
  command: EgressCommand | null,
): WayOut {
  const run = place?.forwards && command ? egress?.begin(command) : null;
  if (!run) return { policy, end: async () => ({ notes: [], unanswered: [] }) };
  return {
    // What was exported on purpose wins: inside there is nowhere else to go.
    policy: { ...policy, env: { ...proxyVariables(run.credential), ...policy.env } },
    end: async (exitCode) => reportOf(await run.end(), exitCode),
  };
}

function reportOf(report: EgressReport, exitCode: number): WayOutReport {
  const hint = egressHint(report);
  if (hint === undefined) return { notes: [], unanswered: [] };
  return exitCode === 0 ? { notes: [hint], unanswered: [] } : { hint, notes: [], unanswered: unansweredNames(report) };
}
