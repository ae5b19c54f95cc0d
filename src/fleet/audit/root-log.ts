import { fsyncSync, openSync, writeSync } from "node:fs";
import { closeAfter } from "../../files/descriptor.ts";
import { readOwnFile } from "../../files/own-file.ts";
import { StoreError } from "../../store/sqlite/error.ts";
import type { Checkpoint } from "./checkpoint-form.ts";

/** Five years of checkpoints, one a minute. */
const MAX_BYTES = 512 * 1024 * 1024;

/** Adds a line to the file where the operator keeps roots. */
export function appendRoot(path: string, checkpoint: Checkpoint): void {
  const fd = openSync(path, "a", 0o600);
  closeAfter(fd, () => {
    writeSync(fd, `${rootLine(checkpoint)}\n`);
    fsyncSync(fd);
  });
}

export const rootLine = ({ n, at, root }: Pick<Checkpoint, "n" | "at" | "root">): string => `${n} ${at} ${root}`;

/** The roots that were kept in a file, whatever else stands on their lines. */
export function readRoots(path: string): ReadonlySet<string> {
  const roots = new Set(readText(path).match(/\b[0-9a-f]{64}\b/g) ?? []);
  // To find all of none would say that nothing is missing.
  if (roots.size === 0) throw new StoreError(path, `${path} holds no root: one has 64 digits of 0-9 and a-f.`);
  return roots;
}

function readText(path: string): string {
  try {
    return readOwnFile(path, { maxBytes: MAX_BYTES }).bytes.toString("utf8");
  } catch (error) {
    const why = (error as Error).message;
    throw new StoreError(path, `${path} is no root (64 digits of 0-9 and a-f), and no file of them that can be read. ${why}`, {
      cause: error,
    });
  }
}
