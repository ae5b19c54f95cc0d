import { closeSync, lstatSync, type Stats } from "node:fs";
import type { Buffers } from "../core/editor.ts";
import { Moved, openFile } from "./pin.ts";
import { MAX_WHOLE } from "./reading.ts";

/** An editor's buffers as the file tools use them: whatever the editor cannot, will not or does not say in time is read from the disk. */
export interface LentBuffers {
  /** What the editor shows for a file that was opened and verified first. */
  look(canonical: string, signal?: AbortSignal): Promise<Look>;
  /** Undefined when the file on disk counts. */
  read(canonical: string, signal?: AbortSignal): Promise<string | undefined>;
  /** False when it has to be written here. */
  write(canonical: string, text: string): Promise<boolean>;
}

export interface Look {
  readonly canonical: string;
  readonly stats: Stats;
  readonly text: string | undefined;
}

const TIMEOUT_MS = 10_000;
const NEVER = new AbortController().signal;

export function lentBuffers(buffers: Buffers | undefined): LentBuffers | undefined {
  if (!buffers?.read && !buffers?.write) return undefined;
  const read: LentBuffers["read"] = async (canonical, signal = NEVER) => {
    const text = await inTime((until) => buffers.read?.(canonical, until), signal);
    signal.throwIfAborted();
    return typeof text === "string" && text.length <= MAX_WHOLE ? text : undefined;
  };
  return {
    read,
    async look(canonical, signal) {
      const { fd, stats } = openFile(canonical);
      closeSync(fd);
      const text = await read(canonical, signal);
      // The editor goes by the name. If that leads elsewhere by now, so may what it read.
      if (text !== undefined && isOther(stats, lstatSync(canonical, { throwIfNoEntry: false }))) throw new Moved();
      return { canonical, stats, text };
    },
    write: async (canonical, text) => (await inTime((until) => buffers.write?.(canonical, text, until).then(() => true), NEVER)) === true,
  };
}

const isOther = (was: Stats, now: Stats | undefined) => !now || now.dev !== was.dev || now.ino !== was.ino;

/** What the editor answered; undefined when it refused, or did not answer in time. */
async function inTime<T>(ask: (until: AbortSignal) => Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  const giveUp = new AbortController();
  const late = new Promise<undefined>((resolve) => giveUp.signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  const onAbort = () => giveUp.abort();
  const timer = setTimeout(onAbort, TIMEOUT_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([ask(giveUp.signal), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
