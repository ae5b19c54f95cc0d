import { rmSync, writeFileSync } from "node:fs";
import { ToolError } from "../../core/error.ts";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { bytesBelow } from "../workday/cache-size.ts";
import type { KeptFolders } from "./server-folders.ts";

const MOST_BYTES = 5 * 1024 ** 3;

/** A program that kept too much is not started before somebody has looked after it: it could fill the disk. */
export async function assertNotLarge({ data, cache, large }: KeptFolders, program: string): Promise<void> {
  if (statEntry(large) === null) return;
  if (await isLarge({ data, cache })) throw tooLarge(program, data, cache);
  rmSync(large, { force: true });
}

/** Looked at when it has ended, and told when it is started again. Nobody waits for it. */
export async function measureKept({ data, cache, large }: KeptFolders): Promise<void> {
  if (await isLarge({ data, cache })) attempt(() => writeFileSync(large, "", { mode: 0o600 }), undefined);
}

const isLarge = async ({ data, cache }: Pick<KeptFolders, "data" | "cache">): Promise<boolean> => {
  const isOver = () => false;
  return (await bytesBelow(data, isOver)) + (await bytesBelow(cache, isOver)) >= MOST_BYTES;
};

const tooLarge = (program: string, data: string, cache: string) =>
  new ToolError(
    "policy_blocked",
    `${program} is not started: it keeps more than ${MOST_BYTES / 1024 ** 3} GiB in ${data} and ${cache}. Remove what is not needed there, or all of it with zeph mcp remove --data.`,
  );
