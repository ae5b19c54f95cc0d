import { commandLinesAbove } from "../../../files/agent-process.ts";
import { isProcessOf } from "../../../hook/install/client-process.ts";
import { readInstalled } from "../../../hook/install/installed.ts";
import type { Desk } from "../../../runtime/settings/stores.ts";
import { assertNoAgentAbove } from "../ask/agent-above.ts";
import { UsageError } from "../io.ts";

/** What decides about a governed agent is decided by a person: not by the agent, nor by what it started, behind walls or not. */
export function assertPersonHere(at: Desk["at"], command: string): void {
  assertNoAgentAbove(at, command);
  const governed = new Set(readInstalled(at.state).map(({ client }) => client));
  const client = [...governed].find((name) => commandLinesAbove(process.pid).some((words) => isProcessOf(name, words)));
  if (client !== undefined)
    throw new UsageError(
      `${command} was started by ${client}, which Zeph governs, and only a person may do that. Type it in a terminal of your own.`,
    );
}
