import { EXIT } from "./exit.ts";

/** The way a person ends what runs: Ctrl-C, a kill, or no longer reading what we print. */
export interface Stop {
  readonly signal: AbortSignal;
  stop(): void;
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** A pipe without a reader; a terminal whose window was closed. */
const GONE = ["EPIPE", "EIO", "ERR_STREAM_DESTROYED"];
/** Nobody reads what we print any more; who is told of it. */
let isUnread = false;
const told = new Set<AbortController>();

/** Commands that finish what they began use this. The second Ctrl-C does not wait for them. */
export function listenForStop(): Stop {
  const controller = new AbortController();
  const stop = () => (controller.signal.aborted ? process.exit(130) : controller.abort());
  for (const name of SIGNALS) process.on(name, stop);
  told.add(controller);
  if (isUnread) controller.abort();
  return { signal: controller.signal, stop };
}

let lastMs: number | null = null;

/** Nothing that somebody left open may keep the process longer than this after its command has ended. */
export function endWithin(ms: number): void {
  lastMs = ms;
}

/** The command has ended, and what is told of it is told. */
export function endWhenDue(): void {
  if (lastMs !== null) setTimeout(() => process.exit(), lastMs).unref();
}

/** `zeph tools | head -1`: the reader has seen enough. That is no error, and nobody is left to be told. A full disk is one. */
export function endQuietlyWhenUnread(...streams: readonly NodeJS.EventEmitter[]): void {
  for (const stream of streams)
    stream.on("error", (error: NodeJS.ErrnoException) => {
      const isGone = GONE.includes(error.code ?? "");
      if (!isGone && error.syscall !== "write") throw error;
      if (!isGone) endUnwritten(error);
      if (error.code === "EIO") endWithTerminal();
      isUnread = true;
      for (const controller of told) controller.abort();
    });
}

let isUnwritten = false;

/** Ends with a code that says that not everything was written; running work is stopped in order. */
function endUnwritten({ message }: Error): void {
  if (isUnwritten) return;
  isUnwritten = true;
  process.stderr.write(`The output cannot be written: ${message}. Zeph ends here.\n`);
  process.once("exit", () => {
    process.exitCode = EXIT.bug;
  });
}

let isWithoutTerminal = false;

/** Node wants to reset its terminal when it ends, and aborts with a core dump when that is gone. By then everything is kept. */
function endWithTerminal(): void {
  if (isWithoutTerminal) return;
  isWithoutTerminal = true;
  process.once("exit", () => process.kill(process.pid, "SIGKILL"));
}
