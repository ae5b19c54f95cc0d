import type { ServedProgram } from "../../core/ports/served.ts";
import { isWithin } from "../../text/path.ts";
import type { SandboxConfig } from "../sandbox/config.ts";
import { type Policy, policyInTurns, type Setting } from "../sandbox/policy.ts";
import { type KeptFolders, packageVariables } from "./server-folders.ts";

/**
 * The walls around a program while what it is made of is fetched. It can reach the package registries, so nothing of the person's is there: not
 * the workspace, nor what the program may read or write later, nor its variables, nor what it keeps.
 */
export function fetchPolicy(
  sandbox: SandboxConfig,
  { moved: _moved, mark: _mark, rules: _rules, hidden: _hidden, ...setting }: Omit<Setting, "added" | "start">,
  { argv: [command], env, read = [] }: ServedProgram,
  { cache }: KeptFolders,
): Promise<Policy> {
  const ofProgram = read.filter((folder) => isWithin(folder, command));
  return policyInTurns(
    { ...sandbox, allow_network: false, allow_read: ofProgram, allow_write: [cache] },
    { ...setting, cwd: cache, allowedPaths: [cache], added: { ...packageVariables(cache, "open"), ...managerVariables(env) } },
  );
}

/** What is said to a package manager, and no more. */
const managerVariables = (env: ServedProgram["env"]): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => MANAGERS.test(name)));

const MANAGERS = /^(?:npm_config_|UV_|PIP_|PIPX_|BUN_|NODE_EXTRA_CA_CERTS$|SSL_CERT_FILE$)/i;
