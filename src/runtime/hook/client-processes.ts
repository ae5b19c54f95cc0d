import { commandLineOf, processesAbove } from "../../files/agent-process.ts";
import type { ClientName } from "../../hook/client.ts";
import { isProcessOf } from "../../hook/install/client-process.ts";

/** The processes of a client above the hook that it started: what may use a ticket is started by one of them. None where that cannot be told. */
export function clientProcesses(client: ClientName, pid: number | null): readonly number[] {
  if (pid === null) return [];
  return processesAbove(pid).filter((above) => isProcessOf(client, commandLineOf(above)));
}
