import type { Bus } from "../../core/ports/fleet/session.ts";

/** Ends waiting early when something is told under a subject. Without a bus, waiting takes its time. */
export interface Hints {
  listen(): HintListener;
}

export interface HintListener {
  /** Resolves with the next hint, also one that came since the last time; at the latest after so many milliseconds, or when the signal aborts. */
  next(ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Listens while somebody waits, and no longer. */
export function createHints(bus: Bus | null, subject: string): Hints {
  const hints = new Set<() => void>();
  const tellAll = () => {
    for (const hint of hints) hint();
  };
  let hearing: Promise<(() => void) | null> | null = null;
  return {
    listen() {
      let isMissed = false;
      let wake = () => {
        isMissed = true;
      };
      const hint = () => wake();
      hints.add(hint);
      hearing ??= bus?.hear(subject, tellAll).catch(() => null) ?? null;
      return {
        next: (ms, signal) =>
          new Promise((resolve) => {
            if (isMissed || signal.aborted) {
              isMissed = false;
              return resolve();
            }
            const end = () => {
              clearTimeout(timer);
              signal.removeEventListener("abort", end);
              wake = () => {
                isMissed = true;
              };
              resolve();
            };
            const timer = setTimeout(end, ms);
            signal.addEventListener("abort", end, { once: true });
            wake = end;
          }),
        close() {
          hints.delete(hint);
          if (hints.size > 0) return;
          void hearing?.then((stop) => stop?.());
          hearing = null;
        },
      };
    },
  };
}
