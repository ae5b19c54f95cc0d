import { commandLineOf, processesAbove, processKey } from "../../files/agent-process.ts";
import type { ClientName } from "../../hook/client.ts";
import { isProcessOf } from "../../hook/install/client-process.ts";

/** The processes of a client above the hook that it started: what may use a ticket is started by one of them. Their keys; none where that cannot be told. */
export function clientProcesses(client: ClientName, pid: number | null): readonly string[] {
  if (pid === null) return [];
  return processesAbove(pid).flatMap((above) => (isProcessOf(client, commandLineOf(above)) ? (processKey(above) ?? []) : []));
}
