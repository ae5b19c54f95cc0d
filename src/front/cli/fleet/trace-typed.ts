import { createTracing } from "../../../runtime/events/telemetry.ts";
import { traceSubmission } from "../../../runtime/events/trace-context.ts";

/** Tasks that a command gives, as a part of the trace that the command was started in: `TRACEPARENT` names it. */
export const traceTyped = <T>(work: (traceparent: string | undefined) => Promise<T>): Promise<T> =>
  traceSubmission(createTracing(), process.env.TRACEPARENT, work);
