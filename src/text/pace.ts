/** Long work on the event loop, in slices: between two of them everybody else has a turn. */
export interface Pace {
  /** Waits when the slice is used up; costs next to nothing when it is not. */
  step(): Promise<void> | undefined;
}

/** Well below what a person or a heartbeat notices, and long enough that the pauses cost little. */
const SLICE_MS = 6;

export function createPace(sliceMs = SLICE_MS): Pace {
  let until = performance.now() + sliceMs;
  return {
    step() {
      if (performance.now() < until) return undefined;
      return new Promise((resolve) =>
        setImmediate(() => {
          until = performance.now() + sliceMs;
          resolve();
        }),
      );
    },
  };
}
