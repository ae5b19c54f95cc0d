import type { Bus } from "../../core/ports/fleet/session.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import { createSubjectListeners } from "./listeners.ts";
import { readMessage, writeMessage } from "./message.ts";
import { createOutbox, type Outgoing } from "./outbox.ts";

/** One connection to a server. */
export interface BusWire {
  /** Rejects when nobody knows whether they went out. */
  send(messages: readonly Outgoing[]): Promise<void>;
  /** Resolves when the server knows. */
  listen(subject: string): Promise<void>;
  leave(subject: string): void;
  close(): Promise<void>;
  /** Resolves when the connection broke, with why. */
  readonly broken: Promise<string>;
}

export interface RemoteBusOptions {
  /** Where it goes, without a password. */
  readonly shown: string;
  connect(receive: (subject: string, text: string) => void): Promise<BusWire>;
  /** Words for the operator: the server is away, or back. */
  readonly onTrouble?: ((words: string) => void) | undefined;
}

const PAUSE_MS = { least: 50, most: 1000 };
const MOST_AT_ONCE = 100;
/** How long a listener, or an end, waits for a server that does not answer. */
const PATIENCE_MS = 2000;

/** Hints through a server. While it is away hints are missing, nothing else: the connection is made again without an end, and listens as before. */
export function openRemoteBus({ shown, connect, onTrouble = () => {} }: RemoteBusOptions): Bus {
  const listeners = createSubjectListeners();
  const outbox = createOutbox();
  let isOpen = true;
  /** Ends what the connection's keeper waits for. */
  let wakeUp = () => {};
  let wire: BusWire | null = null;
  let whenConnected = createSignal();
  let sending: Promise<void> | null = null;

  const until = (work: Promise<string>): Promise<string> =>
    new Promise((resolve) => {
      wakeUp = () => resolve("");
      void work.then(resolve);
      if (!isOpen) wakeUp();
    });
  const receive = (subject: string, text: string): void => {
    const message = isOpen ? readMessage(text) : null;
    if (message) listeners.tell(subject, message.data);
  };
  const empty = async (to: BusWire): Promise<void> => {
    while (to === wire && outbox.size > 0) await to.send(outbox.take(MOST_AT_ONCE));
  };
  const send = (): void => {
    if (sending || !wire || outbox.size === 0) return;
    // What fails to go out is lost with its connection.
    const mine = empty(wire).catch(() => {});
    sending = mine;
    void mine.then(() => {
      if (sending !== mine) return;
      sending = null;
      send();
    });
  };
  const takeUp = async (made: BusWire): Promise<void> => {
    wire = made;
    for (const subject of listeners.subjects()) await made.listen(subject);
    whenConnected.go();
    send();
  };
  const stayConnected = async (): Promise<void> => {
    let isAway = false;
    for (let tries = 1; isOpen; tries++) {
      let made: BusWire | null = null;
      let why: string;
      try {
        made = await connect(receive);
        await Promise.race([takeUp(made), made.broken.then((words) => Promise.reject(new Error(words)))]);
        if (isAway) onTrouble(`${shown} is back.`);
        isAway = false;
        tries = 1;
        why = await until(made.broken);
      } catch (error) {
        why = (error as Error).message || String(error);
      }
      wire = null;
      // It may never be answered.
      sending = null;
      whenConnected = createSignal();
      if (made) await waitAtMost(made.close(), PATIENCE_MS);
      if (!isOpen) return;
      if (!isAway) onTrouble(`${shown} cannot be reached (${why}). Hints and event streams are missing until it is back; no task is lost.`);
      isAway = true;
      await until(pause(Math.min(PAUSE_MS.most, PAUSE_MS.least * tries)));
    }
  };
  const connected = stayConnected();
  return {
    tell(subject, data) {
      if (!isOpen) return;
      outbox.add({ subject, text: writeMessage(data) });
      send();
    },
    async hear(subject, listener) {
      const end = listeners.add(subject, listener);
      await waitAtMost(wire ? wire.listen(subject) : whenConnected.promise, PATIENCE_MS);
      return () => {
        if (end()) wire?.leave(subject);
      };
    },
    async close() {
      if (!isOpen) return;
      if (outbox.size > 0 && !wire) await waitAtMost(whenConnected.promise, PATIENCE_MS);
      await waitAtMost(sending ?? Promise.resolve(), PATIENCE_MS);
      isOpen = false;
      wakeUp();
      await waitAtMost(connected, PATIENCE_MS);
    },
  };
}

function createSignal(): { readonly promise: Promise<void>; go(): void } {
  let go = () => {};
  const promise = new Promise<void>((resolve) => {
    go = resolve;
  });
  return { promise, go };
}

const pause = (ms: number): Promise<string> =>
  new Promise((resolve) => {
    setTimeout(() => resolve(""), ms);
  });
