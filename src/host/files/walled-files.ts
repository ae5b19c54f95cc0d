import { resolve } from "node:path";

/**
 * Files that the walls of running commands hold: they cannot be written there, or not be read. A wall is a mount on a file, and it is gone for good when
 * somebody outside of the walls renames another file to that name. So Zeph writes into such a file and does not replace it.
 */
const held = new Set<ReadonlySet<string>>();

/** Call what is returned when the command has ended. */
export function holdWalled(paths: Iterable<string>): () => void {
  const mine = new Set(paths);
  held.add(mine);
  return () => void held.delete(mine);
}

export const isWalled = (folder: string, name: string): boolean => {
  const path = resolve(folder, name);
  return [...held].some((paths) => paths.has(path));
};
