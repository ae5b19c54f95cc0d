import { fsyncSync, openSync, writeSync } from "node:fs";
import { closeAfter } from "../../files/descriptor.ts";
import { readOwnFile } from "../../files/own-file.ts";
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
  const text = readOwnFile(path, { maxBytes: MAX_BYTES }).bytes.toString("utf8");
  return new Set(text.match(/\b[0-9a-f]{64}\b/g) ?? []);
}
