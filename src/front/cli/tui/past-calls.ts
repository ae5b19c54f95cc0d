import type { Outcome } from "../../../core/layer.ts";
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
      const request = { name: call.request.name, args: boundedArguments(call.request.args) };
      calls.push({ ...call, request, outcome: withoutBytes(call.outcome) });
      if (calls.length > MOST) calls.shift();
    },
    all: () => calls,
  };
}

/** An image is named here, and not drawn. */
function withoutBytes(outcome: Outcome): Outcome {
  const media = outcome.output?.media?.map((one) => ({ ...one, data: "" }));
  return media ? ({ ...outcome, output: { ...outcome.output, media } } as Outcome) : outcome;
}

/** A file that was written is not kept a second time. */
const boundedArguments = (args: unknown): unknown =>
  typeof args === "object" && args !== null
    ? Object.fromEntries(
        Object.entries(args).map(([name, value]) => [name, typeof value === "string" ? bounded(value, LONGEST_ARGUMENT) : value]),
      )
    : args;
