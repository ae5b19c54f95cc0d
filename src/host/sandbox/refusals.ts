import { ToolError } from "../../core/error.ts";
import { isWithin, parentOf } from "../../text/path.ts";
import type { Disk } from "./disk.ts";
import { realOrParent } from "./listed-paths.ts";
import type { Setting } from "./policy.ts";

/** The walls go around what the person named. A link in its place, or another folder, is something else. */
export function refuseMoved({ cwd, moved }: Setting, disk: Disk): void {
  const real = disk.real(cwd);
  if (real === null) throw blocked(`${cwd} does not exist, so no command can start there.`);
  const other = moved?.() ?? null;
  if (real !== cwd || other === cwd)
    throw blocked(`${said(cwd, real)}: the workspace is no longer the folder it was. No command is run there; start Zeph there again.`);
  if (other !== null)
    throw blocked(`${other} is now a link to somewhere else. No command is run until it is what it was, or until Zeph is started again.`);
}

/** Mounting these over the sandbox's own would undo it. */
const RESERVED = ["/proc", "/dev", "/sys"];

export function refuseMounting(written: string, real: string): void {
  const hit = ["/", ...RESERVED].find((path) => real === path || (path !== "/" && isWithin(path, real)));
  if (hit)
    throw blocked(`${said(written, real)} cannot be opened to commands: ${hit} belongs to the sandbox itself. List the folders you need.`);
}

export function refuseWriting(written: string, real: string, { home, own }: Setting, disk: Disk): void {
  const path = said(written, real);
  refuseMounting(written, real);
  if (real === (disk.real(home) ?? home))
    throw blocked(`${path} is your home, and commands may not write all of it. Start in a project folder, or list folders in ${KEY}.`);
  for (const file of own.map((name) => realOrParent(name, disk)))
    if (isWithin(real, file) || isWithin(file, real))
      throw blocked(`${path} holds Zeph's own files (${file}), which commands may never write. List narrower folders in ${KEY}.`);
}

export function refuseKeys(written: string, real: string, { keys }: Setting, disk: Disk): void {
  const hit = keys.map((file) => disk.real(file)).find((file) => file !== null && isWithin(real, file));
  if (hit) throw blocked(`${said(written, real)} holds your keys (${hit}), which commands may never read. List narrower folders.`);
}

const KEY = "tools.sandbox.allow_write";
export const said = (written: string, real: string) => (written === real ? real : `${written} (${real})`);
export const blocked = (message: string) => new ToolError("policy_blocked", message);

/**
 * Whether a command could decide where the path leads: some step of it is a name inside a writable folder, and it ends outside of that
 * folder. Otherwise `ln -s ~/.ssh out` in one command would have the key mounted for the next.
 */
export function isSteered(written: string, real: string, roots: readonly string[], disk: Disk): boolean {
  if (written === real) return false;
  const steps = written.split("/").map((_, i, all) => all.slice(0, i + 1).join("/") || "/");
  return steps.slice(1).some((step) => {
    const parent = disk.real(parentOf(step));
    return parent !== null && roots.some((root) => root !== real && isWithin(root, parent) && !isWithin(root, real));
  });
}
