import { realpathSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { isWithin } from "../../text/path.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { readStateReport, ShellState } from "./turn-state.ts";

/** A `cd` may lead only where a command may start; elsewhere the next command begins where this one did. */
export function nextState({ cwd, exported, gone }: NonNullable<ReturnType<typeof readStateReport>>, policy: Policy, before: ShellState) {
  // What was exported before and is not told any more was unset; what was kept back stays as it was.
  const stayed = Object.entries(before.exported).filter(([name]) => !gone.has(name) && !(name in exported));
  const merged = { ...Object.fromEntries(stayed), ...exported };
  const real = folderAt(cwd);
  if (real !== null && policy.starts.some((root) => isWithin(root, real))) return { state: { cwd: real, exported: merged }, notes: [] };
  return {
    state: { cwd: before.cwd, exported: merged },
    // Of a folder that is gone the turn tells by itself.
    notes:
      folderAt(before.cwd) === null
        ? []
        : [`${shownPath(cwd)} is not a folder a command may start in; the next command starts in ${before.cwd}.`],
  };
}

/** Where a shell stands, in the words of a result; null at the workspace's top. */
export function shownFolder(cwd: string, workspace: string, setByUser: string): string | null {
  if (cwd === workspace) return null;
  return `${shownPath(isWithin(workspace, cwd) ? cwd.slice(workspace.length + 1) : cwd)}${cwd === setByUser ? " (set by the user)" : ""}`;
}

/** Null where there is none: a place that is not there would keep every later command of the turn from starting. */
export function folderAt(path: string): string | null {
  try {
    const real = realpathSync(resolve(path));
    return statSync(real).isDirectory() ? real : null;
  } catch {
    return null;
  }
}

/** Anyone can write what is told here: one line of it, and no more than a path may have. */
const shownPath = (path: string): string => path.replace(/[\p{Cc}\p{Cf}[\]]/gu, "?").slice(0, 300);
