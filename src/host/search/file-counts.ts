import { runRipgrep } from "./ripgrep.ts";
import type { SearchPlace } from "./safe-search.ts";

/** Nobody needs to know it better. */
const MOST = 100_000;

/** How many files a search with these arguments looks at. `mayLook` gets a name below the folder; null where it may look at all. */
export async function countFiles(
  { cwd, writable }: SearchPlace,
  args: readonly string[],
  mayLook: ((name: string) => boolean) | null,
  signal: AbortSignal,
): Promise<number> {
  let count = 0;
  const run = { args: [...args, "--files", "--null", "."], cwd, writable, stdin: "ignore", ends: "\0" } as const;
  for await (const records of runRipgrep(run, signal)) {
    count += mayLook ? records.filter((record) => mayLook(record.toString("utf8", 2))).length : records.length;
    if (count >= MOST) break;
  }
  return count;
}
