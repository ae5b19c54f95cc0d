import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a private folder and its parents, step by step: Node's recursive mkdir never returns where a parent cannot be made (below /proc). */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  for (let at = folder; !statSync(at, { throwIfNoEntry: false }); at = dirname(at)) missing.unshift(at);
  for (const path of missing) {
    try {
      mkdirSync(path, 0o700);
    } catch (error) {
      // Another process may have been faster.
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}
