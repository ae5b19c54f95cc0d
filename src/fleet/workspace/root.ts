import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readOwnText } from "../../files/own-file.ts";
import { isAlive } from "../../files/process.ts";
import { attempt } from "../../text/attempt.ts";
import { WorkspaceError } from "./error.ts";

/**
 * A folder that one process keeps folders of sessions in: two that work in one would have the same folder for a session that changes hands. Returns a name
 * for it that no other place has. Throws a WorkspaceError where a process that runs has it.
 */
export function claimRoot(root: string, closers: { add(close: () => unknown): void }): string {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  const lock = join(root, "worker.pid");
  for (;;) {
    try {
      writeFileSync(lock, `${process.pid} ${startOf(process.pid)}`, { flag: "wx", mode: 0o600 });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const [pid = "", start = ""] = (readOwnText(lock, { maxBytes: 200, links: "refuse" }) ?? "").split(" ");
    if (/^\d+$/.test(pid) && isAlive(Number(pid)) && startOf(Number(pid)) === start)
      throw new WorkspaceError(
        `Another worker (process ${pid}) keeps its folders in ${root}. Give this one its own: --workspaces <folder>.`,
      );
    rmSync(lock, { force: true });
  }
  closers.add(() => rmSync(lock, { force: true }));
  const file = join(root, "place");
  const known = readOwnText(file, { maxBytes: 200, links: "refuse" })?.trim();
  if (known) return known;
  const made = randomUUID();
  writeFileSync(file, made, { mode: 0o600 });
  return made;
}

/** A number that another process got later is not the same process. */
const startOf = (pid: number): string =>
  attempt(
    () =>
      readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ")[19] ?? "",
    "",
  );
