/** Long work on the event loop, in slices: between two of them everybody else has a turn. */
export interface Pace {
  /** Waits when the slice is used up; costs next to nothing when it is not. */
  step(): Promise<void> | undefined;
}

/** Well below what a person or a heartbeat notices, and long enough that the pauses cost little. */
const SLICE_MS = 6;

/** With a signal, a step throws its reason once it is aborted. */
export function createPace(signal?: AbortSignal): Pace {
  let until = performance.now() + SLICE_MS;
  return {
    step() {
      if (performance.now() < until) return undefined;
      return new Promise((resolve, reject) =>
        setImmediate(() => {
          until = performance.now() + SLICE_MS;
          if (signal?.aborted) reject(signal.reason);
          else resolve();
        }),
      );
    },
  };
}
