import { type FSWatcher, watch } from "node:fs";
import { dirname } from "node:path";
import { attempt } from "../../text/attempt.ts";
import type { AuditIndex, IndexEnd, IndexedLine } from "./open-index.ts";

/** Not every file system tells of changes, and some tell late. */
const LOOK_MS = 300;

/** Tells of the calls that end from now on, until it is stopped. A question that fails is asked again at the next look. */
export function followLog(index: AuditIndex, audit: string, listener: (calls: readonly IndexedLine[]) => void): () => void {
  let end: IndexEnd | undefined;
  let state: "idle" | "looking" | "stopped" = "idle";
  const isStopped = () => state === "stopped";
  const look = async () => {
    if (state !== "idle") return;
    state = "looking";
    try {
      const { calls, end: next } = await index.newer(end);
      if (isStopped()) return;
      end = next;
      if (calls.length > 0) listener(calls);
    } catch {
      // The index is in use by another process, or the log is being changed.
    } finally {
      if (!isStopped()) state = "idle";
    }
  };
  const watcher: FSWatcher | null = attempt(() => watch(dirname(audit), { persistent: false }, () => void look()), null);
  watcher?.on("error", () => {});
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  void look();
  return () => {
    state = "stopped";
    clearInterval(timer);
    watcher?.close();
  };
}
