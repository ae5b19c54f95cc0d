import type { EntryState } from "../../core/ports/facts.ts";
import { entryIdentity, entryKind, statExact } from "../../files/stat.ts";

/** What lies at a path itself. It only looks; what cannot be looked at is not there. */
export function readEntryState(path: string): EntryState | null {
  const stats = statExact(path);
  if (stats === null) return null;
  const { size, mtimeNs, ctimeNs } = stats;
  // A folder changes with everything in it, and stays the same folder.
  const change = stats.isDirectory() ? "" : `:${size}:${mtimeNs}:${ctimeNs}`;
  return { kind: entryKind(stats), stamp: `${entryIdentity(stats)}${change}` };
}
