import { commandLineOf, processesAbove, processesOfHome, variablesOf } from "../../../files/agent-process.ts";
import { seatOf } from "../../../files/terminal-seat.ts";
import type { ClientName } from "../../../hook/client.ts";
import { isMarkedBy, isProcessOf } from "../../../hook/install/client-process.ts";
import { readInstalled } from "../../../hook/install/installed.ts";
import type { Desk } from "../../../runtime/settings/stores.ts";
import { assertNoAgentAbove } from "../ask/agent-above.ts";
import { UsageError } from "../io.ts";

/**
 * What decides about a governed agent is decided by a person: not by the agent, nor by what it started, behind walls or not. A process can leave the
 * ones that started it, so the variables that the agent gave it count as well; and while such an agent runs, a person is somebody at a terminal that no
 * program has made. Where no agent runs, a script may do it.
 */
export function assertPersonHere(at: Desk["at"], command: string): void {
  assertNoAgentAbove(at, command);
  const governed = [...new Set(readInstalled(at.state).map(({ client }) => client))];
  if (governed.length === 0) return;
  const above = processesAbove(process.pid);
  const lines = above.map(commandLineOf);
  const variables = [process.env, ...above.map((pid) => variablesOf(pid) ?? {})];
  const client = governed.find(
    (name) => lines.some((words) => isProcessOf(name, words)) || variables.some((given) => isMarkedBy(name, given)),
  );
  if (client !== undefined)
    throw new UsageError(
      `${command} was started by ${client}, which Zeph governs, and only a person may do that. Type it in a terminal of your own.`,
    );
  const seat = seatOf(process.pid);
  if (seat === "terminal" || seat === "unknown") return;
  const running = runningClient(governed, at.home);
  if (running !== undefined)
    throw new UsageError(
      `${running}, which Zeph governs, is running, and ${seat === "none" ? "there is no terminal here" : "a program has made this terminal"}. Only a person may use ${command} then: type it in a terminal of your own, or end ${running} first.`,
    );
}

/** One of these clients that runs as this user. */
const runningClient = (clients: readonly ClientName[], home: string): ClientName | undefined => {
  const lines = processesOfHome(home).map(commandLineOf);
  return clients.find((name) => lines.some((words) => isProcessOf(name, words)));
};
