import { posix } from "node:path";

/** Where the process that answers hooks has its socket and its state. */
export function hookFolders(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  const state = env.XDG_STATE_HOME || posix.join(home, ".local/state");
  return [...(runtime?.startsWith("/") ? [posix.join(runtime, "zeph")] : []), posix.join(state, "zeph")];
}
