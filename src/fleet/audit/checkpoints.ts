import { openPg, type PgRole } from "../../store/pg/pg.ts";
import { waitAtMost } from "../../text/wait-within.ts";
import { makeCheckpoint } from "./checkpoint.ts";
import type { Checkpoint } from "./checkpoint-form.ts";
import { appendRoot } from "./root-log.ts";
import { readSigningKey } from "./signing-key.ts";

export interface CheckpointOptions {
  readonly url: string;
  readonly role?: PgRole;
  /** The file with the private key. */
  readonly key: string;
  /** The file that gets the roots; empty for none. */
  readonly log: string;
  /** Told of each root this process signs. */
  readonly onRoot: (checkpoint: Checkpoint) => void;
  readonly warn: (message: string) => void;
}

const EVERY_MS = 60_000;
/** Whoever signed last may be gone; another process takes over within this. */
const LOOK_MS = 15_000;
const CLOSING_MS = 2000;

/** Signs where all chains end, once a minute, as long as it is open. Any number of processes may do so: each minute is signed by one of them. */
export function openCheckpoints({ url, role, key, log, onRoot, warn }: CheckpointOptions): { close(): Promise<void> } {
  const signingKey = readSigningKey(key);
  const db = openPg({ url, max: 1, ...(role && { role }) });
  /** What was said last, so that it is not said every minute. */
  let said = "";
  const say = (message: string) => {
    if (message !== said) warn(message);
    said = message;
  };
  const keep = (checkpoint: Checkpoint) => {
    onRoot(checkpoint);
    if (log !== "") appendRoot(log, checkpoint);
  };
  let signedAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    // Two keys that answer each other would otherwise sign all day.
    if (performance.now() - signedAt < EVERY_MS) return;
    try {
      const { checkpoint, odd } = await makeCheckpoint(db, signingKey, EVERY_MS);
      if (odd)
        warn(
          `Checkpoint ${odd.n} of the audit log is signed with the key ${odd.key}, and not with this one (${signingKey.id}): the key was changed, another process signs with another key, or it is forged. Everything is signed anew. Run: zeph fleet audit verify`,
        );
      if (checkpoint) {
        signedAt = performance.now();
        keep(checkpoint);
      }
      said = "";
    } catch (error) {
      say(`The ends of audit logs are not signed: ${(error as Error).message}`);
    }
  };
  let running: Promise<void> | null = null;
  const start = () => {
    running ??= look().finally(() => {
      running = null;
    });
  };
  start();
  const timer = setInterval(start, LOOK_MS).unref();
  return {
    async close() {
      clearInterval(timer);
      if (running) await waitAtMost(running, CLOSING_MS);
      await waitAtMost(db.close(), CLOSING_MS);
    },
  };
}
