import { setMaxListeners } from "node:events";
import { ToolError } from "../../core/error.ts";

/** Everything one page may wait for. Its signal's reason is the error to throw. */
export interface Clock {
  readonly signal: AbortSignal;
  /** Something was heard. */
  heard(): void;
  /** Begins nothing when the time is up, and gives up when it is. What arrives later is handed to `late`. */
  wait<T>(begin: () => Promise<T>, late?: (value: T) => void): Promise<T>;
  stop(): void;
}

/** Starts now. Ends when the caller cancels, when all of it took too long, or when nothing was heard for too long. */
export function startClock(caller: AbortSignal, { totalMs, idleMs }: { totalMs: number; idleMs: number }): Clock {
  const control = new AbortController();
  const { signal } = control;
  const cancel = () => control.abort(new ToolError("cancelled", "The page was not fetched: the call was cancelled."));
  const total = setTimeout(() => control.abort(slow(`The page took longer than ${totalMs / 1000} s`)), totalMs);
  const silent = () => control.abort(slow(`The server said nothing for ${idleMs / 1000} s`));
  let idle = setTimeout(silent, idleMs);
  // One turn may ask for any number of pages at once, and each takes its listener away again.
  setMaxListeners(0, caller);
  if (caller.aborted) cancel();
  else caller.addEventListener("abort", cancel, { once: true });
  return {
    signal,
    heard() {
      clearTimeout(idle);
      idle = setTimeout(silent, idleMs);
    },
    async wait(begin, late) {
      if (signal.aborted) throw signal.reason;
      const promise = begin();
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          if (late) promise.then(late, () => {});
          reject(signal.reason);
        };
        signal.addEventListener("abort", giveUp, { once: true });
        const settled = () => signal.removeEventListener("abort", giveUp);
        promise.then(resolve, reject).finally(settled);
      });
    },
    stop() {
      clearTimeout(total);
      clearTimeout(idle);
      caller.removeEventListener("abort", cancel);
    },
  };
}

const slow = (what: string) => new ToolError("timeout", `${what}, so the connection was closed. Try again later, or another page.`);
