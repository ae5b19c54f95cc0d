import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, hostname } from "node:os";
import { isAbsolute, join } from "node:path";
import { readOwnText } from "../../files/own-file.ts";
import { isAlive } from "../../files/process.ts";
import { makeFolder } from "../../store/folder.ts";
import { attempt } from "../../text/attempt.ts";
import { WorkspaceError } from "./error.ts";

/**
 * A folder that one process keeps folders of sessions in: two that work in one would have the same folder for a session that changes hands. Returns a name
 * for it that no other place has. Throws a WorkspaceError where a process that runs has it.
 */
export function claimRoot(root: string, closers: { add(close: () => unknown): void }): string {
  makeFolder(root);
  const lock = join(root, ".worker");
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
  const file = join(root, ".place");
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

/** Below the person's own data and not below their state: commands are to work there. */
export function usualWorkerRoot(): string {
  const home = process.env.HOME || homedir();
  const given = process.env.XDG_DATA_HOME;
  return join(given && isAbsolute(given) ? given : join(home, ".local", "share"), "zeph-workspaces");
}

/** One process at a time has it. */
export const usualWorkerName = (): string =>
  `${hostname()
    .replace(/[^\w.-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 40)}-${process.pid}`;
