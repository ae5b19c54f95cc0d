import { ToolError } from "../../core/error.ts";
import type { OwnFiles, OwnHost } from "../../core/ports/own-host.ts";
import { waitWithin } from "../../text/wait-within.ts";

const LONGEST_MS = 60_000;
const LATE = Symbol("late");

/** The same files; a machine that does not answer keeps nobody waiting for longer than this. */
export function createTimelyFiles({ name, files }: Pick<OwnHost, "name" | "files">, ms = LONGEST_MS): OwnFiles {
  const inTime = async <T>(work: Promise<T>): Promise<T> => {
    const end = await waitWithin(work, ms, LATE);
    if (end === LATE) throw new ToolError("timeout", `${name} did not answer within ${ms / 1000} seconds.`);
    return end as T;
  };
  return {
    realPath: (path) => inTime(files.realPath(path)),
    stat: (path) => inTime(files.stat(path)),
    read: (path) => inTime(files.read(path)),
    write: (path, bytes) => inTime(files.write(path, bytes)),
    list: (path) => inTime(files.list(path)),
    makeFolder: (path) => inTime(files.makeFolder(path)),
    remove: (path) => inTime(files.remove(path)),
  };
}
