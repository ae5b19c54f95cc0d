import { closeSync, lstatSync, type Stats } from "node:fs";
import { ToolError } from "../../core/error.ts";
import { type Buffers, EditorRefused } from "../../core/ports/editor.ts";
import { NEVER } from "../../core/tool.ts";
import { parentChain } from "./parent-chain.ts";
import { Moved, openFile } from "./pin.ts";
import { MAX_WHOLE } from "./reading.ts";
import type { SwapGuard } from "./swap-guard.ts";

/**
 * An editor's buffers as the file tools use them: what the editor cannot or does not say in time is read from the disk, and what it refuses is refused. It is
 * asked only while it is quiet; the folders are compared all the same, since others than our programs may move them.
 */
export interface EditorBuffers {
  /** What the editor shows for a file that was opened and verified first. Undefined, or without a text, when the file on disk counts. */
  look(canonical: string, signal?: AbortSignal): Promise<ShownFile | undefined>;
  /** Undefined when the file on disk counts. */
  read(canonical: string, signal?: AbortSignal): Promise<string | undefined>;
  /** False when it has to be written here. Throws when it may have been written elsewhere. */
  write(canonical: string, text: string): Promise<boolean>;
}

export interface ShownFile {
  readonly canonical: string;
  readonly stats: Stats;
  readonly text: string | undefined;
}

const TIMEOUT_MS = 10_000;

export function createEditorBuffers(buffers: Buffers | undefined, quiet: SwapGuard): EditorBuffers | undefined {
  if (!buffers?.read && !buffers?.write) return undefined;
  const ask = (canonical: string, signal: AbortSignal) =>
    quiet.byName(canonical, async () => {
      const { fd, stats } = openFile(canonical);
      closeSync(fd);
      const chain = whole(canonical);
      const text = await inTime((until) => buffers.read?.(canonical, until), signal).catch((error: unknown) => {
        throw refused("read", canonical, error);
      });
      signal.throwIfAborted();
      if (typeof text !== "string" || text.length > MAX_WHOLE) return { stats, text: undefined };
      // The editor goes by the name. If that leads elsewhere by now, so may what it read.
      if (isOther(stats, lstatSync(canonical, { throwIfNoEntry: false })) || parentChain(canonical) !== chain) throw new Moved();
      return { stats, text };
    });
  return {
    read: async (canonical, signal = NEVER) => (await ask(canonical, signal))?.text,
    async look(canonical, signal = NEVER) {
      const shown = await ask(canonical, signal);
      return shown && { canonical, ...shown };
    },
    async write(canonical, text) {
      if (!buffers.write) return false;
      const done = await quiet.byName(canonical, async () => {
        const chain = whole(canonical);
        const took = await inTime((until) => buffers.write?.(canonical, text, until).then(() => true), NEVER).catch((error: unknown) => {
          throw refused("write", canonical, error);
        });
        const isElsewhere = parentChain(canonical) !== chain || lstatSync(canonical, { throwIfNoEntry: false })?.isSymbolicLink();
        if (isElsewhere) throw movedMeanwhile(canonical);
        return took;
      });
      return done === true;
    },
  };
}

function whole(canonical: string): string {
  const chain = parentChain(canonical);
  if (chain === null) throw new Moved();
  return chain;
}

const refused = (act: "read" | "write", path: string, error: unknown): ToolError =>
  new ToolError("policy_blocked", `The editor refused to ${act} ${path}: ${ToolError.from(error).message}`, { cause: error });

const movedMeanwhile = (path: string) =>
  new ToolError(
    "permanent_failure",
    `The outcome is unknown: ${path} was moved or replaced by a link while the editor was asked to write it, so it may have written elsewhere.`,
    { advice: "Look at what is there before you write it again, and tell the user." },
  );

const isOther = (was: Stats, now: Stats | undefined) => !now || now.dev !== was.dev || now.ino !== was.ino;

/** What the editor answered; undefined when it could not, or did not answer in time. Throws when it refused. */
async function inTime<T>(ask: (until: AbortSignal) => Promise<T> | undefined, signal: AbortSignal): Promise<T | undefined> {
  const giveUp = new AbortController();
  const late = new Promise<undefined>((resolve) => giveUp.signal.addEventListener("abort", () => resolve(undefined), { once: true }));
  const onAbort = () => giveUp.abort();
  const timer = setTimeout(onAbort, TIMEOUT_MS);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([ask(giveUp.signal), late]);
  } catch (error) {
    if (error instanceof EditorRefused) throw error;
    return undefined;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  }
}
