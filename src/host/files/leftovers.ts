import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOwnText } from "../../files/own-file.ts";
import { isAlive } from "../../files/process.ts";
import { attempt } from "../../text/attempt.ts";
import { nameOf, parentOf } from "../../text/path.ts";
import { discardEntry } from "./discard.ts";
import { pinDirectory, withPinned } from "./pin.ts";

/** Temporary names beside the files being written, remembered so that the next start can remove what a killed process left. */
export interface Leftovers {
  /** Returns a fresh name for use in this directory, and what to call when it is gone again. */
  reserve(directory: string): { readonly name: string; release(): void };
}

const TEMPORARY = /^\.zeph-[0-9a-f-]{36}\.tmp$/;

/** `folder` belongs to this user alone. A first call removes what processes that no longer run left behind. */
export function createLeftovers(folder: string): Leftovers {
  let ready = false;
  const prepare = () => {
    if (ready) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    ready = true;
  };
  sweep(folder);
  return {
    reserve(directory) {
      prepare();
      const id = randomUUID();
      const name = `.zeph-${id}.tmp`;
      const note = join(folder, `${process.pid}-${id}`);
      writeFileSync(note, `${directory}/${name}`, { mode: 0o600 });
      return { name, release: () => rmSync(note, { force: true }) };
    },
  };
}

function sweep(folder: string): void {
  for (const note of entries(folder)) {
    const pid = Number.parseInt(note, 10);
    if (!(pid > 0) || isAlive(pid)) continue;
    try {
      discard(readOwnText(join(folder, note), { maxBytes: 8192 }) ?? "");
      rmSync(join(folder, note), { force: true });
    } catch {
      // Not ours to force: it stays noted and is tried again at the next start.
    }
  }
}

/** Removes only a name this module made, in the very directory that was noted. */
function discard(path: string): void {
  const name = nameOf(path);
  if (!TEMPORARY.test(name)) return;
  try {
    withPinned(pinDirectory(parentOf(path)), (dir) => discardEntry(dir, Buffer.from(name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

const entries = (folder: string): string[] => attempt(() => readdirSync(folder), []);
