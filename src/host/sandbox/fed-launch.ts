import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Walls } from "../../core/ports/walls.ts";
import { killNow } from "../../files/process.ts";
import { nameOf } from "../../text/path.ts";
import type { CommandLine } from "./backends/perl.ts";
import { leakyDescriptors } from "./descriptors.ts";
import type { ServedCommand } from "./launcher/wire.ts";
import type { StoppableCommand } from "./stop-others.ts";
import type { OtherUser } from "./user.ts";
import { prefixVariables, withRunner, withWatchdog } from "./watchdog.ts";

/**
 * Everything a spawner needs for one command. Use it once: spawn `starts`, with `stdio` and `detached: true`, `onSpawned(child)` at once,
 * `cleanup()` when the child is gone (or could not be started). `file`, `args` and `env` are the backend's own line, for whoever starts it in another way.
 */
export interface Launch extends CommandLine {
  /** The programs that the first process inside is, one after the other, where that is not `file`. */
  readonly programs?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly uid?: number;
  readonly gid?: number;
  readonly walls: Walls;
  /** The line under the watchdog, where there is one. */
  readonly starts: CommandLine & { readonly env: Readonly<Record<string, string>> };
  /** Whether everything the command started dies with it. Where not, its pipes may stay open after its end. */
  readonly tree: "dies" | "may linger";
  stdio(...streams: readonly [StdioStream, StdioStream, StdioStream]): StdioStream[];
  /** Feeds the walls their arguments. Until then the command does not start. */
  onSpawned(child: ChildProcess): void;
  /** The line for the launcher, who is quicker than `spawn`; null where there is none. He feeds it, and whoever asks him calls `onReport`. */
  readonly served: ServedCommand | null;
  /** More of what the backend says on `statusFd`. */
  onReport(text: string): void;
  /** More of what the first process inside says on `reportFd`. */
  onInside(text: string): void;
  readonly statusFd: number | null;
  /** Where the first process inside reports besides. */
  readonly reportFd?: number;
  /** What to write to which descriptor; each is closed after it. */
  readonly feeds: readonly (readonly [fd: number, data: Buffer])[];
  /** Reads the backend's report on `statusFd`. */
  readonly judge: (report: string) => LaunchStatus;
  /** The first process inside, as the machine numbers it: null until the backend has told, and when it is none of ours. */
  first(): number | null;
  /** Resolves when the backend has reported that the walls stand; at once where it does not report that. */
  readonly ready: Promise<void>;
  /** What the backend reported so far; complete when the child's streams are closed. */
  status(): LaunchStatus;
  /** Ends everything at once. bwrap alone is not enough: for a moment of its start, what it set up does not die with it. */
  kill(child: ChildProcess | { end(): void }): void;
  /** Waits, a second at most, until the last process of the command is gone: its streams may close a little before. */
  settled(): Promise<void>;
  cleanup(): void;
}

export type StdioStream = "ignore" | "pipe" | number;
/** `changed`: something is not what was judged, and nothing was started. */
export type LaunchStatus = "not started" | "changed" | "set up" | "ran";

interface Plain extends Pick<FedLine, "cwd" | "env" | "walls" | "user" | "runner"> {
  readonly argv: readonly string[];
  readonly after?: () => void;
}

/** A command with no namespace of its own, and nothing to be fed. */
export const createPlainLaunch = ({ argv, after = () => {}, ...rest }: Plain): Launch =>
  createFedLaunch({
    ...rest,
    file: argv[0]!,
    args: argv.slice(1),
    tree: "may linger",
    feeds: [],
    statusFd: null,
    judge: () => "ran",
    after,
  });

export interface FedLine
  extends Pick<Launch, "file" | "args" | "programs" | "cwd" | "env" | "walls" | "tree" | "statusFd" | "reportFd" | "feeds" | "judge"> {
  readonly user?: OtherUser | undefined;
  /** The program that stands before it, where it can be used; else perl does the same. */
  readonly runner: string | null;
  /** A group that everything of it is put into. If that cannot be, nothing is started. */
  readonly group?: string | undefined;
  /** Called when it is reported that the walls stand. */
  readonly onReady?: () => void;
  /** Behind bubblewrap: the command among those that can be stopped. */
  readonly stoppable?: StoppableCommand | undefined;
  readonly after: () => void;
}

/** The watchdog's end of the pipe that ends with us. 6 is the side channel of a command. */
const WATCH_FD = 8;

export function createFedLaunch({ user, feeds, judge, runner, group, onReady = () => {}, stoppable, after, ...rest }: FedLine): Launch {
  const guarded = watched(rest, runner, { feeds: feeds.map(([fd, data]) => [fd, data.length] as const), group });
  const opened: number[] = [];
  let report: string | null = null;
  let spawned: ChildProcess | null = null;
  let killed = false;
  let isReady = false;
  let atEnd: LaunchStatus | null = null;
  let resolveReady = () => {};
  const ready = new Promise<void>((resolve) => {
    resolveReady = resolve;
    if (rest.statusFd === null) resolve();
  });
  const hearReady = () => {
    if (isReady || !report?.includes('"ready"')) return;
    isReady = true;
    stoppable?.ready();
    onReady();
    resolveReady();
  };
  const onReport = (text: string) => {
    report = ((report ?? "") + text).slice(0, 4096);
    if (killed) killFirst(report, rest.programs ?? [rest.file]);
    stoppable?.setPid(firstProcess(report));
    hearReady();
  };
  const onInside = (text: string) => {
    if (text.includes('"stopped"')) stoppable?.stopped();
    const rest = text.replaceAll('{ "stopped": true }\n', "");
    if (rest !== "") onReport(rest);
  };
  const status = (): LaunchStatus => atEnd ?? (report === null ? "not started" : judge(report));
  const direct: readonly number[] = guarded ? [WATCH_FD] : feeds.map(([fd]) => fd);
  const reports = [
    [rest.statusFd, onReport],
    [rest.reportFd ?? null, onInside],
  ] as const;
  const wanted = [...direct, ...reports.flatMap(([fd]) => (fd === null ? [] : [fd]))];
  return {
    ...rest,
    starts: guarded ?? rest,
    tree: guarded ? "dies" : rest.tree,
    feeds,
    judge,
    ready,
    ...(user && { uid: user.uid, gid: user.gid }),
    served: runner === null ? null : { runner, file: rest.file, args: rest.args, cwd: rest.cwd, env: rest.env, user, group, feeds },
    onReport,
    onInside,
    stdio: (...streams) => {
      const list: (StdioStream | "pipe")[] = [...streams];
      for (const fd of wanted) list[fd] = "pipe";
      const leaks = leakyDescriptors().filter((fd) => !wanted.includes(fd));
      if (leaks.length > 0) opened.push(openSync("/dev/null", "r"));
      for (const fd of leaks) list[fd] = opened[0]!;
      return Array.from(list, (stream) => stream ?? "ignore");
    },
    onSpawned: (child) => {
      // Without a free descriptor Node makes no streams at all; the child's error event tells.
      if (!child.stdio) return;
      spawned = child;
      report = "";
      for (const [fd, hear] of reports) {
        if (fd === null) continue;
        const stream = child.stdio[fd] as Readable;
        stream
          .setEncoding("utf8")
          .on("data", hear)
          .on("error", () => {});
      }
      // It may die before it has read everything; its exit tells more than a broken pipe.
      for (const fd of direct) pipeTo(child, fd).on("error", () => {});
      if (guarded) pipeTo(child, WATCH_FD).write(Buffer.concat(feeds.map(([, data]) => data)));
      else for (const [fd, data] of feeds) pipeTo(child, fd).end(data);
    },
    first: () => {
      const pid = firstProcess(report ?? "");
      return pid !== null && spawned?.pid !== undefined && parentsOf(pid).includes(spawned.pid) ? pid : null;
    },
    status,
    kill: (child) => {
      killed = true;
      killFirst(report ?? "", rest.programs ?? [rest.file]);
      if ("end" in child) child.end();
      else if (guarded && child.stdio) stopWatched(child);
      else if (child.pid !== undefined) killNow(-child.pid);
    },
    settled: () => awaitFirstGone(report ?? ""),
    cleanup: () => {
      // What was held is let go below, and with it what it could be compared with.
      atEnd = status();
      for (const fd of opened.splice(0)) closeSync(fd);
      stoppable?.forget();
      after();
    },
  };
}

function watched(
  line: Pick<FedLine, "file" | "args" | "env">,
  runner: string | null,
  how: { readonly feeds: readonly (readonly [fd: number, bytes: number])[]; readonly group: string | undefined },
): Launch["starts"] | null {
  if (runner !== null) return { ...withRunner(runner, line, { at: WATCH_FD, ...how }), env: line.env };
  const byPerl = withWatchdog(line, { at: WATCH_FD, ...how, renamed: true });
  return byPerl && { ...byPerl, env: prefixVariables(line.env) };
}

/** In a process group of its own, so that it can be killed as one. */
export const spawnLaunch = ({ starts, cwd, uid, gid }: Launch, stdio: readonly StdioStream[]): ChildProcess =>
  spawn(starts.file, starts.args, {
    cwd,
    env: starts.env,
    detached: true,
    stdio: [...stdio],
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
  });

const pipeTo = (child: ChildProcess, fd: number) => (child.stdio as readonly unknown[])[fd] as Writable;

const PATIENCE_MS = 2000;

/** The end of its pipe tells the watchdog to end everything. One that was stopped itself, as without walls it can be, is killed with its group. */
function stopWatched(child: ChildProcess): void {
  pipeTo(child, WATCH_FD).destroy();
  const timer = setTimeout(
    () => child.pid !== undefined && child.exitCode === null && child.signalCode === null && killNow(-child.pid),
    PATIENCE_MS,
  );
  timer.unref();
  child.once("exit", () => clearTimeout(timer));
}

const SETTLE_MS = 1000;

/** Ends the first process of the namespace a backend reported, and with it everything in there. */
export function killFirst(report: string, programs: readonly string[]): void {
  const first = firstProcess(report);
  // A number can be given away again, so the name must fit.
  if (first !== null && programs.some((file) => statOf(first)?.name === nameOf(file).slice(0, 15))) killNow(first);
}

export async function awaitFirstGone(report: string): Promise<void> {
  const first = firstProcess(report);
  for (let waited = 0; first !== null && waited < SETTLE_MS && isRunning(first); waited++) await sleep(1);
}

/** The first process of the namespace, as the machine numbers it. The kernel ends it last. */
const firstProcess = (report: string): number | null => Number(/"child-pid": ?(\d+)\D/.exec(report)?.[1] ?? 0) || null;

/** bwrap itself, what mounts for it, and the watchdog. */
const MOST_PARENTS = 3;

function parentsOf(pid: number): number[] {
  const found: number[] = [];
  for (let at = statOf(pid)?.parent; at !== undefined && found.length < MOST_PARENTS; at = statOf(at)?.parent) found.push(at);
  return found;
}

export const nameOfProcess = (pid: number): string | null => statOf(pid)?.name ?? null;

const isRunning = (pid: number) => !/^[ZX]?$/.test(statOf(pid)?.state ?? "");

function statOf(pid: number): { readonly name: string; readonly state: string; readonly parent: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name before it may hold anything, brackets and spaces too.
    const [state, parent] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { name: text.slice(text.indexOf("(") + 1, text.lastIndexOf(")")), state: state!, parent: Number(parent) };
  } catch {
    return null;
  }
}
