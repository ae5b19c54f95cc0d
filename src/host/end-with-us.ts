import { realpathSync } from "node:fs";
import { attempt } from "../text/attempt.ts";

/** A command line whose process ends with ours, however ours ends. */
export interface BoundCommand {
  readonly argv: readonly [string, ...string[]];
  /** Whether it needs a group of its own, and a pipe from us as descriptor 3: its end is how the group learns that we are gone. Close it when the process has ended. */
  readonly pipe: boolean;
}

const SETPRIV = ["/usr/bin/setpriv", "/bin/setpriv"];

/** What can ask the kernel. */
export interface TyingPrograms {
  /** The program that Zeph brings along, where it can be used: it starts faster than the system's own. */
  readonly runner?: string | null;
  readonly setpriv?: string | null;
}

/** The kernel is asked to kill it with us; where no program can ask that, a shell waits beside it for the end of a pipe. */
export function endWithUs(argv: readonly string[], { runner = null, setpriv = findSetpriv() }: TyingPrograms = {}): BoundCommand {
  if (runner !== null) return { argv: [runner, "enter", "TIED", "--", ...argv], pipe: false };
  if (setpriv !== null) return { argv: [setpriv, "--pdeathsig", "KILL", "--", ...argv], pipe: false };
  return { argv: ["/bin/sh", "-c", WAIT_BESIDE, "sh", ...argv], pipe: true };
}

/** The one that waits comes first, and takes everything in the group with it: there is no moment without it. */
const WAIT_BESIDE = '{ read -r _ <&3; kill -9 -$$; } >/dev/null 2>&1 & exec 3<&-; exec "$@"';

let found: string | null | undefined;

/** Not that of busybox, which cannot do it. */
function findSetpriv(): string | null {
  if (found === undefined) found = process.platform === "linux" ? (SETPRIV.find(isItself) ?? null) : null;
  return found;
}

const isItself = (path: string): boolean => attempt(() => realpathSync(path).endsWith("/setpriv"), false);
