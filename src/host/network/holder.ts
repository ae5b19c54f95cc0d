import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { Readable } from "node:stream";
import { attempt } from "../../text/attempt.ts";
import type { CommandLine } from "../sandbox/backends/perl.ts";
import { seccompFilter } from "../sandbox/backends/seccomp.ts";
import { createFedLaunch, type Launch, spawnLaunch } from "../sandbox/fed-launch.ts";
import { builderLine } from "../sandbox/launch.ts";
import type { Bubblewrap } from "../sandbox/sandbox.ts";

/** The process that keeps a closed network: a small program of ours behind walls of its own. It has nothing but `lo`, and no rights. */
export interface Holder {
  /** What goes before a line that is to run in this network. */
  readonly line: CommandLine;
  isAlive(): boolean;
  close(): Promise<void>;
}

export interface HolderOptions {
  readonly sandbox: Pick<Bubblewrap, "bwrap" | "arch" | "builder">;
  /** zeph-net, where it was found to be itself. */
  readonly program: string;
  /** The program that stands before a command, where it can be used. */
  readonly runner: string;
  /** The unix socket that the port inside leads to; null: nothing listens there. */
  readonly socket: string | null;
}

/** The port at which a command finds what the socket offers. */
export const FORWARDED_PORT = 3128;
const START_MS = 5000;
const FD = { filter: 3, status: 5 };

/** Throws when no such network can be made here. */
export async function openHolder(options: HolderOptions): Promise<Holder> {
  const launch = holderLaunch(options);
  let child: ChildProcess;
  try {
    child = spawnLaunch(launch, launch.stdio("pipe", "pipe", "pipe"));
    child.on("error", () => {});
  } catch (error) {
    launch.cleanup();
    throw error;
  }
  launch.onSpawned(child);
  child.once("close", () => launch.cleanup());
  const end = async () => {
    // Whoever waits for its end must not be ended before.
    child.ref();
    launch.kill(child);
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  try {
    await untilReady(child, launch);
    const held = holdNamespaces(launch);
    child.once("exit", held.release);
    // It must not keep Zeph from ending, which ends it.
    child.unref();
    for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
    return {
      line: { file: options.program, args: ["join", ...held.marks] },
      isAlive: () => child.exitCode === null && child.signalCode === null,
      close: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Its own program and the folder of the socket are all it sees. No `--dev`: bwrap would make a second user namespace, which nobody could join. */
function holderLaunch({ sandbox, program, runner, socket }: HolderOptions): Launch {
  const { file, args } = builderLine(sandbox, runner);
  return createFedLaunch({
    file,
    programs: [file, INSIDE],
    args: [
      ...args,
      ...["--unshare-user", "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1"],
      ...["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--ro-bind", program, INSIDE],
      ...(socket === null ? [] : ["--ro-bind", dirname(socket), "/socket"]),
      ...["--remount-ro", "/", "--chdir", "/", "--seccomp", String(FD.filter), "--json-status-fd", String(FD.status)],
      ...["--", INSIDE, "hold", ...(socket === null ? [] : [String(FORWARDED_PORT), `/socket/${basename(socket)}`])],
    ],
    cwd: "/",
    env: {},
    runner,
    walls: { backend: "bubblewrap", layers: ["namespaces", "seccomp"], network: "closed", builder: sandbox.builder },
    tree: "dies",
    feeds: [[FD.filter, seccompFilter({ arch: sandbox.arch })]],
    statusFd: FD.status,
    judge: (report) => (report.includes('"child-pid"') ? "ran" : "not started"),
    after: () => {},
  });
}

const INSIDE = "/zeph-net";

/** It says so itself, and bwrap says which process it is: in whatever order these are heard. */
function untilReady(child: ChildProcess, launch: Launch): Promise<void> {
  return new Promise((resolve, reject) => {
    let words = "";
    let isReady = false;
    const fail = (why: string) => reject(new Error(words.trim().split("\n")[0]?.slice(0, 300) || why));
    const timer = setTimeout(() => fail("it took too long to start"), START_MS);
    const finish = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    (child.stderr as Readable | null)?.on("data", (chunk: Buffer) => (words = (words + chunk).slice(0, 2000))).on("error", () => {});
    const look = () => isReady && launch.first() !== null && finish(resolve);
    const say = () => {
      isReady = true;
      look();
    };
    (child.stdout as Readable | null)?.on("data", say).on("error", () => {});
    (child.stdio?.[FD.status] as Readable | null)?.on("data", look);
    child.once("error", (error) => finish(() => fail(error.message)));
    child.once("close", (code) => finish(() => fail(`it ended with ${code}`)));
  });
}

/**
 * Which namespaces the holder is in, by number. They are held open here: as long as they are, the kernel gives their numbers to no others, so a
 * line that finds these numbers has found these namespaces, whoever has the holder's process number by then.
 */
function holdNamespaces(launch: Launch): { readonly marks: readonly string[]; release(): void } {
  const pid = launch.first();
  if (pid === null) throw new Error("its process is not known");
  const open: number[] = [];
  const release = () => {
    for (const fd of open.splice(0)) attempt(() => closeSync(fd), undefined);
  };
  try {
    const marks = ["user", "net"].map((name) => {
      const fd = openSync(`/proc/${pid}/ns/${name}`, "r");
      open.push(fd);
      const { ino } = fstatSync(fd, { bigint: true });
      if (ino === statSync(`/proc/self/ns/${name}`, { bigint: true }).ino) throw new Error(`it has no ${name} namespace of its own`);
      return String(ino);
    });
    // Still ours, so what was opened was ours.
    if (launch.first() !== pid) throw new Error("its process has ended");
    return { marks: [String(pid), ...marks], release };
  } catch (error) {
    release();
    throw error;
  }
}
