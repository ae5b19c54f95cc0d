import type { BinaryFiles } from "../../core/ports/host.ts";
import { runRipgrep } from "./ripgrep.ts";

/** What the engine says in place of the lines of a file that holds NUL bytes. */
export const isBinaryNote = (record: Buffer): boolean => record.toString("latin1", 0, NOTE.length) === NOTE;
const NOTE = "binary file matches (found ";

/** Nobody needs to know of more. */
const MOST = 20;
/** A search for text stops at the first NUL byte of a file; this one reads on, and a workspace may hold gigabytes of them. */
const PATIENCE_MS = 5000;

interface BinarySearch {
  /** The pattern, and what is searched. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly writable: readonly string[];
  /** The path of a file by the name that the engine gave it, where it may be shown and matches when it is looked at through a descriptor. */
  confirm(name: string): Promise<string | null>;
}

/** The binary files that match, where no text does. */
export async function findBinaryFiles({ args, cwd, writable, confirm }: BinarySearch, signal: AbortSignal): Promise<BinaryFiles> {
  const run = { args: ["--binary", "--files-with-matches", "--null", ...args], cwd, writable, stdin: "ignore", ends: "\0" } as const;
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(), PATIENCE_MS);
  const paths: string[] = [];
  try {
    for await (const records of runRipgrep(run, AbortSignal.any([signal, patience.signal])))
      for (const record of records) {
        const path = await confirm(record.toString("latin1", 2));
        if (path !== null && paths.push(path) > MOST) return { paths: paths.slice(0, MOST).sort(), more: true };
      }
    return { paths: paths.sort(), more: false };
  } catch (error) {
    if (signal.aborted || !patience.signal.aborted) throw error;
    return { paths: paths.sort(), more: true };
  } finally {
    clearTimeout(timer);
  }
}
