import type { Terminal } from "./terminal.ts";

export interface Spinner {
  /** Out of the way, for as long as something else is on the screen. */
  hide(): void;
  /** Shows again; with a label, what is waited for now. */
  show(label?: string): void;
}

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const WAIT_MS = 1000;
const STEP_MS = 100;
const NONE: Spinner = { hide: () => {}, show: () => {} };

/** Shows that something runs and for how long, once it has taken a second. Only a terminal that can erase a line sees it. */
export function openSpinner({ stderr, err }: Terminal): Spinner {
  if (!stderr.isTTY || process.env.TERM === "dumb") return NONE;
  let started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let drawn = false;
  let label = "";
  const draw = () => {
    const ms = performance.now() - started;
    const frame = FRAMES[Math.floor(ms / STEP_MS) % FRAMES.length]!;
    stderr.write(`\r\u001b[K${err.dim(`${frame} ${label} ${(ms / 1000).toFixed(1)} s`)}`);
    drawn = true;
  };
  const hide = () => {
    clearTimeout(timer);
    if (drawn) stderr.write("\r\u001b[K");
    drawn = false;
  };
  return {
    hide,
    show(next) {
      clearTimeout(timer);
      if (next !== undefined) {
        label = next;
        started = performance.now();
      }
      timer = setTimeout(() => {
        timer = setInterval(draw, STEP_MS);
      }, WAIT_MS);
    },
  };
}

/** One thing that is waited for. */
export async function spinning<T>(label: string, terminal: Terminal, work: (spinner: Spinner) => Promise<T>): Promise<T> {
  const spinner = openSpinner(terminal);
  spinner.show(label);
  try {
    return await work(spinner);
  } finally {
    spinner.hide();
  }
}
