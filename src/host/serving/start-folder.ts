import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { ToolError } from "../../core/error.ts";
import { isWithin } from "../../text/path.ts";
import { realDisk } from "../sandbox/disk.ts";
import { realOrParent } from "../sandbox/listed-paths.ts";
import type { OtherUser } from "../sandbox/user.ts";
import { createTemporary, type Temporary } from "../temporary.ts";

/** Where a program starts behind bubblewrap: nothing else is mounted there, whatever the folders of this machine are called. */
export const START_INSIDE = "/run/zeph-start";

/** An empty folder for one program, which nobody else can enter. Never below the workspace: some programs look in the folders above them. */
export function ownFolder(workspaces: readonly string[], user: OtherUser | undefined): Temporary {
  const base = [tmpdir(), "/tmp", "/var/tmp"]
    .map((path) => realDisk.real(path))
    .find((path) => path?.startsWith("/") && !isInside(path, workspaces));
  if (!base)
    throw new ToolError("policy_blocked", "There is no temporary folder outside the workspace, so no server is started. Set TMPDIR.");
  return createTemporary({ kind: "server", base, owner: user });
}

const isInside = (path: string, roots: readonly string[]): boolean => {
  const real = realDisk.real(path) ?? realOrParent(resolve(path), realDisk);
  return roots.some((root) => isWithin(root, real) || isWithin(root, resolve(path)));
};
