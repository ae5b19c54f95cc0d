import { posix } from "node:path";
import { movedFiles } from "../../core/clients/client-switches.ts";
import type { Gate } from "../../core/gate/gate.ts";
import type { Facts } from "../../core/ports/facts.ts";
import { createFilesGate } from "../../gates/files.ts";
import { createSelfGate, type SelfParts } from "../../gates/self/self.ts";
import { packageRoot } from "../../hook/install/hook-program.ts";
import { createInstalledPlaces } from "../hook/installed-places.ts";

/** Those who are asked first: neither reads a rule. */
export function createFirstGates(facts: Facts, { own_package }: { readonly own_package: SelfParts["package"] }): readonly Gate[] {
  const { pid, env } = process;
  const fixed = [...hookFolders(env, facts.home), ...movedFiles(env)];
  const installed = createInstalledPlaces(posix.join(stateFolder(env, facts.home), "zeph"));
  const self = createSelfGate({
    facts,
    pid,
    // Hooks may be installed while this process lives.
    get folders() {
      return [...fixed, ...installed()];
    },
    root: packageRoot(),
    package: own_package,
    path: (env.PATH ?? "").split(":"),
  });
  return [self, createFilesGate(facts)];
}

const stateFolder = (env: Readonly<Record<string, string | undefined>>, home: string): string =>
  env.XDG_STATE_HOME || posix.join(home, ".local/state");

/** Where the process that answers hooks has its socket and its state. */
export function hookFolders(env: Readonly<Record<string, string | undefined>>, home: string): readonly string[] {
  const runtime = env.XDG_RUNTIME_DIR;
  return [...(runtime?.startsWith("/") ? [posix.join(runtime, "zeph")] : []), posix.join(stateFolder(env, home), "zeph")];
}
