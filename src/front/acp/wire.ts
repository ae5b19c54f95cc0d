import type { AgentContext, ClientCapabilities, SessionUpdate } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";

/** The way to the editor, as one session sees it. */
export interface Wire {
  readonly sessionId: string;
  readonly client: AgentContext;
  readonly can: ClientCapabilities;
  /** Aborts when the editor is gone. */
  readonly gone: AbortSignal;
  /** Updates arrive in the order they are told. Resolves when there is room for more; never rejects. */
  update(update: SessionUpdate): Promise<void>;
}

/** An editor that reads slowly slows us down, when so many wait. */
const MOST_WAITING = 64;

/** One for the whole connection: what is on its way is counted together. */
export function createWires(client: AgentContext, can: () => ClientCapabilities, closed: AbortSignal): (sessionId: string) => Wire {
  let waiting = 0;
  let patient: (() => void)[] = [];
  const letGo = () => {
    for (const wake of patient.splice(0)) wake();
  };
  closed.addEventListener("abort", letGo, { once: true });
  const gone = () => {
    waiting--;
    if (waiting < MOST_WAITING && patient.length > 0) letGo();
  };
  return (sessionId) => ({
    sessionId,
    client,
    gone: closed,
    get can() {
      return can();
    },
    update(update) {
      // Nobody is left to be told.
      if (closed.aborted) return DONE;
      waiting++;
      client.notify(methods.client.session.update, { sessionId, update }).then(gone, gone);
      if (waiting < MOST_WAITING) return DONE;
      return new Promise((resolve) => {
        patient = [...patient, resolve];
      });
    },
  });
}

const DONE = Promise.resolve();
