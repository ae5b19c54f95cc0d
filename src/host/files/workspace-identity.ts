import { realpathSync, statSync } from "node:fs";
import { entryIdentity } from "../../files/stat.ts";
import { attempt } from "../../text/attempt.ts";

/**
 * Remembers which folder the workspace is, and which of the listed paths lead nowhere else. Asked later, it names the first that is not what it
 * was; null while all are. Whoever can write the folder above could put a link in its place, and have the walls opened around something else.
 */
export function rememberWorkspace(workspace: string, listed: readonly string[]): WorkspaceIdentity {
  // Folders in the lists come and go, as folders of builds do; but none of them may become a link.
  const straight = listed.filter((path) => path.startsWith("/") && real(path) === path);
  let first = identity(workspace);
  return {
    moved() {
      const now = identity(workspace);
      first ??= now;
      if (now !== first) return workspace;
      return straight.find((path) => ![path, null].includes(real(path))) ?? null;
    },
    mark: () => first,
  };
}

export interface WorkspaceIdentity {
  moved(): string | null;
  /** The workspace's device and number; null when it has never been there. */
  mark(): string | null;
}

/** A folder of the same name is another folder. */
const identity = (path: string): string | null => attempt(() => entryIdentity(statSync(path, { bigint: true })), null);

const real = (path: string): string | null => attempt(() => realpathSync.native(path), null);
