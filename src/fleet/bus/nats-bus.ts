import { createHash } from "node:crypto";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import type { Bus } from "../../core/ports/fleet/session.ts";
import { explainMissing } from "../../store/pg/missing-package.ts";
import { readNatsUrl } from "./nats-url.ts";
import { type BusWire, openRemoteBus } from "./remote-bus.ts";

export interface NatsBusOptions {
  readonly url: string;
  readonly fleet: string;
  readonly onTrouble?: ((words: string) => void) | undefined;
}

/** Hints through NATS. Nothing is kept by the server. */
export async function openNatsBus({ url, fleet, onTrouble }: NatsBusOptions): Promise<Bus> {
  const place = readNatsUrl(url);
  const nats = await import("@nats-io/transport-node").catch(explainMissing("@nats-io/transport-node", "A bus on NATS"));
  const prefix = `zeph.${place.fleet ?? fleet}.`;
  return openRemoteBus({
    shown: `The bus ${place.shown}`,
    onTrouble,
    async connect(receive) {
      // The connection is made again by the bus, which listens anew and says that the server is away.
      const connection = await nats.connect({
        ...place.options,
        name: "zeph",
        reconnect: false,
        timeout: 10_000,
        pingInterval: 10_000,
        maxPingOut: 2,
      });
      return createWire(connection, prefix, receive);
    },
  });
}

function createWire(connection: NatsConnection, prefix: string, receive: (subject: string, text: string) => void): BusWire {
  const subscriptions = new Map<string, Subscription>();
  const listen = (subject: string) =>
    connection.subscribe(prefix + spell(subject), {
      callback: (error, message) => {
        if (!error) receive(subject, message.string());
      },
    });
  return {
    async send(messages) {
      for (const { subject, text } of messages) connection.publish(prefix + spell(subject), text);
      await connection.flush();
    },
    async listen(subject) {
      if (!subscriptions.has(subject)) subscriptions.set(subject, listen(subject));
      await connection.flush();
    },
    leave(subject) {
      subscriptions.get(subject)?.unsubscribe();
      subscriptions.delete(subject);
    },
    close: () => connection.close(),
    broken: connection.closed().then((error) => error?.message || "the connection ended"),
  };
}

/** NATS reads blanks and stars in a subject. Whatever holds one, or is very long, goes by its hash. */
const spell = (subject: string): string =>
  subject.length <= 200 && /^[\w%-]+(?:\.[\w%-]+)*$/.test(subject) ? subject : `x.${createHash("sha256").update(subject).digest("hex")}`;
