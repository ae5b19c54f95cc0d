import { posix } from "node:path";
import { movedFiles } from "../../core/clients/client-switches.ts";
import type { Gate } from "../../core/gate/gate.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { createFilesGate } from "../../gates/files.ts";
import { createSelfGate } from "../../gates/self/self.ts";

/** Those who are asked first: neither reads a rule. */
export const createFirstGates = (facts: Facts, { pid, env } = process): readonly Gate[] => [
  createSelfGate({ facts, pid, folders: [...hookFolders(env, facts.home), ...movedFiles(env)], path: (env.PATH ?? "").split(":") }),
  createFilesGate(facts),
];

/** Where the process that answers hooks has its socket and its state. */
export function hookFolders(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  const state = env.XDG_STATE_HOME || posix.join(home, ".local/state");
  return [...(runtime?.startsWith("/") ? [posix.join(runtime, "zeph")] : []), posix.join(state, "zeph")];
}
