import { bounded } from "../../../text/visible.ts";
import type { ShownCall } from "./view/call.ts";

/** Calls that have ended, to be looked at again. */
export interface PastCalls {
  add(call: ShownCall): void;
  /** Oldest first. */
  all(): readonly ShownCall[];
}

const MOST = 200;
const LONGEST_ARGUMENT = 64 * 1024;

export function createPastCalls(): PastCalls {
  const calls: ShownCall[] = [];
  return {
    add(call) {
      calls.push({ ...call, request: { name: call.request.name, args: boundedArguments(call.request.args) } });
      if (calls.length > MOST) calls.shift();
    },
    all: () => calls,
  };
}

/** A file that was written is not kept a second time. */
const boundedArguments = (args: unknown): unknown =>
  typeof args === "object" && args !== null
    ? Object.fromEntries(
        Object.entries(args).map(([name, value]) => [name, typeof value === "string" ? bounded(value, LONGEST_ARGUMENT) : value]),
      )
    : args;
