import { setMaxListeners } from "node:events";
import type { ZephEvent } from "../core/event.ts";
import { ToolRequest } from "../core/request.ts";
import { NEVER } from "../core/tool.ts";

/** One signal may stop many calls at once; Node would take that for a leak. */
export function listenedTo(signal: AbortSignal): AbortSignal {
  if (signal !== NEVER) setMaxListeners(0, signal);
  return signal;
}

/**
 * Arguments that throw when they are looked at are bad arguments; the call goes its way and is recorded.
 * Null for nothing but a thought, unless the tool takes nothing.
 */
export function requestOf(id: string, tool: unknown, args: unknown, takesNothing?: (tool: string) => boolean): ToolRequest | null {
  try {
    return ToolRequest.from({ id, name: String(tool), args }, takesNothing);
  } catch {
    return ToolRequest.from({ id, name: typeof tool === "string" ? tool : "(no name)", args: undefined });
  }
}

/** Calls that are under way, so that closing can wait for them. */
export function inFlight() {
  const calls = new Set<Promise<unknown>>();
  return {
    track<T>(call: Promise<T>): Promise<T> {
      calls.add(call);
      void call.finally(() => calls.delete(call)).catch(() => {});
      return call;
    },
    settled: () => Promise.allSettled(calls),
  };
}

/** A listener that throws must not end a call or a turn. */
export const guarded =
  (listener: ((event: ZephEvent) => unknown) | undefined) =>
  (event: ZephEvent): void => {
    const warn = (error: unknown) => process.emitWarning(`A Zeph event listener threw: ${String(error)}`);
    try {
      const done = listener?.(event);
      if (done instanceof Promise) done.catch(warn);
    } catch (error) {
      warn(error);
    }
  };
