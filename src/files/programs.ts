import {
  type ChildProcess,
  type ExecFileException,
  type ExecFileOptionsWithStringEncoding,
  type ExecFileSyncOptionsWithStringEncoding,
  execFile,
  execFileSync,
  type SpawnOptions,
  spawn,
} from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { commandPlaceOf, splitPath } from "./command-folders.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** A program that is not started. Its message says why. */
export class ProgramError extends Error {
  override readonly name = "ProgramError";
  readonly code = "ENOENT";
}

export type FoundProgram = { readonly path: string } | { readonly why: string };

/**
 * Where a program lies that Zeph itself may start: by its absolute path, or in the first folder of a PATH that has it and that no command may write.
 * `more` are folders that commands may write besides those that were noted.
 */
export function findSafeProgram(name: string, path = process.env.PATH ?? "", more: readonly string[] = []): FoundProgram {
  if (name.includes("/")) return judge(name, more) ?? { path: name };
  for (const folder of splitPath(path, more).path.split(":")) {
    const file = `${folder}/${name}`;
    if (folder !== "" && isExecutable(file) && judge(file, more) === null) return { path: file };
  }
  const refused = path.split(":").find((folder) => folder.startsWith("/") && isExecutable(`${folder}/${name}`));
  return { why: refused === undefined ? `${name} is not on PATH.` : writableWords(name, refused) };
}

function judge(file: string, more: readonly string[]): { readonly why: string } | null {
  const place = commandPlaceOf(file, more);
  if (place === null) return null;
  return { why: writableWords(file.slice(file.lastIndexOf("/") + 1), file.slice(0, file.lastIndexOf("/")) || ".") };
}

const writableWords = (name: string, folder: string): string =>
  `${name} was found only in ${folder}, where commands may write, so it is not started. Install it elsewhere.`;

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Variables for a program of ours: no folder of PATH that commands may write, and nothing that has code loaded from such a folder. A relative name
 * in such a variable is one: it means wherever the program stands.
 */
export function safeVariables(env: Variables, more: readonly string[] = []): Record<string, string> {
  const kept = Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined);
  return Object.fromEntries(
    kept.flatMap(([name, value]) => {
      if (name === "PATH") return [[name, splitPath(value, more).path]];
      return LOADS.test(name) && !isSafeValue(value, more) ? [] : [[name, value]];
    }),
  );
}

/** The variables by which loaders, shells and interpreters are told of code. */
const LOADS =
  /^(?:(?:LD|DYLD|GCONV|OPENSSL)_.*|(?:BASH_)?ENV|NODE_(?:OPTIONS|PATH|REPL_EXTERNAL_MODULE)|PERL(?:5?LIB|5OPT|5DB)|PYTHON(?:PATH|HOME|STARTUP|USERBASE)|RUBY(?:LIB|OPT)|GEM_(?:HOME|PATH)|CLASSPATH|(?:_JAVA|JDK_JAVA|JAVA_TOOL)_OPTIONS|GIT_(?:EXEC_PATH|TEMPLATE_DIR))$/;

/** Names of options, numbers, and absolute paths to places that no command may write. An empty entry of a list is the working folder. */
const isSafeValue = (value: string, more: readonly string[]): boolean =>
  !/^:.|::|.:$/.test(value) &&
  value
    .split(/[\s:;,=]+/)
    .every((part) => /^(?:--[\w-]+|-\w|\d+|)$/.test(part) || (part.startsWith("/") && commandPlaceOf(part, more) === null));

export interface Start extends Omit<SpawnOptions, "env" | "shell"> {
  readonly env: Variables;
  /** Folders that commands may write, besides those that were noted. */
  readonly more?: readonly string[];
}

/** Starts a program of ours. Throws a ProgramError where there is none that may be started; what fails later is told by the child. */
export function startProgram(name: string, args: readonly string[], { env, more = [], ...options }: Start): ChildProcess {
  return spawn(safeProgram(name, env.PATH, more), [...args], { ...options, env: safeVariables(env, more) });
}

type Told = (error: ExecFileException | null, stdout: string, stderr: string) => void;

/** The same, with what it printed. */
export function runProgram(
  name: string,
  args: readonly string[],
  { env, more = [], ...options }: Omit<ExecFileOptionsWithStringEncoding, "env" | "encoding" | "shell"> & Pick<Start, "env" | "more">,
  told: Told,
): ChildProcess {
  return execFile(safeProgram(name, env.PATH, more), [...args], { ...options, encoding: "utf8", env: safeVariables(env, more) }, told);
}

/** The same, and waits for it. Throws where it fails. */
export function runProgramNow(
  name: string,
  args: readonly string[],
  { env, more = [], ...options }: Omit<ExecFileSyncOptionsWithStringEncoding, "env" | "encoding" | "shell"> & Pick<Start, "env" | "more">,
): string {
  return execFileSync(safeProgram(name, env.PATH, more), [...args], { ...options, encoding: "utf8", env: safeVariables(env, more) });
}

/** A command that a person typed, with the variables and the PATH that they have: it is theirs. Only the program that reads the line is ours. */
export function startTyped(name: string, args: readonly string[], { env, ...options }: Omit<Start, "more">): ChildProcess {
  return spawn(safeProgram(name), [...args], { ...options, env: { ...env } });
}

/** The absolute path of a program that may be started; throws a ProgramError where there is none. */
export function safeProgram(name: string, path = process.env.PATH, more: readonly string[] = []): string {
  if (name === process.execPath) return ownNode();
  const found = findSafeProgram(name, path, more);
  if ("why" in found) throw new ProgramError(found.why);
  return found.path;
}

/** The Node that runs this, and not what lies at its path by now. */
const ownNode = (): string =>
  process.platform === "linux" && commandPlaceOf(process.execPath) !== null ? "/proc/self/exe" : process.execPath;
