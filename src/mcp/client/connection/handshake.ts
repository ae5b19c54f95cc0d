import type { Client, Transport } from "@modelcontextprotocol/client";
import { abortAfter, unlessAborted } from "../../../text/abort.ts";
import { waitAtMost } from "../../../text/wait-within.ts";

/** A transport that knows why it ended. */
export interface EndingTransport extends Transport {
  readonly reason: string | null;
  /** The first line that is not the protocol. */
  readonly strange?: string | null;
}

/** Connects within the time. What is thrown has `probed` where a program ended at the first question it was asked. */
export async function handshake(client: Client, transport: EndingTransport, ms: number, outer: AbortSignal): Promise<void> {
  const late = AbortSignal.any([outer, abortAfter(ms)]);
  try {
    await unlessAborted(client.connect(transport, { timeout: ms }), late, () => {
      throw outer.aborted ? new Error("It was cancelled.") : new TooSlow(`it did not answer within ${Math.round(ms / 1000)} s`);
    });
  } catch (error) {
    const reason = transport.reason;
    await waitAtMost(transport.close(), CLOSE_MS);
    const probed = (error as { code?: unknown }).code === "ERA_NEGOTIATION_FAILED" && reason !== null;
    if (reason === null) throw inWords(error, transport.strange ?? null, ms);
    throw Object.assign(new Error(reason, { cause: error }), { probed });
  }
}

/** Of a server that never answered. */
function inWords(error: unknown, strange: string | null, ms: number): unknown {
  const isLate = error instanceof TooSlow || (error as { code?: unknown }).code === "REQUEST_TIMEOUT";
  if (!isLate) return error;
  const late = `it did not answer within ${Math.round(ms / 1000)} s`;
  return new TooSlow(strange === null ? late : `${late}; it wrote what is not the protocol: ${JSON.stringify(strange)}`, { cause: error });
}

/** It was reached, and took too long. */
export class TooSlow extends Error {
  override readonly name = "TooSlow";
}

/** The lists of a server that may change. */
export type ChangedList = "tools" | "prompts" | "resources";
const CHANGING: readonly ChangedList[] = ["tools", "prompts", "resources"];

/** Older servers say by themselves that their lists changed; newer ones want to be asked to. */
export async function hearChanges(client: Client, timeout: number, changed: (list: ChangedList) => void): Promise<void> {
  const lists = CHANGING.filter((list) => client.getServerCapabilities()?.[list]?.listChanged);
  if (client.getProtocolEra() !== "modern" || lists.length === 0) return;
  try {
    const wanted = Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true]));
    const heard = await client.listen(wanted, { timeout: Math.min(timeout, LISTEN_MS) });
    void heard.closed.then((by) => {
      if (by === "local" || client.transport === undefined) return;
      // What was said in between was not heard.
      for (const list of lists) changed(list);
      setTimeout(() => void hearChanges(client, timeout, changed), AGAIN_MS).unref();
    });
  } catch {
    // Then the list is read again when it is old.
  }
}

const CLOSE_MS = 5000;
const LISTEN_MS = 3000;
const AGAIN_MS = 5000;
