import { cancelled, reachServer } from "../call.ts";
import type { Connection } from "../connection/connection.ts";
import { afterFailure, type RequestFailureParts } from "../failed-request.ts";

/** Asks a server something that changes nothing. It is asked again only when the question certainly never arrived. */
export async function askServer<T>(
  parts: Omit<RequestFailureParts, "unknown">,
  signal: AbortSignal,
  ask: (connection: Connection) => Promise<T>,
): Promise<T> {
  for (let again = true; ; again = false) {
    const connection = await reachServer(parts, signal, "in turn");
    try {
      return await ask(connection);
    } catch (thrown) {
      if (signal.aborted) throw cancelled(thrown);
      const { error, undelivered } = await afterFailure({ ...parts, unknown: "" }, connection, thrown);
      if (!again || !undelivered) throw error;
    }
  }
}
