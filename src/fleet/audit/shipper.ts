import { openPg } from "../../store/pg/pg.ts";
import { waitAtMost, waitWithin } from "../../text/wait-within.ts";
import { claimLog } from "./claim-log.ts";
import { openCopier } from "./copier.ts";
import { createLeftoverCopier } from "./leftovers.ts";
import type { AuditShipper, AuditShipping } from "./shipping.ts";

export interface ShippedFile {
  /** The file that this process writes. */
  readonly path: string;
  /** The log it belongs to: `audit.jsonl`, where the file is `audit.123.jsonl`. */
  readonly log: string;
}

const BATCH = 200;
const TIMES_MS = { batch: 1000, away: 5000, again: 60_000, closing: 5000, leaving: 1000 };
/** A worker opens its log anew for every turn: the connection waits so long for the next one. It keeps no process from ending. */
const LINGER_MS = 30_000;

/** All who write a file in this process share what copies it. */
const open = new Map<string, SharedShipper>();

/** Throws a StoreError where the log is another tenant's. */
export function openAuditShipper(
  file: ShippedFile,
  shipping: AuditShipping,
  warn: (message: string) => void,
  lingerMs = LINGER_MS,
): AuditShipper {
  claimLog(file.log, shipping.tenant);
  const key = [file.path, shipping.url, shipping.tenant].join("\n");
  const shared = open.get(key) ?? startShipper(file, shipping, lingerMs, () => open.delete(key));
  open.set(key, shared);
  return shared.join(warn);
}

interface SharedShipper {
  join(warn: (message: string) => void): AuditShipper;
}

function startShipper(
  { path, log }: ShippedFile,
  { url, tenant, role }: AuditShipping,
  lingerMs: number,
  onClosing: () => void,
): SharedShipper {
  const db = openPg({ url, tenant, max: 1, ...(role && { role }) });
  /** Only the first is told: a gateway has a thousand sessions. */
  const users: ((message: string) => void)[] = [];
  const warn = (message: string) => users[0]?.(message);
  const copier = openCopier(db, path, warn);
  const leftovers = createLeftoverCopier(db, { path, log }, warn);
  let waiting = 0;
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  /** Said once, until it works again. */
  let trouble: string | null = null;
  let isOpen = true;
  const say = (message: string) => {
    if (trouble === null && isOpen) warn(message);
    trouble = message;
  };

  const pass = async () => {
    waiting = 0;
    const away = setTimeout(
      () => say(`Audit lines of ${path} are not copied: ${db.shown} does not answer. They are in the file, and are copied when it does.`),
      TIMES_MS.away,
    );
    try {
      await copier.copyAll();
      if (trouble !== null) warn(`Audit lines of ${path} are copied again.`);
      trouble = null;
    } catch (error) {
      say(`Audit lines of ${path} are not copied: ${(error as Error).message}`);
      throw error;
    } finally {
      clearTimeout(away);
    }
  };
  const start = (): Promise<void> => {
    if (timer) clearTimeout(timer);
    timer = null;
    running ??= pass().finally(() => {
      running = null;
      nudge(0);
    });
    return running;
  };
  /** For those who wait for nothing: what went wrong was said. */
  const startAlone = () => void start().catch(() => {});
  const nudge = (lines: number) => {
    waiting += lines;
    if (running || waiting === 0 || !isOpen) return;
    if (waiting >= BATCH && trouble === null) startAlone();
    else timer ??= setTimeout(startAlone, trouble === null ? TIMES_MS.batch : TIMES_MS.again).unref();
  };
  const reach = async () => {
    // A pass that runs may have looked at the end of the file before the line was there.
    await running?.catch(() => {});
    await start();
  };
  const often = setInterval(() => {
    startAlone();
    void leftovers.copyAll().catch(() => {});
  }, TIMES_MS.again).unref();

  const close = async () => {
    onClosing();
    isOpen = false;
    clearInterval(often);
    if (timer) clearTimeout(timer);
    await waitAtMost(db.close(), TIMES_MS.leaving);
    // Not under somebody who still reads.
    void Promise.allSettled([running]).then(copier.close);
  };
  let lingering: NodeJS.Timeout | null = null;
  const leave = async (told: (message: string) => void) => {
    const late = (await waitWithin(Promise.allSettled([reach()]), TIMES_MS.closing, "late")) === "late";
    if (late) told(`The last audit lines of ${path} are not at ${db.shown} yet. The next process that starts here copies them.`);
    users.splice(users.indexOf(told), 1);
    if (users.length > 0) return;
    if (late || lingerMs === 0) await close();
    else lingering = setTimeout(() => void close(), lingerMs).unref();
  };
  startAlone();
  void leftovers.copyAll().catch(() => {});
  return {
    join(told) {
      if (lingering) clearTimeout(lingering);
      lingering = null;
      users.push(told);
      let closed: Promise<void> | null = null;
      return {
        nudge,
        reach,
        close() {
          closed ??= leave(told);
          return closed;
        },
      };
    },
  };
}
