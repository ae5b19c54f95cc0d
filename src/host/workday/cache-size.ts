import { writeFileSync } from "node:fs";
import { statEntry } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";
import { createPace } from "../../text/pace.ts";
import { childPath, readFolder } from "../protected/folders.ts";

const MOST_BYTES = 5 * 1024 ** 3;
const MOST_ENTRIES = 300_000;
const DAY_MS = 24 * 3600 * 1000;

/** How large a cache is, asked once a day. Null when it was asked lately, or while it is small. */
export async function oversizedCache(cache: string, isOver: () => boolean): Promise<string | null> {
  const asked = `${cache}.measured`;
  if ((statEntry(asked)?.mtimeMs ?? 0) > Date.now() - DAY_MS) return null;
  attempt(() => writeFileSync(asked, "", { mode: 0o600 }), null);
  const bytes = await bytesBelow(cache, isOver);
  if (bytes < MOST_BYTES) return null;
  return `What commands keep for this workspace (${cache}) is larger than ${MOST_BYTES / 1024 ** 3} GiB. \`zeph doctor --clean\` empties it.`;
}

/** As far as it matters: it stops where it is too large anyway. */
export async function bytesBelow(path: string, isOver: () => boolean): Promise<number> {
  const pace = createPace();
  const open = [path];
  let bytes = 0;
  for (let seen = 0; open.length > 0 && seen < MOST_ENTRIES && bytes < MOST_BYTES; ) {
    await pace.step();
    if (isOver()) return 0;
    const at = open.pop()!;
    const folder = readFolder(at);
    if (folder === null || folder === "shut") continue;
    for (const { name, kind } of folder.entries) {
      seen++;
      if (kind === "folder") open.push(childPath(at, name));
      else bytes += statEntry(childPath(at, name))?.size ?? 0;
    }
  }
  return bytes;
}
