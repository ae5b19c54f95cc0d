import { isBelowAgent } from "../../../files/agent-process.ts";
import { UsageError } from "../io.ts";

/** Throws a UsageError where this process was started by an agent. */
export function assertNoAgentAbove(log: string, command: string): void {
  if (isBelowAgent(process.pid, log)) throw new UsageError(`${command} was started by an agent, and only a person may do that.`);
}
