import { readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, parse, resolve } from "node:path";
import { attempt } from "../../text/attempt.ts";
import { StoreError } from "../sqlite/error.ts";

/** How many processes of one number, from different containers, may share a folder. */
const NAMESAKES = 16;
/** What stands between `audit.` and `.jsonl`. */
const PROCESS = /^(memory|(memory\.)?\d+(\.\d+)?)$/;

/** One name for a file however its folder was reached, so that it has one anchor. The file itself is not followed. */
export function auditName(path: string): string {
  const full = resolve(path);
  if (full.includes("\0")) throw new StoreError(full, "A path with a NUL character cannot be an audit log.");
  return attempt(() => join(realpathSync(dirname(full)), basename(full)), full);
}

/** The files a process may write, best first: `audit.jsonl`, `audit.<pid>.jsonl`, `audit.<pid>.2.jsonl`, … */
export function* processNames(name: string, pid: number): Generator<string> {
  const { dir, name: stem, ext } = parse(name);
  yield name;
  yield join(dir, `${stem}.${pid}${ext}`);
  for (let n = 2; n <= NAMESAKES; n++) yield join(dir, `${stem}.${pid}.${n}${ext}`);
}

/** The log and those beside it, also of runtimes that keep their store in memory, of the files that are there and of the ones that should be. */
export function auditFamily(
  name: string,
  known: readonly string[],
): { readonly there: readonly string[]; readonly gone: readonly string[] } {
  const { dir, base, name: stem, ext } = parse(name);
  const isFamily = (file: string) =>
    file === base ||
    (file.startsWith(`${stem}.`) && file.endsWith(ext) && PROCESS.test(file.slice(stem.length + 1, -ext.length || undefined)));
  const there = filesIn(dir).filter(isFamily);
  const gone = known.filter((file) => dirname(file) === dir && isFamily(basename(file)) && !there.includes(basename(file)));
  return { there: there.map((file) => join(dir, file)), gone };
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
