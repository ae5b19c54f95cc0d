import { canErase, type Terminal } from "../terminal/terminal.ts";

/** How far something long is, on stderr: one line that changes on a terminal, elsewhere a line now and then. */
export interface BatchProgress {
  show(words: string): void;
  /** What stays to be read. */
  say(words: string): void;
  end(): void;
}

const OFTEN_MS = 100;
const SELDOM_MS = 10_000;

export function createBatchProgress({ stderr, err }: Terminal): BatchProgress {
  const isLive = canErase(stderr);
  let last = isLive ? Number.NEGATIVE_INFINITY : performance.now();
  let isShown = false;
  const erase = () => {
    if (isShown) stderr.write("\r\x1b[K");
    isShown = false;
  };
  return {
    show(words) {
      if (performance.now() - last < (isLive ? OFTEN_MS : SELDOM_MS)) return;
      last = performance.now();
      erase();
      stderr.write(err.dim(isLive ? words : `${words}\n`));
      isShown = isLive;
    },
    say(words) {
      erase();
      stderr.write(err.dim(`${words}\n`));
    },
    end: erase,
  };
}
