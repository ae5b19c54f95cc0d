import { actionFor } from "../command.ts";
import type { Invocation } from "../program/invocation.ts";

const ACTIONS: Readonly<Record<string, (given: Invocation) => Promise<number>>> = {
  status: async (given) => (await import("./status.ts")).fleetStatus(given),
  workers: async (given) => (await import("./status.ts")).fleetWorkers(given),
  drain: async (given) => (await import("./status.ts")).fleetDrain(given),
  tasks: async (given) => (await import("./tasks.ts")).fleetTasks(given),
  task: async (given) => (await import("./tasks.ts")).fleetTask(given),
  cancel: async (given) => (await import("./tasks.ts")).fleetCancel(given),
  results: async (given) => (await import("./results.ts")).fleetResults(given),
  approvals: async (given) => (await import("./approvals.ts")).fleetApprovals(given),
  approve: async (given) => (await import("./approvals.ts")).fleetApprove(given),
  deny: async (given) => (await import("./approvals.ts")).fleetDeny(given),
  policy: async (given) => (await import("./policy.ts")).fleetPolicy(given),
  audit: async (given) => (await import("./audit.ts")).fleetAudit(given),
  token: async (given) => (await import("./token.ts")).fleetToken(given),
};

/** `zeph fleet`: what many machines do, and what they may do. */
export async function fleet({ words: [word = "status", ...rest], ...given }: Invocation): Promise<number> {
  return actionFor("fleet", word, ACTIONS)({ ...given, words: rest });
}
