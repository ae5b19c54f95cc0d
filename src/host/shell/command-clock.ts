/** The time of one command. It stands still while somebody is asked on its behalf. */
export interface CommandClock {
  /** Aborts when the time is up. */
  readonly over: AbortSignal;
  /** Stands still until what is returned is called. */
  hold(): () => void;
  close(): void;
}

/** A command that is asked about without end must end all the same. */
const MOST_HELD_MS = 60 * 60_000;

export function openCommandClock(ms: number, mostHeldMs = MOST_HELD_MS): CommandClock {
  const over = new AbortController();
  let left = ms;
  let heldMs = 0;
  let holders = 0;
  let since = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const wait = (forMs: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => over.abort(), Math.max(0, forMs));
  };
  /** What has passed since the last change, on the side it belongs to. */
  const settle = () => {
    const now = performance.now();
    if (holders > 0) heldMs += now - since;
    else left -= now - since;
    since = now;
  };
  wait(left);
  return {
    over: over.signal,
    hold() {
      settle();
      if (holders++ === 0) wait(left + mostHeldMs - heldMs);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        settle();
        if (--holders === 0 && !over.signal.aborted) wait(left);
      };
    },
    close: () => clearTimeout(timer),
  };
}
