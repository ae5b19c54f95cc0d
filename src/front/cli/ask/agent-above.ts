import type { Desk } from "../../../runtime/create.ts";
import { isStartedByAgent } from "../../../runtime/live/agent-above.ts";
import { UsageError } from "../io.ts";

/** Throws a UsageError where this process was started by an agent. */
export function assertNoAgentAbove(at: Desk["at"], command: string): void {
  if (isStartedByAgent(at)) throw new UsageError(`${command} was started by an agent, and only a person may do that.`);
}
