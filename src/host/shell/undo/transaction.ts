import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { ToolError } from "../../../core/error.ts";
import type { Ran } from "../../../core/ports/shell.ts";
import type { Touch } from "../../../core/touch.ts";
import { isWithin, nameOf, parentOf } from "../../../text/path.ts";
import type { ShellRunConfig } from "../config.ts";
import { type Snapshot, takeSnapshot } from "./snapshot.ts";

/** A command that can be undone. */
export interface Transaction {
  readonly notes: readonly string[];
  /** Undoes the command where its exit code asks for it, and says what was done. */
  finish(exitCode: number, ended: Ran["ended"]): Promise<string | undefined>;
}

/** Null when nothing is to be saved: transactions are off, or the command writes nothing. */
export async function beginTransaction(
  config: ShellRunConfig,
  touches: readonly Touch[],
  cwd: string,
  writable: readonly string[],
  /** Git folders among them that lie outside the workspace. */
  outer: readonly string[] = [],
  workspace = writable[0] ?? cwd,
): Promise<Transaction | null> {
  if (!config.transactional) return null;
  // They are put back as a whole or not at all: half a git folder is none.
  const isWhole = config.transaction_scope.some((glob) => glob === "**" || glob === "**/*");
  const paths = savedPaths(touches, cwd, isWhole ? writable : writable.filter((root) => !outer.includes(root)));
  if (paths.length === 0) return null;
  // Globs are the workspace's, also where commands may change more around it.
  const around = writable.filter((root) => root !== workspace && isWithin(root, workspace));
  let snapshot: Snapshot;
  try {
    snapshot = await takeSnapshot({
      paths,
      fixed: writable,
      scope: [...config.transaction_scope, ...(isWhole ? [...outer, ...around].map((folder) => `${folder}/**`) : [])],
      base: around.length > 0 ? workspace : (writable[0] ?? cwd),
      maxBytes: config.max_snapshot_bytes,
    });
  } catch (error) {
    const why = `snapshot failed: ${(error as Error).message}`;
    if (config.snapshot_required) throw new ToolError("permanent_failure", `${why}. The command was not run.`);
    return { notes: [`${why}. No rollback is possible for this command.`], finish: async () => undefined };
  }
  return { notes: [], finish: (exitCode) => finish(snapshot, config, exitCode) };
}

async function finish(snapshot: Snapshot, config: ShellRunConfig, exitCode: number): Promise<string | undefined> {
  try {
    if (!config.auto_rollback || !config.auto_rollback_exit_codes.includes(exitCode)) return undefined;
    const { restored, removed, moved } = await snapshot.restore();
    const elsewhere = moved.length === 0 ? "" : ` (moved meanwhile, and put right where it is now: ${moved.slice(0, 5).join(", ")})`;
    return `rolled back after exit code ${exitCode}: ${restored.length} restored, ${removed.length} removed${elsewhere}`;
  } catch (error) {
    throw new ToolError("permanent_failure", `The rollback failed: ${(error as Error).message}`);
  } finally {
    await snapshot.drop();
  }
}

/** Programs that change nothing but what their touches say. Any other may write anywhere it can reach. */
const PLAIN = new Set(
  "cat cd chmod cp cut date diff dirname basename echo env expr false file find grep head id ln ls mkdir mv printf pwd readlink realpath rg rm rmdir sed seq sleep sort stat tail tee test touch tr true truncate uniq wc which [ :".split(
    " ",
  ),
);

/** The paths a command says it changes; everything it can reach when it does not say. */
function savedPaths(touches: readonly Touch[], cwd: string, writable: readonly string[]): string[] {
  const isOpen = touches.some((touch) => touch.kind === "unknown" || (touch.kind === "command" && !PLAIN.has(touch.argv[0] ?? "")));
  if (isOpen) return [...writable];
  const changed = touches.flatMap((touch) => (touch.kind === "path" && touch.access !== "read" ? [real(resolve(cwd, touch.path))] : []));
  return changed.filter((path) => writable.some((root) => isWithin(root, path)));
}

/** Links in the parents are followed; the entry itself may not exist yet. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === "/" ? path : `${real(parentOf(path)).replace(/\/$/, "")}/${nameOf(path)}`;
  }
}
