import { chmodSync, copyFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { copiedRipgrep } from "../../files/own-place.ts";
import type { OtherUser } from "../sandbox/user.ts";
import { createTemporary } from "../temporary.ts";

export interface ReachableProgram {
  readonly path: string;
  remove(): void;
}

/** ripgrep where this user can start it: in its place, or as a copy when Zeph lies in a folder the user cannot enter. */
export async function reachableRipgrep(user: OtherUser): Promise<ReachableProgram> {
  const rgPath = copiedRipgrep() ?? (await import("@vscode/ripgrep")).rgPath;
  if (isReachable(rgPath, user)) return { path: rgPath, remove: () => {} };
  const { path: folder, remove } = createTemporary({ kind: "ripgrep", owner: user });
  const copy = join(folder, "rg");
  copyFileSync(rgPath, copy);
  chmodSync(copy, 0o755);
  return { path: copy, remove };
}

/** By what the modes say of everybody else: a group may open a folder too, but then a copy does no harm. */
function isReachable(path: string, { uid }: OtherUser): boolean {
  const opens = (one: string) => {
    const { mode, uid: owner } = statSync(one);
    return (mode & (owner === uid ? 0o100 : 0o001)) !== 0;
  };
  for (let at = path; ; at = dirname(at)) {
    if (!opens(at)) return false;
    if (at === dirname(at)) return true;
  }
}
