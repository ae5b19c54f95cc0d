import { resolve } from "node:path";
import { splitPath } from "../../files/command-folders.ts";
import { readOwnText } from "../../files/own-file.ts";
import { findSafeProgram, runProgram } from "../../files/programs.ts";
import { isWithin } from "../../text/path.ts";
import { realDisk } from "../sandbox/disk.ts";
import { REGISTRY_TOOLS, REGISTRY_VARIABLES, type RegistryTool, registryHosts, urlsIn } from "./registry-tools.ts";

export interface RegistryParts {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Folders that commands can write. Nothing in them decides what a registry is. */
  readonly workspaces: () => readonly string[];
  readonly tools?: readonly RegistryTool[];
  /** How long a tool may take to answer. */
  readonly timeoutMs?: number;
}

/** Only for one that hangs: on a busy machine a package manager takes its time, and what it does not say stays closed for the session. */
const TIMEOUT_MS = 20_000;
const MOST_PRINTED = 256 * 1024;
const MOST_NAMES = 50;

/**
 * The names that the person's own tools load from, asked of those tools once a session and not before somebody wants to know. They run as the
 * person, outside of the walls and of the workspace, with words of ours alone.
 */
export function createRegistries(parts: RegistryParts): () => Promise<readonly string[]> {
  let asked: Promise<readonly string[]> | undefined;
  return () => {
    asked ??= askTools(parts).catch(() => []);
    return asked;
  };
}

async function askTools({
  home,
  env,
  workspaces,
  tools = REGISTRY_TOOLS,
  timeoutMs = TIMEOUT_MS,
}: RegistryParts): Promise<readonly string[]> {
  const roots = workspaces();
  // In their home they find no project's settings. Where a command could write there, they start where nobody can.
  const cwd = roots.some((root) => isWithin(root, home)) ? "/" : home;
  const { path: PATH } = splitPath(env.PATH ?? "", roots);
  const given = { ...toolEnvironment(env, roots), HOME: home, PATH };
  const fromVariables = Object.entries(given).flatMap(([name, value]) => (REGISTRY_VARIABLES.test(name) ? urlsIn(value) : []));
  const fromTools = await Promise.all(tools.map((tool) => ask(tool, { cwd, home, env: given, path: PATH, roots, timeoutMs })));
  return [...new Set(registryHosts([...fromVariables, ...fromTools.flat()]))].slice(0, MOST_NAMES);
}

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly path: string;
  readonly roots: readonly string[];
  readonly timeoutMs: number;
}

async function ask(tool: RegistryTool, { cwd, home, env, path, roots, timeoutMs }: Place): Promise<readonly string[]> {
  if ("file" in tool) {
    const file = resolve(home, tool.file);
    const real = realDisk.real(file);
    if (real === null || roots.some((root) => isWithin(root, real))) return [];
    return tool.read(readOwnText(real, { maxBytes: MOST_PRINTED }) ?? "");
  }
  const found = findSafeProgram(tool.program, path, roots);
  if ("why" in found) return [];
  const printed = await new Promise<string>((resolve) => {
    const options = { cwd, env, timeout: timeoutMs, killSignal: "SIGKILL", maxBuffer: MOST_PRINTED, more: roots } as const;
    const child = runProgram(found.path, tool.args, options, (_error, stdout) => resolve(stdout));
    child.stdin?.end();
    child.unref();
  });
  return tool.read(printed);
}

/** Nothing by which a project speaks: a script of `npm run` hands on its settings, and the others load code or another version of the tool. */
const NOT_HANDED_ON =
  /^(?:npm_(?:config|package|lifecycle|execpath|node_execpath|command)\b|npm_config_|npm_package_|NODE_OPTIONS$|PYTHON(?:PATH|HOME|STARTUP)$|VIRTUAL_ENV$|GOFLAGS$|INIT_CWD$|PYENV_(?:VERSION|DIR)$)/;

const FIXED = {
  // Nothing is loaded to answer a question, and no project chooses the version that answers.
  npm_config_update_notifier: "false",
  COREPACK_ENABLE_NETWORK: "0",
  COREPACK_ENABLE_PROJECT_SPEC: "0",
  COREPACK_ENABLE_STRICT: "0",
  YARN_IGNORE_PATH: "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  PIP_NO_INPUT: "1",
  GOTOOLCHAIN: "local",
  GOWORK: "off",
  NO_COLOR: "1",
  // Help is printed on lines of any width.
  COLUMNS: "400",
};

function toolEnvironment(env: RegistryParts["env"], roots: readonly string[]): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !NOT_HANDED_ON.test(entry[0]) && !namesWorkspace(entry[1], roots),
  );
  return { ...Object.fromEntries(kept), ...FIXED };
}

/** A variable that leads to a file of the workspace would let that file speak. */
const namesWorkspace = (value: string, roots: readonly string[]): boolean =>
  value.startsWith("/") && !value.includes(":") && roots.some((root) => isWithin(root, resolve(value)));
