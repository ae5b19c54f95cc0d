import { createHash } from "node:crypto";
import type { Bus } from "../../core/ports/fleet/session.ts";
import { explainMissing } from "../../store/pg/missing-package.ts";
import { readStoreUrl } from "../../store/pg/place.ts";
import { createPartReader, writeParts } from "./pg-parts.ts";
import { type BusWire, openRemoteBus } from "./remote-bus.ts";

export interface PgBusOptions {
  /** The address of the store. Not one of a pooler: listening needs a connection of its own. */
  readonly url: string;
  readonly fleet: string;
  readonly onTrouble?: ((words: string) => void) | undefined;
}

/** A connection whose other end is gone without a word is found by asking. */
const ASK_EVERY_MS = 10_000;
const ANSWER_WITHIN_MS = 10_000;

/** Hints through PostgreSQL's notifications: one channel for a fleet, one connection for a process. */
export async function openPgBus({ url, fleet, onTrouble }: PgBusOptions): Promise<Bus> {
  const pg = await import("pg").catch(explainMissing("pg", "A bus on PostgreSQL"));
  const { Client } = pg.default ?? pg;
  const place = readStoreUrl(url);
  // A channel's name has at most 63 bytes, and is the whole database's.
  const channel = `zeph_${createHash("sha256").update(fleet).digest("hex").slice(0, 40)}`;
  return openRemoteBus({
    shown: `The bus on ${place.shown}`,
    onTrouble,
    async connect(receive) {
      const client = new Client({
        connectionString: place.url,
        application_name: "zeph-bus",
        connectionTimeoutMillis: ANSWER_WITHIN_MS,
        query_timeout: ANSWER_WITHIN_MS,
        keepAlive: true,
      });
      const broken = new Promise<string>((resolve) => {
        client.on("error", (error) => resolve(error.message));
        client.on("end", () => resolve("the connection ended"));
      });
      await client.connect();
      const read = createPartReader();
      client.on("notification", ({ processId, payload }) => {
        const message = read(processId, payload ?? "");
        if (message) receive(message.subject, message.text);
      });
      await client.query(`listen ${channel}`);
      return { ...keepAsking(client, broken), ...createWire(client, channel) };
    },
  });
}

type PgClient = InstanceType<typeof import("pg").Client>;

function createWire(client: PgClient, channel: string): Pick<BusWire, "send" | "listen" | "leave"> {
  return {
    // One transaction: its notifications come together and in order.
    send: async (messages) =>
      void (await client.query("select pg_notify($1, part) from unnest($2::text[]) part", [channel, messages.flatMap(writeParts)])),
    listen: async () => {},
    leave: () => {},
  };
}

function keepAsking(client: PgClient, ended: Promise<string>): Pick<BusWire, "broken" | "close"> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<string>((resolve) => {
    timer = setInterval(() => client.query("select 1").catch((error: Error) => resolve(error.message)), ASK_EVERY_MS);
    timer.unref();
  });
  return {
    broken: Promise.race([ended, silent]),
    async close() {
      clearInterval(timer);
      await client.end();
    },
  };
}
