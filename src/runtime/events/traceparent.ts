import type { SpanContext } from "@opentelemetry/api";

/** W3C trace context, read: the text as it came, and what it names. Null for what is none. */
export function readTraceparent(text: unknown) {
  if (typeof text !== "string") return null;
  const [, traceId = "", spanId = "", flags = ""] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (!/[1-9a-f]/.test(traceId) || !/[1-9a-f]/.test(spanId)) return null;
  return { text, context: { traceId, spanId, traceFlags: Number.parseInt(flags, 16) } };
}

/** The same, written; undefined for the context of a span that nobody records. */
export function writeTraceparent({ traceId, spanId, traceFlags }: SpanContext): string | undefined {
  const text = `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
  return readTraceparent(text)?.text;
}
