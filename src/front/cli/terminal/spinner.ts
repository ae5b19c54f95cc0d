import { columnsOf, cutTo } from "../../../text/width/columns.ts";
import { canErase, type Terminal } from "./terminal.ts";

export interface Spinner {
  /** Out of the way, for as long as something else is on the screen. */
  hide(): void;
  /** Shows again; with a label, what is waited for now, and since when if that is not now. */
  show(label?: string, since?: number): void;
}

export interface Beside {
  /** When the whole thing began of which this is a part. */
  readonly began?: () => number | null;
  /** The line that the person types meanwhile. It is not on the screen, so it is shown here. */
  readonly typed?: () => string;
}

const FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const WAIT_MS = 1000;
const STEP_MS = 100;
const LEAST_LABEL = 8;
const NONE: Spinner = { hide: () => {}, show: () => {} };

/** Shows that something runs and for how long, once it has taken a second. Only a terminal that can erase a line sees it. */
export function createSpinner({ stderr, err }: Terminal, { began = () => null, typed = () => "" }: Beside = {}): Spinner {
  if (!canErase(stderr)) return NONE;
  let started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let drawn = false;
  let label = "";
  const draw = () => {
    const now = performance.now();
    const frame = FRAMES[Math.floor(now / STEP_MS) % FRAMES.length]!;
    const all = began();
    const times = [elapsed(now - started), ...(all !== null && started - all >= WAIT_MS ? [`${elapsed(now - all)} in all`] : [])];
    // The last column stays free: what stands in it would break the line.
    stderr.write(`\r\u001b[K${err.dim(spinnerLine(frame, label, times.join(", "), typed(), (stderr.columns || 80) - 1))}`);
    if (!drawn) process.once("exit", hide);
    drawn = true;
  };
  const hide = () => {
    clearTimeout(timer);
    if (!drawn) return;
    stderr.write("\r\u001b[K");
    process.off("exit", hide);
    drawn = false;
  };
  return {
    hide,
    show(next, since = performance.now()) {
      clearTimeout(timer);
      if (next !== undefined) {
        label = next;
        started = since;
      }
      timer = setTimeout(() => {
        draw();
        timer = setInterval(draw, STEP_MS);
      }, WAIT_MS);
    },
  };
}

/** `⠋ bash 2.3 s, 14 s in all  > what is typed`. The label gives way first, then the beginning of what is typed. */
export function spinnerLine(frame: string, label: string, times: string, typed: string, width: number): string {
  const room = Math.max(LEAST_LABEL, width - columnsOf(frame) - columnsOf(times) - 2);
  const line = cutTo(`${frame} ${cutTo(label, room)} ${times}`, width);
  const left = width - columnsOf(line) - 4;
  if (typed === "" || left < LEAST_LABEL) return line;
  const chars = [...typed.replace(/[\p{Cc}\s]+/gu, " ")];
  let from = chars.length;
  for (let used = 0; from > 0; from--) {
    used += columnsOf(chars[from - 1]!);
    if (used > left) break;
  }
  return `${line}  > ${chars.slice(from).join("")}`;
}

/** `2.3 s`, and from a minute on `1 min 4 s`. */
export function elapsed(ms: number): string {
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** One thing that is waited for. */
export async function withSpinner<T>(
  label: string,
  terminal: Terminal,
  work: (spinner: Spinner) => Promise<T>,
  beside: Beside = {},
): Promise<T> {
  const spinner = createSpinner(terminal, beside);
  spinner.show(label);
  try {
    return await work(spinner);
  } finally {
    spinner.hide();
  }
}
