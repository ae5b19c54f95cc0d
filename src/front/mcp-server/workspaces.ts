import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";

/** Which folders sessions may work in. */
export interface Workspaces {
  /** Where a session works that asks for nothing. */
  readonly usual: string;
  /** The folder that is asked for, as the system names it; null where it is none, or none of those allowed. */
  find(asked: string): string | null;
  /** Why no session may work in this one though it was found; null when one may. */
  refusal(folder: string): string | null;
}

const LONGEST = 4096;

/** Throws when one of the folders is none. */
export function createWorkspaces(folders: readonly string[], usual: string, refusal: Workspaces["refusal"] = () => null): Workspaces {
  const allowed = (folders.length > 0 ? folders : [usual]).map(folderAt);
  const wrong = allowed.indexOf(null);
  if (wrong !== -1) throw new Error(`${folders[wrong] ?? usual} is not a folder.`);
  const roots = allowed as string[];
  const find = (asked: string) => {
    if (!isAbsolute(asked)) return null;
    // Where it leads counts, not how it is written.
    const folder = folderAt(asked);
    return folder !== null && roots.some((root) => isWithin(root, folder)) ? folder : null;
  };
  return { usual: find(folderAt(usual) ?? usual) ?? roots[0]!, find, refusal };
}

/** A client's root as a path; null where it is something else. */
export const rootFolder = (uri: string): string | null => attempt(() => folderAt(fileURLToPath(uri)), null);

function folderAt(path: string): string | null {
  if (path.length > LONGEST || path.includes("\0")) return null;
  const real = attempt(() => realpathSync.native(path), null);
  return real !== null && attempt(() => statSync(real).isDirectory(), false) ? real : null;
}
