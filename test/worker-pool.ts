import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { ForksPoolWorker, type PoolRunnerInitializer } from "vitest/node";

/** Linux copies the table of all pages of a process that starts another one. A worker that a few files made large pays for it with every command of all that come after. */
const MOST_BYTES = 400 * 1024 * 1024;
const NAME = "small forks";
/** vitest kills a worker half a second after it was told to end. On a busy machine it has not cleared up by then. */
const CLEARING_MS = 20_000;

class SmallWorker extends ForksPoolWorker {
  override readonly name = NAME;

  /** Whether the next file may have this worker. Otherwise a new one is started, which loads everything again. */
  canReuse(): boolean {
    return residentBytes(Reflect.get(this, "fork")?.pid) < MOST_BYTES;
  }

  override stop(): Promise<void> {
    const fork = Reflect.get(this, "fork") as ChildProcess;
    const kill = fork.kill.bind(fork);
    fork.kill = (signal) => {
      if (signal !== "SIGKILL") return kill(signal);
      setTimeout(kill, CLEARING_MS, signal).unref();
      return true;
    };
    return super.stop();
  }
}

export const smallForks: PoolRunnerInitializer = { name: NAME, createPoolWorker: (options) => new SmallWorker(options) };

/** Nothing where there is no /proc: there a worker stays. */
function residentBytes(pid: number | undefined): number {
  try {
    const [, resident] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))!;
    return Number(resident) * 1024;
  } catch {
    return 0;
  }
}
