export interface Deadline {
  /** Rejects when the time is over. */
  over(): Promise<never>;
  stop(): void;
}

/** One clock for all who are asked about a call: it is wound up only when somebody makes us wait. */
export function startDeadline(ms: number): Deadline {
  let timer: NodeJS.Timeout | undefined;
  let late: Promise<never> | undefined;
  return {
    over() {
      late ??= new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`it did not answer within ${ms} ms`)), ms);
      });
      return late;
    },
    stop: () => clearTimeout(timer),
  };
}
