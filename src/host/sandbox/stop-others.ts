import { setTimeout as sleep } from "node:timers/promises";
import { nameOfProcess } from "./fed-launch.ts";

/**
 * Where bubblewrap builds, it looks up names. A command that runs beside it could rename a folder meanwhile, so all commands of this process are
 * stopped from the look at the workspace until the new one starts. They notice: a parent is told that its child was stopped, and some system calls
 * end early. Zeph's own builder needs no such pause.
 */
interface Stoppable {
  /** The first process of its PID namespace, which stops all others there. */
  pid: number | null;
  /** It listens to signals. */
  isReady: boolean;
  /** How many starts want it to stand still. */
  stops: number;
  onStopped: () => void;
}

const running = new Set<Stoppable>();

/** A command that can be stopped, until it is forgotten. */
export interface StoppableCommand {
  setPid(pid: number | null): void;
  /** Called when its walls stand. Where it was to be stopped before, it is stopped now. */
  ready(): void;
  /** Called when it says that its processes stand still. */
  stopped(): void;
  forget(): void;
}

export function addStoppable(): StoppableCommand {
  const one: Stoppable = { pid: null, isReady: false, stops: 0, onStopped: () => {} };
  // Its pid and that it is ready come on two pipes, in either order.
  const stopIfWanted = () => void (one.isReady && one.stops > 0 && signalFirst(one, "SIGUSR1"));
  running.add(one);
  return {
    setPid: (pid) => {
      if (one.pid === pid) return;
      one.pid = pid;
      stopIfWanted();
    },
    ready: () => {
      one.isReady = true;
      stopIfWanted();
    },
    stopped: () => one.onStopped(),
    forget: () => void running.delete(one),
  };
}

const MOST_MS = 50;
const WAIT_MS = 10;

/** Stops the commands that run. Call what is returned when the new one has started; they go on after 50 ms at the latest. */
export async function stopOthers(): Promise<() => void> {
  const others = [...running];
  if (others.length === 0) return () => {};
  for (const one of others) one.stops++;
  const answers = others
    .filter(({ pid }) => pid !== null)
    .map(
      (one) =>
        new Promise<void>((resolve) => {
          one.onStopped = resolve;
          signalFirst(one, "SIGUSR1");
        }),
    );
  let isOver = false;
  const resume = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    for (const one of others) if (--one.stops === 0) signalFirst(one, "SIGUSR2");
  };
  const timer = setTimeout(resume, MOST_MS);
  await Promise.race([Promise.all(answers), sleep(WAIT_MS)]);
  return resume;
}

/** A pid can be given to another process, so the name must fit. */
function signalFirst({ pid }: Stoppable, signal: NodeJS.Signals): void {
  if (pid === null || nameOfProcess(pid) !== "zeph-run") return;
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
