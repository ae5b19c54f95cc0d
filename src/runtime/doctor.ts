import { createKeyReader, keyFiles } from "../config/api-keys.ts";
import type { Walls } from "../core/ports/walls.ts";
import { findRepository, readGitConfig } from "../files/git-repository.ts";
import { cacheRoot } from "../files/known-workspaces.ts";
import { canPin } from "../host/files/pin.ts";
import { openSessionNetwork } from "../host/network/session-network.ts";
import { type Canary, checkup } from "../host/sandbox/canaries.ts";
import { SYSTEM_PATH } from "../host/sandbox/environment.ts";
import { policyFor } from "../host/sandbox/policy.ts";
import { probe, switchedOff } from "../host/sandbox/probe.ts";
import { findProgram } from "../host/sandbox/programs.ts";
import { scopeUser } from "../host/sandbox/user.ts";
import { sweepTemporary } from "../host/temporary.ts";
import { emptyCaches } from "../host/workday/cache-folder.ts";
import { readGitSettings } from "../host/workday/git-settings.ts";
import { statePaths } from "../store/state-paths.ts";
import { lastSetting, parseGitConfig } from "../text/git-config.ts";
import { isWithin } from "../text/path.ts";
import { type ModelAddress, tryModelAddresses } from "./agent/model-addresses.ts";
import { assertScopeUser } from "./settings/scope-user.ts";
import { type FileSettings, openDesk } from "./settings/stores.ts";

/** What really holds on this machine, tried and not assumed. */
export interface Diagnosis {
  readonly walls: Walls;
  readonly canaries: readonly Canary[];
  /** Whether the commands of a session share one closed network; else each has its own. */
  readonly network: "shared" | "each its own" | "open";
  readonly files: { readonly pinned: boolean };
  /** Where keys go, and whether somebody answers there. */
  readonly models: readonly ModelAddress[];
  readonly places: { readonly store: string; readonly audit: string; readonly config: string };
  readonly advice: readonly string[];
}

/** Tries the walls, and with `online` the addresses of models. */
export async function examine(cwd: string, settings: FileSettings = {}, asks: "online" | "offline" = "offline"): Promise<Diagnosis> {
  sweepTemporary();
  const desk = openDesk(cwd, settings);
  const network = openSessionNetwork();
  try {
    const { sandbox, shell, scope } = desk.loaded.config.tools;
    const own = [desk.at.store, desk.at.audit, desk.at.notes, desk.loaded.userFile];
    const keys = keyFiles({ home: desk.at.home, env: process.env });
    const policy = policyFor(sandbox, { cwd, home: desk.at.home, own, keys, allowedPaths: shell.allowed_paths, env: process.env });
    assertScopeUser(scope);
    const user = scopeUser(scope);
    const found = sandbox.enabled ? await probe({ policy, user }) : switchedOff;
    const place = user ? null : await network.join(found, policy);
    const { walls, canaries, advice } = await checkup(found, policy, { home: desk.at.home, user, join: place?.line });
    const problem = network.problem();
    return {
      walls,
      canaries,
      network: walls.network === "open" ? "open" : place ? "shared" : "each its own",
      files: { pinned: canPin },
      models: await tryModelAddresses({
        llm: desk.loaded.config.llm,
        keys: createKeyReader({ home: desk.at.home, env: process.env }),
        env: process.env,
        asks,
      }),
      places: { store: desk.at.store, audit: desk.at.audit, config: desk.loaded.userFile },
      advice: [
        ...advice,
        ...(problem === null ? [] : [`${NOT_SHARED} (${problem}).`]),
        ...(canPin ? [] : ["The file tools check paths, but cannot hold folders open against races on this system."]),
      ],
    };
  } finally {
    await network.close();
    await desk.close();
  }
}

const NOT_SHARED =
  "Each command has a closed network of its own, so a server that one of them starts in the background cannot be reached by the next";

/** What there is of git, by its files and the person's settings. */
export interface GitState {
  /** Where it lies; null where it is not, or only in this folder. */
  readonly program: string | null;
  readonly isRepository: boolean;
  /** Settings without which nothing can be committed. */
  readonly lacks: readonly string[];
}

export function examineGit(cwd: string, env: Record<string, string | undefined> = process.env): GitState {
  const folders = [...SYSTEM_PATH.split(":"), ...(env.PATH ?? "").split(":")].filter((folder) => !isWithin(cwd, folder));
  const repository = findRepository(cwd);
  const { machine, person } = readGitSettings({ cwd, home: statePaths({ store: "", audit: "" }, env).home, env, user: undefined });
  const settings = [
    ...[machine, person].flatMap((text) => parseGitConfig(text) ?? []),
    ...(repository === null ? [] : (readGitConfig(`${repository.common}/config`) ?? [])),
  ];
  return {
    program: findProgram("git", folders.join(":"), "/"),
    isRepository: repository !== null,
    lacks: ["user.name", "user.email"].filter((name) => !lastSetting(settings, name)),
  };
}

/** Removes what commands keep between sessions, for every workspace of this person. */
export function removeCaches(): { readonly root: string; readonly count: number } {
  const root = cacheRoot(statePaths({ store: "", audit: "" }).home, process.env);
  return { root, count: emptyCaches(root) };
}
