import { closeSync, mkdirSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { ConfigError } from "../problem.ts";
import { readConfigText } from "../read.ts";
import { PRIVATE, replaceConfigFile } from "./write.ts";

/** How long somebody else's change is waited for, and when whoever made it must have died over it. */
const LONGEST_WAIT_MS = 5000;
const STALE_MS = 10_000;
const EVERY_MS = 10;

/**
 * Reads a file, changes its text and writes it back, one process after the other: of two changes at once none is lost.
 * Null leaves it as it is. Returns whether it was written.
 */
export function changeFile(file: string, change: (before: string | null) => string | null): boolean {
  mkdirSync(dirname(file), { recursive: true, mode: PRIVATE.folder });
  const release = hold(`${file}.lock`, file);
  try {
    const before = readConfigText(file);
    const after = change(before);
    if (after === null || after === before) return false;
    replaceConfigFile(file, before, after);
    return true;
  } finally {
    release();
  }
}

/** It is a moment's work, so that waiting blocks nobody for long. */
function hold(lock: string, file: string): () => void {
  for (const end = Date.now() + LONGEST_WAIT_MS; ; pause()) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      return () => rmSync(lock, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > STALE_MS) rmSync(lock, { force: true });
    else if (Date.now() > end)
      throw new ConfigError([{ file, message: `Something else is changing this file. Try again; if nothing is, remove ${lock}.` }]);
  }
}

const pause = () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EVERY_MS);
