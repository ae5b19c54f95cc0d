import { ToolError } from "../../core/error.ts";
import type { Served, ServedProgram } from "../../core/ports/served.ts";
import type { Walls } from "../../core/ports/walls.ts";
import { splitPath } from "../../files/command-folders.ts";
import { secureOwnPlace } from "../../files/own-place.ts";
import { isWithin } from "../../text/path.ts";
import { REGISTRIES } from "../egress/judge.ts";
import { createChangeWatch } from "../protected/after-command.ts";
import { unprotectedReason } from "../protected/unprotected.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import { realDisk } from "../sandbox/disk.ts";
import type { Launch } from "../sandbox/fed-launch.ts";
import { judgeAgain } from "../sandbox/held-places.ts";
import { startOnce } from "../sandbox/judged-start.ts";
import { launch, openLaunch } from "../sandbox/launch.ts";
import { HOME_INSIDE, type Policy, policyInTurns, type Setting } from "../sandbox/policy.ts";
import { probe } from "../sandbox/probe.ts";
import { findProgram } from "../sandbox/programs.ts";
import { isOwnBuilder, type Sandbox } from "../sandbox/sandbox.ts";
import type { OtherUser } from "../sandbox/user.ts";
import { withWorkspacePaths } from "./argv.ts";
import { fetchPolicy } from "./fetch-policy.ts";
import { type OpenNames, openOwnNetwork } from "./own-network.ts";
import { type FoldersFor, KEEPS_NOTHING, type KeptFolders, keptVariables } from "./server-folders.ts";
import { ownFolder, START_INSIDE } from "./start-folder.ts";

export interface ProgramStart extends Pick<Served, "look"> {
  readonly launch: Launch;
}
/** `fetch`: to have its packages fetched, with nothing of the person's around it. */
export type StartProgram = <T>(program: ServedProgram, purpose: "serve" | "fetch", act: (start: ProgramStart) => Promise<T>) => Promise<T>;

export interface StartOptions {
  readonly sandbox: SandboxConfig;
  readonly setting: Omit<Setting, "added" | "start">;
  readonly user?: OtherUser | undefined;
  /** How names are opened for one program. */
  readonly openNames?: OpenNames | undefined;
  readonly keptFor?: FoldersFor;
}

/**
 * A program behind the walls a command would get, with what was agreed for it. Nobody can be asked when it starts, and it starts
 * whatever folder was opened: so nothing of the workspace may decide what is run. `act` starts what it is given, and is given another one when
 * something has changed in between.
 */
export const createStartProgram =
  ({ sandbox, setting, user, openNames, keptFor = KEEPS_NOTHING }: StartOptions): StartProgram =>
  async (written, purpose, act) => {
    const workspaces = foldersOf(setting);
    const kept = keptFor(written);
    const program = withWorkspacePaths(written, workspaces[0]!, kept?.data ?? null);
    const isFetch = purpose === "fetch" && kept !== null;
    const judge = (builder: Sandbox | null) =>
      isFetch
        ? fetchPolicy(sandbox, setting, program, kept)
        : policyInTurns(widened(sandbox, setting, program), { ...setting, added: program.env, isOwnBuilder: isOwnBuilder(builder) });
    const around = (own: Policy) => withPath(isFetch ? own : withKept(own, program, kept), workspaces);
    const first = await judge(null);
    await secureOwnPlace(first.write);
    const found = sandbox.enabled ? await probe({ policy: first, user }) : null;
    const look = (own: Policy) => (sandbox.enabled && !isFetch ? looking(own) : null);
    if (found && found.backend !== "none") {
      const { backend } = found;
      const argv = seen(program, around(first), backend);
      const names = isFetch ? [REGISTRIES] : program.network;
      if (typeof names === "object" && user)
        throw new ToolError("policy_blocked", `${argv[0]} runs as another user, for whom no names can be opened one by one.`);
      return judgeAgain(async () => {
        // Before anything is judged: it takes a while.
        const open = typeof names === "object" ? await openOwnNetwork(names, argv[0], openNames, { found, policy: around(first) }) : null;
        try {
          return await startOnce(found, async ({ hold, onReady }) => {
            const own = await judge(found);
            const start = (policy: Policy) => {
              const places = hold(policy);
              const exposed = unprotectedReason(found, own, sandbox);
              if (exposed !== null)
                throw new ToolError("policy_blocked", `${program.argv[0]} is not started, and nobody can be asked now. ${exposed}`);
              return launch(found, policy, argv, { user, places, onReady, join: open?.line });
            };
            const policy = { ...around(own), env: { ...open?.variables, ...around(own).env } };
            const launched =
              backend === "bubblewrap" ? start({ ...policy, fresh: START_INSIDE }) : inOwnFolder(workspaces, user, policy, start);
            const cleanup = () => {
              launched.cleanup();
              void open?.close();
            };
            return act({ launch: { ...launched, cleanup }, ...look(own) });
          });
        } catch (error) {
          await open?.close();
          throw error;
        }
      });
    }
    const reason = found ? found.walls.reason : "tools.sandbox.enabled is false";
    if (found && sandbox.fallback !== "noop") throw noWalls(program, reason);
    const walls: Walls = { backend: "none", layers: [], network: "open", ...(reason !== undefined && { reason }) };
    const { path: PATH } = splitPath(program.env.PATH ?? process.env.PATH ?? "", workspaces);
    const argv = lookedUp(program, PATH);
    const env = { ...(kept && keptVariables(kept, "open")), ...program.env, PATH };
    const launched = inOwnFolder(workspaces, user, around(first), (apart) => openLaunch(walls, apart, argv, { user, env }));
    return act({ launch: launched, ...look(first) });
  };

/** The workspace first, and where else commands may start. */
function foldersOf({ cwd, allowedPaths, home }: StartOptions["setting"]): string[] {
  const others = allowedPaths.map((path) => path.replace(/^~(?=\/|$)/, home)).filter((path) => path.startsWith("/"));
  return [cwd, ...others].map((path) => realDisk.real(path) ?? path);
}

/** Its own folders besides. They are Zeph's, so they come after the rules about what is Zeph's: those are for what somebody lists. */
function withKept(policy: Policy, { env, network }: ServedProgram, kept: KeptFolders | null): Policy {
  if (kept === null) return policy;
  const variables = keptVariables(kept, network === "closed" || network === "install" ? "closed" : "open");
  return {
    ...policy,
    write: [...policy.write, kept.data, kept.cache],
    home: kept.data,
    env: { ...policy.env, ...placedSettings(policy), ...variables, ...env },
  };
}

/** Where the person's settings of git and npm lie inside: the home is another folder. */
const placedSettings = ({ files = [] }: Policy): Record<string, string> =>
  Object.fromEntries(files.flatMap(([, to]) => (Object.hasOwn(SETTINGS, to) ? [[SETTINGS[to]!, to]] : [])));
const SETTINGS: Readonly<Record<string, string>> = {
  [`${HOME_INSIDE}/.gitconfig`]: "GIT_CONFIG_GLOBAL",
  [`${HOME_INSIDE}/.npmrc`]: "npm_config_userconfig",
};

const withPath = (policy: Policy, workspaces: readonly string[]): Policy => ({
  ...policy,
  env: { ...policy.env, PATH: splitPath(policy.env.PATH ?? "", workspaces).path },
});

/** Where no mount can be made the folder lies on the disk, and goes when the program has ended. */
function inOwnFolder(workspaces: readonly string[], user: OtherUser | undefined, policy: Policy, make: (policy: Policy) => Launch): Launch {
  const folder = ownFolder(workspaces, user);
  try {
    const made = make({ ...policy, cwd: folder.path, write: [...policy.write, folder.path] });
    const cleanup = () => {
      made.cleanup();
      folder.remove();
    };
    return { ...made, cleanup };
  } catch (error) {
    folder.remove();
    throw error;
  }
}

function looking(policy: Policy): Required<Pick<ProgramStart, "look">> {
  const since = createChangeWatch(policy);
  return { look: () => since().map(({ path, how }) => `${path} ${how}: programs outside the sandbox may run what is in it`) };
}

/** The lists of the settings, and what this program has besides. */
function widened(config: SandboxConfig, { allowedPaths, cwd }: StartOptions["setting"], program: ServedProgram): SandboxConfig {
  const places = allowedPaths.length > 0 ? allowedPaths : [cwd];
  const writable = config.allow_write.length > 0 ? config.allow_write : places;
  return {
    ...config,
    allow_network: program.network === "open",
    allow_read: [...config.allow_read, ...(program.read ?? [])],
    allow_write: [...writable, ...(program.write ?? [])],
  };
}

/** What is run is what was looked up here, whatever another PATH would lead to. */
function lookedUp({ argv: [name, ...args] }: ServedProgram, path: string): [string, ...string[]] {
  const found = findProgram(name, path, "/");
  if (found === null) throw missing(name, path);
  return [found, ...args];
}

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt/homebrew", "/System"];

/** One that is there but hidden would end with a message that nobody understands. */
function seen(program: ServedProgram, policy: Policy, backend: Walls["backend"]): [string, ...string[]] {
  const argv = lookedUp(program, policy.env.PATH ?? "");
  const real = realDisk.real(argv[0]) ?? argv[0];
  const hidden = [argv[0], real].find((place) => ![...SYSTEM, ...policy.read, ...policy.write].some((root) => isWithin(root, place)));
  if (hidden === undefined) return argv;
  throw new ToolError(
    "permanent_failure",
    `${program.argv[0]} is ${hidden}, which cannot be seen behind the walls (${backend}). Let it read that folder (allow_read), or list it in tools.sandbox.toolchains.`,
  );
}

const missing = (name: string, path: string) =>
  new ToolError(
    "permanent_failure",
    name.includes("/")
      ? `${name} does not exist or is not a program.`
      : `There is no program "${name}" where commands look for theirs: ${path}. Programs elsewhere are named by their whole path, or their folder is listed in tools.sandbox.toolchains.`,
  );

const noWalls = ({ argv }: ServedProgram, reason = "no sandbox works here.") =>
  new ToolError(
    "policy_blocked",
    `${argv[0]} is not started without walls, and nobody can be asked now. ${reason} Run zeph doctor. To run such programs without walls set tools.sandbox.fallback = "noop".`,
  );
