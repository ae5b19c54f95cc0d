import { listWorkspaceFiles } from "../../../../runtime/person/list-files.ts";
import { visible } from "../../../../text/visible.ts";

/** The files of a workspace, for the menu behind `@`. */
export interface WorkspaceFiles {
  /** What is known now; a list that is old is read again meanwhile. */
  names(): readonly string[];
}

const FRESH_MS = 5000;

export function createWorkspaceFiles(cwd: string, changed: () => void): WorkspaceFiles {
  let names: readonly string[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let isReading = false;
  const read = async () => {
    isReading = true;
    // A folder that cannot be listed now shows what it showed before.
    const found = await listWorkspaceFiles(cwd).catch(() => null);
    isReading = false;
    readAt = performance.now();
    if (found === null) return;
    names = found.filter((name) => visible(name) === name && !/\s/.test(name));
    changed();
  };
  return {
    names() {
      if (!isReading && performance.now() - readAt > FRESH_MS) void read();
      return names;
    },
  };
}
