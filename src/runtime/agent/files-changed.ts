import { statEntry } from "../../files/stat.ts";
import { listFiles } from "../../host/search/search.ts";
import { abortAfter } from "../../text/abort.ts";
import { createPace } from "../../text/pace.ts";
import { isWithin, parentOf } from "../../text/path.ts";

const MOST_FILES = 20_000;
const LONGEST_MS = 2000;

/**
 * Whether a file below this folder was made, changed or removed since then, by times that no command can set. What the repository ignores does not
 * count: caches and build output change with every run. More than can be looked at in time may have changed.
 */
export async function haveFilesChanged(folder: string, sinceMs: number): Promise<boolean> {
  try {
    const signal = abortAfter(LONGEST_MS);
    const names = await listFiles(folder, MOST_FILES, signal);
    if (names.length === MOST_FILES) return true;
    const files = names.map((name) => `${folder}/${name}`);
    const pace = createPace(signal);
    for (const path of new Set([folder, ...files, ...files.flatMap((file) => foldersAbove(file, folder))])) {
      await pace.step();
      const stats = statEntry(path);
      if (stats === null || stats.ctimeMs >= sinceMs) return true;
    }
    return false;
  } catch {
    return true;
  }
}

/** A folder tells that something in it was removed. */
function foldersAbove(file: string, top: string): string[] {
  const found: string[] = [];
  for (let folder = parentOf(file); folder !== top && isWithin(top, folder); folder = parentOf(folder)) found.push(folder);
  return found;
}
