/** Work nobody waits for any more. */
export interface Unfinished {
  /** How it went; it never fails. */
  readonly end: Promise<"done" | "failed">;
}

export interface WorkLimits {
  readonly patienceMs: number;
  /** No work goes on for longer, waited for or not. */
  readonly mostMs: number;
  /** The caller that waits may stop it; once none waits, only `closed` does. */
  readonly signal: AbortSignal;
  readonly closed: AbortSignal;
}

/** What the work comes to, if that is in time; else the work itself, which goes on. Work that does not listen to its signal holds nobody up. */
export async function inTime<T extends object>(
  work: (signal: AbortSignal) => Promise<T>,
  { patienceMs, mostMs, signal, closed }: WorkLimits,
): Promise<T | Unfinished> {
  const stop = new AbortController();
  const onStop = () => stop.abort(signal.reason);
  const onClose = () => stop.abort(closed.reason);
  if (signal.aborted) onStop();
  signal.addEventListener("abort", onStop);
  closed.addEventListener("abort", onClose);
  // It must not keep the process alive.
  const most = setTimeout(() => stop.abort(new Error("it took too long")), mostMs).unref();
  let patience: NodeJS.Timeout | undefined;
  const stopped = new Promise<never>((_, reject) => {
    const refuse = () => reject(stop.signal.reason);
    if (stop.signal.aborted) refuse();
    stop.signal.addEventListener("abort", refuse);
  });
  const finished = Promise.race([work(stop.signal), stopped]).finally(() => {
    clearTimeout(most);
    closed.removeEventListener("abort", onClose);
  });
  const end = finished.then(
    () => "done" as const,
    () => "failed" as const,
  );
  const late = new Promise<Unfinished>((resolve) => {
    patience = setTimeout(() => resolve({ end }), patienceMs);
  });
  try {
    return await Promise.race([finished, late]);
  } finally {
    clearTimeout(patience);
    signal.removeEventListener("abort", onStop);
  }
}
