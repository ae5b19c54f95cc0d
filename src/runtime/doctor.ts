import { keyFiles } from "../config/api-keys.ts";
import type { Walls } from "../core/ports/walls.ts";
import { canPin } from "../host/files/pin.ts";
import { type Canary, checkup } from "../host/sandbox/canaries.ts";
import { policyFor } from "../host/sandbox/policy.ts";
import { probe, switchedOff } from "../host/sandbox/probe.ts";
import { findOtherUser } from "../host/sandbox/user.ts";
import { sweepTemporary } from "../host/temporary.ts";
import { assertScopeUser } from "./settings/scope-user.ts";
import { type FileSettings, openDesk } from "./settings/stores.ts";

/** What really holds on this machine, tried and not assumed. */
export interface Diagnosis {
  readonly walls: Walls;
  readonly canaries: readonly Canary[];
  readonly files: { readonly pinned: boolean };
  readonly places: { readonly store: string; readonly audit: string; readonly config: string };
  readonly advice: readonly string[];
}

export async function examine(cwd: string, settings: FileSettings = {}): Promise<Diagnosis> {
  sweepTemporary();
  const desk = openDesk(cwd, settings);
  try {
    const { sandbox, shell, scope } = desk.loaded.config.tools;
    const own = [desk.at.store, desk.at.audit, desk.at.notes, desk.loaded.userFile];
    const keys = keyFiles({ home: desk.at.home, env: process.env });
    const policy = policyFor(sandbox, { cwd, home: desk.at.home, own, keys, allowedPaths: shell.allowed_paths, env: process.env });
    assertScopeUser(scope);
    const user = scope.enabled && scope.run_as_user !== "" ? findOtherUser(scope.run_as_user) : undefined;
    const found = sandbox.enabled ? await probe({ policy, user }) : switchedOff;
    const { walls, canaries, advice } = await checkup(found, policy, { home: desk.at.home, user });
    return {
      walls,
      canaries,
      files: { pinned: canPin },
      places: { store: desk.at.store, audit: desk.at.audit, config: desk.loaded.userFile },
      advice: [...advice, ...(canPin ? [] : ["The file tools check paths, but cannot hold folders open against races on this system."])],
    };
  } finally {
    await desk.close();
  }
}
