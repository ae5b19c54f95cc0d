import type { Terminal } from "./terminal.ts";

export interface Spinner {
  /** Out of the way, for as long as something else is on the screen. */
  hide(): void;
  show(): void;
}

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const WAIT_MS = 1000;
const STEP_MS = 100;
const NONE: Spinner = { hide: () => {}, show: () => {} };

/** Shows that something runs and for how long, once it has taken a second. Only a terminal sees it. */
export async function spinning<T>(label: string, { stderr, err }: Terminal, work: (spinner: Spinner) => Promise<T>): Promise<T> {
  if (!stderr.isTTY) return work(NONE);
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let drawn = false;
  const draw = () => {
    const ms = performance.now() - started;
    const frame = FRAMES[Math.floor(ms / STEP_MS) % FRAMES.length]!;
    stderr.write(`\r\u001b[K${err.dim(`${frame} ${label} ${(ms / 1000).toFixed(1)} s`)}`);
    drawn = true;
  };
  const show = () => {
    timer = setTimeout(() => {
      timer = setInterval(draw, STEP_MS);
    }, WAIT_MS);
  };
  const hide = () => {
    clearTimeout(timer);
    if (drawn) stderr.write("\r\u001b[K");
    drawn = false;
  };
  show();
  try {
    return await work({ hide, show });
  } finally {
    hide();
  }
}
