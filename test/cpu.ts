import { readFileSync } from "node:fs";

/** CPU time of this process in milliseconds: how much work something is, whatever else the machine does meanwhile. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds the main thread of this process has worked; a thread beside it does not count. */
function mainThreadMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
}

/** The most the main thread worked between two ticks of a timer of 1 ms, in milliseconds: so long nobody else had a turn. */
export async function longestStretch<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly ms: number }> {
  let ms = 0;
  let before = mainThreadMs();
  const tick = () => {
    const now = mainThreadMs();
    ms = Math.max(ms, now - before);
    before = now;
  };
  const timer = setInterval(tick, 1);
  try {
    const result = await work();
    tick();
    return { result, ms };
  } finally {
    clearInterval(timer);
  }
}
