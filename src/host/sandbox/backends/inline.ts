import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive } from "../../../files/process.ts";
import { awaitFirstGone, killFirst, type Launch, type LaunchStatus } from "../fed-launch.ts";
import { openLifeline, openPipe } from "../pipe.ts";
import { prefixVariables, withWatchdog } from "../watchdog.ts";

/** A command as one line that anybody on this machine, under this user, can start. */
export interface InlineLine {
  readonly argv: readonly string[];
  /** What the backend reported so far. */
  status(): LaunchStatus;
  /** What was written to the side descriptor so far: a byte more than was asked for, at most. */
  side(): Buffer;
  /** Ends what is still there, where the backend said what that is, and waits for it. */
  end(): Promise<void>;
  /** Takes away what the line needs: from then on it starts nothing. */
  remove(): void;
}

/** A descriptor the command can write to, and how much of that is of interest. */
export interface SideChannel {
  readonly fd: number;
  readonly most: number;
}

/**
 * No descriptors can be handed over, so what a launch feeds through them lies in files of a private folder that the line opens itself. Nothing
 * of whoever starts it gets in: not the environment, not the descriptors left open, not the keyboard.
 */
export function createInlineLine(launch: Launch, folder: string, side: SideChannel | null): InlineLine {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  removeOrphans(folder);
  const place = mkdtempSync(join(folder, `${NAME}${process.pid}-`));
  const file = (name: string, data: string | Buffer) => {
    const path = join(place, name);
    writeFileSync(path, data, { mode: 0o600, flag: "wx" });
    return path;
  };
  const status = file("status", "");
  const inside = launch.reportFd === undefined ? null : { fd: launch.reportFd, path: file("inside", "") };
  // Never a file: the command could fill the disk with it, outside its walls.
  const pipe = side && orRemove(place, () => openPipe(join(place, "side"), side.most + 1));
  const opened = [
    ...launch.feeds.map(([fd, data]) => ({ redirect: `${fd}<`, path: file(`fd${fd}`, data) })),
    { redirect: `${launch.statusFd ?? STATUS_FD}>`, path: status },
    ...(inside ? [{ redirect: `${inside.fd}>`, path: inside.path }] : []),
    ...(side && pipe ? [{ redirect: `${side.fd}>`, path: pipe.path }] : []),
  ];
  const lifeline = orRemove(place, () => openLifeline(join(place, "life")));
  const guarded = withWatchdog(launch, { at: lifeline.path, renamed: true, joined: true });
  const env = guarded ? prefixVariables(launch.env) : launch.env;
  const isBare = Object.keys(env).length === 0;
  const variables = file("env", isBare ? "" : Object.entries(env).map(exported).join(""));
  const script = [
    "exec </dev/null || exit 125",
    CLOSE_ALL,
    `exec ${opened.map(({ redirect }, n) => `${redirect}"$${n + 1}"`).join(" ")} || exit 125`,
    ...(launch.statusFd === null ? [`echo starting >&${STATUS_FD} && exec ${STATUS_FD}>&- || exit 125`] : []),
    `. "$${opened.length + 1}" || exit 125`,
    `shift ${opened.length + 1}`,
    // An environment that is empty stays so: bash would add some of its own.
    isBare ? 'exec -c "$@"' : 'exec "$@"',
  ].join("\n");
  const line = guarded ?? launch;
  const paths = [...opened.map(({ path }) => path), variables];
  const report = () => [status, ...(inside ? [inside.path] : [])].map((path) => readSome(path, MAX_REPORT).toString("utf8")).join("");
  const stopListening = listenForReady(launch, report);
  const judge = launch.statusFd === null ? (text: string) => (text.includes("starting") ? "ran" : "not started") : launch.judge;
  return {
    argv: ["/usr/bin/env", "-i", "/bin/bash", "--noprofile", "--norc", "-c", script, "zeph", ...paths, line.file, ...line.args],
    status: () => judge(report()),
    side: () => pipe?.taken() ?? Buffer.alloc(0),
    end: async () => {
      killFirst(report(), launch.programs ?? [launch.file]);
      await awaitFirstGone(report());
    },
    remove: () => {
      stopListening();
      pipe?.close();
      lifeline.close();
      rmSync(place, { recursive: true, force: true });
      launch.cleanup();
    },
  };
}

const LISTEN_MS = 20;

/** No pipe tells of what is written to a file, so it is read again and again until the walls stand. Returns what ends that. */
function listenForReady(launch: Launch, read: () => string): () => void {
  const timer = setInterval(() => {
    const text = read();
    if (!text.includes('"ready"')) return;
    clearInterval(timer);
    launch.onReport(text);
  }, LISTEN_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Whoever starts it may have left a folder open, and that is a way around all mounts. If it cannot be seen what is open, nothing is started. */
const CLOSE_ALL = `[ -d /proc/self/fd ] && all=/proc/self/fd || all=/dev/fd
for fd in "$all"/*; do fd=\${fd##*/}; case $fd in 0|1|2) ;; *[!0-9]*) exit 125 ;; *) eval "exec $fd>&-" ;; esac; done`;

const STATUS_FD = 5;
const MAX_REPORT = 4096;
const NAME = "terminal-";

const exported = ([name, value]: readonly [string, string]) =>
  /^[A-Za-z_]\w*$/.test(name) && !value.includes("\0") ? `export ${name}='${value.replaceAll("'", "'\\''")}'\n` : "";

function orRemove<T>(place: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    rmSync(place, { recursive: true, force: true });
    throw new Error(`no pipe could be made for it (${(error as Error).message})`);
  }
}

function readSome(path: string, most: number): Buffer {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return Buffer.alloc(0);
  }
  try {
    const bytes = Buffer.alloc(most + 1);
    return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Of processes that were killed. */
function removeOrphans(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = Number(/^terminal-(\d+)-/.exec(name)?.[1] ?? 0);
    if (pid > 0 && !isAlive(pid)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}
