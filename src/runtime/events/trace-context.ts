import type { Span, Tracing } from "../../core/ports/span.ts";
import type { FleetTask } from "../../fleet/task.ts";
import { isWatched } from "./telemetry.ts";

/** A turn on another machine, as a part of the trace that its task was given in. */
export const traceTask = <T>(
  tracing: Tracing,
  { id, tenant, session, attempt, payload }: Pick<FleetTask, "id" | "tenant" | "session" | "attempt" | "payload">,
  work: (span: Span) => Promise<T>,
): Promise<T> =>
  continueTrace(payload.traceparent, () =>
    tracing.span(
      "run_task",
      "consumer",
      () => ({ "zeph.task.id": id, "zeph.task.attempt": attempt, "zeph.tenant": tenant, "zeph.session": session }),
      work,
    ),
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
  continueTrace(header, () =>
    tracing.span(
      "submit_task",
      "producer",
      () => ({}),
      async (span) => work((await activeTraceparent()) ?? readTraceparent(header)?.text, span),
    ),
  );

/** W3C trace context of the span that is active here; undefined where there is none. */
async function activeTraceparent(): Promise<string | undefined> {
  if (!isWatched()) return undefined;
  const { context, isSpanContextValid, trace } = await import("@opentelemetry/api");
  const active = trace.getSpanContext(context.active());
  if (!active || !isSpanContextValid(active)) return undefined;
  return `00-${active.traceId}-${active.spanId}-${active.traceFlags.toString(16).padStart(2, "0")}`;
}

/** Does the work as a part of a trace that began elsewhere. What is no trace context is passed over. */
async function continueTrace<T>(traceparent: string | undefined, work: () => Promise<T>): Promise<T> {
  const read = isWatched() ? readTraceparent(traceparent) : null;
  if (!read) return work();
  const { context, trace } = await import("@opentelemetry/api");
  const { traceId, spanId, traceFlags } = read;
  return context.with(trace.setSpanContext(context.active(), { traceId, spanId, traceFlags, isRemote: true }), work);
}

function readTraceparent(text: string | undefined) {
  const [, traceId = "", spanId = "", flags = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? "") ?? [];
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { text, traceId, spanId, traceFlags: Number.parseInt(flags, 16) } : null;
}
