import { commandLineOf, processesAbove, processesOfHome, startedBefore, variablesOf } from "../../../files/agent-process.ts";
import { seatOf } from "../../../files/terminal-seat.ts";
import type { ClientName } from "../../../hook/client.ts";
import { isMarkedBy, isProcessOf } from "../../../hook/install/client-process.ts";
import { readInstalled } from "../../../hook/install/installed.ts";
import { refusalWithoutWalls } from "../../../runtime/live/agent-above.ts";
import type { Desk } from "../../../runtime/settings/stores.ts";
import { assertNoAgentAbove } from "../ask/agent-above.ts";
import { UsageError } from "../io.ts";

/**
 * What is decided for good, or in place of an agent, is decided by a person: not by an agent, Zeph's or one that Zeph governs, nor by what it started,
 * behind walls or not. A process can leave the ones that started it, so the variables that an agent gave it count as well; and while commands of an agent
 * run without walls, nothing tells them from a person. Each command that decides calls this: `test/e2e/deciding-commands.test.ts` lists them all.
 */
export function assertPersonDecides(at: Desk["at"], command: string): void {
  assertNoneAbove(at, command);
  assertNotItsOwn(at, command);
}

function assertNoneAbove(at: Desk["at"], command: string): void {
  assertNoAgentAbove(at, command);
  const above = processesAbove(process.pid);
  const lines = above.map(commandLineOf);
  const variables = [process.env, ...above.map((pid) => variablesOf(pid) ?? {})];
  const client = governedClients(at).find(
    (name) => lines.some((words) => isProcessOf(name, words)) || variables.some((given) => isMarkedBy(name, given)),
  );
  if (client !== undefined)
    throw new UsageError(
      `${command} was started by ${client}, which Zeph governs, and only a person may do that. Type it in a terminal of your own.`,
    );
  const why = refusalWithoutWalls(at.live);
  if (why !== null) throw new UsageError(`${command} is refused now. ${why}`);
}

/**
 * For what changes how agents are governed: while one runs, a person is somebody at a terminal that no program has made. Where none runs, a script may do
 * it. What lets an agent do more calls `assertNotItsOwn` besides.
 */
export function assertPersonHere(at: Desk["at"], command: string): void {
  assertNoneAbove(at, command);
  const governed = governedClients(at);
  if (governed.length === 0) return;
  const seat = seatOf(process.pid);
  if (seat === "terminal" || seat === "unknown") return;
  const [running] = runningClients(governed, at.home);
  if (running !== undefined)
    throw new UsageError(
      `${running.name}, which Zeph governs, is running, and ${seat === "none" ? "there is no terminal here" : "a program has made this terminal"}. Only a person may use ${command} then: type it in a terminal of your own, or end ${running.name} first.`,
    );
}

/**
 * Throws while a governed client runs whose commands have no walls, by what a person chose: then one of them may have typed this, whichever client it is
 * about. `others` count as well: hooks whose record is gone.
 */
export function assertNotItsOwn(at: Desk["at"], command: string, others: readonly ClientName[] = []): void {
  const installed = readInstalled(at.state);
  const clients = [...new Set([...governedClients(at), ...others])];
  const isOpen = (name: ClientName) => {
    const modes = installed.filter(({ client }) => client === name).map(({ mode }) => mode);
    return modes.length === 0 || modes.some((mode) => mode !== "walls");
  };
  const running = runningClients(clients.filter(isOpen), at.home).find(({ pid }) => !startedBefore(process.pid, pid));
  if (running !== undefined)
    throw new UsageError(
      `${command} is refused while ${running.name} runs (process ${running.pid}): its commands have no walls, and one of them could do this in your place. End ${running.name} first. In the mode walls that is not needed.`,
    );
}

/** Those whose hooks Zeph has installed. */
export const governedClients = (at: Desk["at"]): readonly ClientName[] => [...new Set(readInstalled(at.state).map(({ client }) => client))];

/** Processes of these clients that run as this user. */
const runningClients = (clients: readonly ClientName[], home: string): readonly { readonly name: ClientName; readonly pid: number }[] =>
  processesOfHome(home).flatMap((pid) => {
    const name = clients.find((client) => isProcessOf(client, commandLineOf(pid)));
    return name === undefined ? [] : [{ name, pid }];
  });
