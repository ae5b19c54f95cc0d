import { ToolError } from "../core/error.ts";
import { isWithin } from "../core/path.ts";
import type { ServedProgram } from "../core/served.ts";
import type { Walls } from "../core/walls.ts";
import type { SandboxConfig } from "./sandbox/config.ts";
import { realDisk } from "./sandbox/disk.ts";
import { launch, openLaunch } from "./sandbox/launch.ts";
import { type Policy, policyFor, type Setting } from "./sandbox/policy.ts";
import { probe } from "./sandbox/probe.ts";
import { findProgram } from "./sandbox/programs.ts";
import type { Launch } from "./sandbox/spawning.ts";
import type { OtherUser } from "./sandbox/user.ts";

export type Starting = (program: ServedProgram) => Promise<Launch>;

export interface StartingOptions {
  readonly sandbox: SandboxConfig;
  readonly setting: Omit<Setting, "added" | "start">;
  readonly user?: OtherUser | undefined;
}

/** A program behind the walls a command would get, with what was agreed for it. Nobody can be asked when it starts. */
export const starting =
  ({ sandbox, setting, user }: StartingOptions): Starting =>
  async (program) => {
    const policy = policyFor(widened(sandbox, setting, program), { ...setting, added: program.env });
    const found = sandbox.enabled ? await probe({ policy, user }) : null;
    if (found && found.backend !== "none") {
      assertVisible(program, policy, found.backend);
      return launch(found, policy, program.argv, { user });
    }
    const reason = found ? found.walls.reason : "tools.sandbox.enabled is false";
    if (found && sandbox.fallback !== "noop") throw noWalls(program, reason);
    const walls: Walls = { backend: "none", layers: [], network: "open", ...(reason !== undefined && { reason }) };
    const open = openLaunch(walls, policy, program.argv, { user });
    const env = { ...open.env, ...program.env };
    if (findProgram(program.argv[0], env.PATH ?? "", policy.cwd) === null) throw missing(program, env.PATH);
    return { ...open, env };
  };

/** The lists of the settings, and what this program has besides. */
function widened(config: SandboxConfig, { allowedPaths, cwd }: StartingOptions["setting"], program: ServedProgram): SandboxConfig {
  const places = allowedPaths.length > 0 ? allowedPaths : [cwd];
  const writable = config.allow_write.length > 0 ? config.allow_write : places;
  return {
    ...config,
    allow_network: program.network === "open",
    allow_read: [...config.allow_read, ...(program.read ?? [])],
    allow_write: [...writable, ...(program.write ?? [])],
  };
}

const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt/homebrew", "/System"];

/** One that is there but hidden would end with a message that nobody understands. */
function assertVisible(program: ServedProgram, policy: Policy, backend: Walls["backend"]): void {
  const path = findProgram(program.argv[0], policy.env.PATH ?? "", policy.cwd);
  if (path === null) throw missing(program, policy.env.PATH);
  const real = realDisk.real(path) ?? path;
  const hidden = [path, real].find((place) => ![...SYSTEM, ...policy.read, ...policy.write].some((root) => isWithin(root, place)));
  if (hidden !== undefined)
    throw new ToolError(
      "permanent_failure",
      `${program.argv[0]} is ${hidden}, which cannot be seen behind the walls (${backend}). Let it read that folder (allow_read), or list it in tools.sandbox.toolchains.`,
    );
}

const missing = ({ argv }: ServedProgram, path = "") =>
  new ToolError(
    "permanent_failure",
    argv[0].includes("/")
      ? `${argv[0]} does not exist or is no program.`
      : `There is no program "${argv[0]}" where commands look for theirs: ${path}. Programs elsewhere are named by their whole path, or their folder is listed in tools.sandbox.toolchains.`,
  );

const noWalls = ({ argv }: ServedProgram, reason = "no sandbox works here.") =>
  new ToolError(
    "policy_blocked",
    `${argv[0]} is not started without walls, and nobody can be asked now. ${reason} Run zeph doctor. To run such programs without walls set tools.sandbox.fallback = "noop".`,
  );
