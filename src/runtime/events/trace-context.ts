import type { Span, Tracing } from "../../core/ports/span.ts";
import type { FleetTask } from "../../fleet/task.ts";
import { readTraceparent } from "./traceparent.ts";

/** A turn on another machine, as a part of the trace that its task was given in. */
export const traceTask = <T>(
  tracing: Tracing,
  { id, tenant, session, attempt, payload }: Pick<FleetTask, "id" | "tenant" | "session" | "attempt" | "payload">,
  work: (span: Span) => Promise<T>,
): Promise<T> =>
  tracing.span(
    "run_task",
    "consumer",
    () => ({ "zeph.task.id": id, "zeph.task.attempt": attempt, "zeph.tenant": tenant, "zeph.session": session }),
    work,
    payload.traceparent,
  );

/**
 * Giving tasks to a fleet, as a part of the trace that `header` names, if it names one. `work` puts what it is handed into the payload of each task. Where
 * nobody watches, that is the header as it came, so that a worker that is watched goes on with the trace.
 */
export const traceSubmission = <T>(
  tracing: Tracing,
  header: string | undefined,
  work: (traceparent: string | undefined, span: Span) => Promise<T>,
): Promise<T> =>
  tracing.span(
    "submit_task",
    "producer",
    () => ({}),
    (span) => work(span.traceparent ?? readTraceparent(header)?.text, span),
    header,
  );
