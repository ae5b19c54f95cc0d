import type { RequestOptions } from "@modelcontextprotocol/client";
import { NEVER, type Progress } from "../../../core/tool.ts";
import { inALine } from "../trust/hidden-text.ts";

export interface CallLimits {
  readonly signal: AbortSignal;
  /** Without a sign of life. All in all it may take ten times as long. */
  readonly seconds: number;
  /** Whether the person is being asked something: that time is theirs. */
  readonly asking: () => boolean;
  readonly tell?: (progress: Progress) => void;
}

/** Makes one call that ends: answered, cancelled, silent for too long, or too long altogether. */
export async function callWithin<T>(
  { signal, seconds, asking, tell }: CallLimits,
  call: (options: RequestOptions) => Promise<T>,
): Promise<T> {
  const late = new AbortController();
  const idle = seconds * 1000;
  const most = idle * MOST_TIMES;
  const begun = Date.now();
  let timer: NodeJS.Timeout | undefined;
  const rearm = () => {
    clearTimeout(timer);
    timer = setTimeout(expire, Math.max(0, Math.min(idle, begun + most - Date.now())));
  };
  const expire = () => {
    const elapsed = Date.now() - begun;
    if (asking() && elapsed < most + LONGEST_ASKING_MS) {
      timer = setTimeout(expire, idle);
      return;
    }
    late.abort(new Expired(elapsed >= most ? `it took longer than ${most / 1000} s` : `no answer within ${seconds} s`));
  };
  rearm();
  const heard = throttled(tell);
  try {
    return await call({
      signal: signal === NEVER ? late.signal : AbortSignal.any([signal, late.signal]),
      // Ours comes first; the SDK's own is there in case.
      timeout: most + LONGEST_ASKING_MS + 1000,
      onprogress: ({ progress, total, message }) => {
        rearm();
        heard(progress, total, message);
      },
    });
  } catch (error) {
    if (late.signal.aborted && !signal.aborted) throw late.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** The call was given up. The server has been told. */
export class Expired extends Error {
  override readonly name = "Expired";
}

const MOST_TIMES = 10;
const LONGEST_ASKING_MS = 1_800_000;
const TELL_EVERY_MS = 100;

function throttled(tell: CallLimits["tell"]): (done: unknown, total: unknown, message: unknown) => void {
  let last = Number.NEGATIVE_INFINITY;
  return (done, total, message) => {
    const now = performance.now();
    if (!tell || now - last < TELL_EVERY_MS) return;
    last = now;
    tell({
      ...(typeof done === "number" && { done }),
      ...(typeof total === "number" && { total }),
      ...(typeof message === "string" && { message: inALine(message) }),
    });
  };
}
