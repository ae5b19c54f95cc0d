import type { ChildProcess } from "node:child_process";
import { killNow } from "../../files/process.ts";
import { type Start, startProgram } from "../../files/programs.ts";
import { visible } from "../../text/visible.ts";
import { WorkspaceError } from "./error.ts";

/**
 * One run of git, the only one of ours outside the walls. It obeys its own git folder, which no command can write, and nothing of the files it looks at: no
 * hook, no filter, no program that a setting names.
 */
export interface GitRun {
  /** The git folder: one that this worker made and no command can write. */
  readonly dir: string;
  /** The files, where it needs them. */
  readonly tree?: string;
  /** An index of its own: that of the folder belongs to whoever works in it. */
  readonly index?: string;
  readonly input?: string;
  /** What goes in and comes out is bytes, one for each character. */
  readonly binary?: true;
  readonly timeoutMs?: number;
  readonly mostBytes?: number;
  /** It speaks to another machine, with the worker's own keys, or reads a bundle. Else it reaches nothing. */
  readonly reaches?: "remote" | "bundle";
  readonly signal?: AbortSignal | undefined;
}

export interface GitRan {
  readonly ok: boolean;
  readonly stdout: string;
  /** The last that it said of what went wrong, in one line. */
  readonly why: string;
}

const TIMEOUT_MS = 120_000;
const MOST_BYTES = 4 << 20;
const MOST_SAID = 4000;

/** Never throws because git failed; throws a WorkspaceError where it took too long, said too much, or is not there. */
export function runGit(args: readonly string[], run: GitRun): Promise<GitRan> {
  const { dir, tree, index, input, binary, timeoutMs = TIMEOUT_MS, mostBytes = MOST_BYTES, reaches, signal } = run;
  const isRemote = reaches === "remote";
  const child = startGit(
    [...[...SETTINGS, ...(tree === undefined ? [] : ["core.bare=false"])].flatMap((setting) => ["-c", setting]), ...args],
    {
      cwd: tree ?? dir,
      more: [dir, ...(tree === undefined ? [] : [tree])],
      // A group of its own: what it starts ends with it.
      detached: true,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...environment(isRemote ? [...EVERYWHERE, ...FOR_REMOTES] : EVERYWHERE),
        ...FIXED,
        ...(isRemote ? {} : { GIT_CONFIG_GLOBAL: "/dev/null" }),
        GIT_ALLOW_PROTOCOL: reaches === undefined ? "" : PROTOCOLS[reaches],
        GIT_DIR: dir,
        ...(tree !== undefined && { GIT_WORK_TREE: tree }),
        ...(index !== undefined && { GIT_INDEX_FILE: index }),
      },
    },
  );
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    let bytes = 0;
    let said = "";
    let stopped: WorkspaceError | null = null;
    const stop = (error: WorkspaceError) => {
      stopped ??= error;
      if (child.pid !== undefined) killNow(-child.pid);
    };
    const what = args[0];
    const timer = setTimeout(() => stop(new WorkspaceError(`git ${what} took too long.`, { isPassing: true })), timeoutMs);
    const abort = () => stop(new WorkspaceError(`git ${what} was stopped.`, { isPassing: true }));
    signal?.addEventListener("abort", abort, { once: true });
    child.stdout!.on("data", (data: Buffer) => {
      bytes += data.length;
      if (bytes > mostBytes) stop(new WorkspaceError(`git ${what} said more than can be kept.`));
      else out.push(data);
    });
    child.stderr!.on("data", (data: Buffer) => {
      said = (said + data.toString("utf8")).slice(-MOST_SAID);
    });
    // It may end before it has read everything.
    child.stdin!.on("error", () => {});
    child.stdin!.end(input ?? "", binary ? "latin1" : "utf8");
    const over = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    };
    child.on("error", (cause) => {
      over();
      reject(new WorkspaceError(`git could not be started: ${cause.message}`, { cause }));
    });
    child.on("close", (code) => {
      over();
      if (stopped) return reject(stopped);
      resolve({ ok: code === 0, stdout: Buffer.concat(out).toString(binary ? "latin1" : "utf8"), why: lastWords(said) });
    });
    if (signal?.aborted) abort();
  });
}

/** No program of the folder itself is it. */
function startGit(args: readonly string[], options: Start): ChildProcess {
  try {
    return startProgram("git", args, options);
  } catch (cause) {
    throw new WorkspaceError((cause as Error).message, { cause });
  }
}

/** The same where a failure means that nothing can go on. */
export async function askGit(args: readonly string[], run: GitRun): Promise<string> {
  const { ok, stdout, why } = await runGit(args, run);
  if (!ok) throw new WorkspaceError(`git ${args[0]} failed: ${why}`, { isPassing: run.reaches === "remote" });
  return run.binary ? stdout : stdout.trimEnd();
}

/** Of settings that make git run something, none is left to a folder or a person. */
const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.autocrlf=false",
  "core.quotePath=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "push.recurseSubmodules=no",
  "protocol.allow=never",
  "commit.gpgSign=false",
  "push.gpgSign=false",
  "advice.detachedHead=false",
];

const PROTOCOLS = { remote: "https:ssh:file", bundle: "file" };

const FIXED: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "/bin/false",
  SSH_ASKPASS: "/bin/false",
  GIT_AUTHOR_NAME: "Zeph",
  GIT_AUTHOR_EMAIL: "zeph@localhost",
  GIT_COMMITTER_NAME: "Zeph",
  GIT_COMMITTER_EMAIL: "zeph@localhost",
  GIT_SSH_VARIANT: "ssh",
};

const EVERYWHERE = ["PATH", "TMPDIR"];
/** Keys and helpers of the worker's own user, and the way to other machines. */
const FOR_REMOTES = [
  "HOME",
  "USER",
  "SSH_AUTH_SOCK",
  "GIT_SSH_COMMAND",
  "GIT_SSL_CAINFO",
  "SSL_CERT_FILE",
  "XDG_CONFIG_HOME",
  ...["http_proxy", "https_proxy", "all_proxy", "no_proxy"].flatMap((name) => [name, name.toUpperCase()]),
];

function environment(names: readonly string[]): Record<string, string> {
  const found = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { GIT_SSH_COMMAND: "ssh -oBatchMode=yes", ...Object.fromEntries(found) };
}

/** An address with a password never stands in it: a worker's helpers may print one. */
const lastWords = (said: string): string =>
  visible(
    said
      .trim()
      .split("\n")
      .slice(-3)
      .join(" / ")
      .replace(/\/\/[^/\s@]*@/g, "//…@"),
  ).slice(-500) || "it did not say why";
