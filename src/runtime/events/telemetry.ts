import type { Context, Span as OtelSpan } from "@opentelemetry/api";
import { type Attributes, type Span, type SpanKind, type Tracing, UNTRACED } from "../../core/ports/span.ts";
import { measureSpan } from "./span-metrics.ts";
import { readTraceparent, writeTraceparent } from "./traceparent.ts";

type Api = typeof import("@opentelemetry/api");
export type RedactContent = (text: string) => string;

/**
 * Spans for whoever registered a tracer provider with OpenTelemetry, at any time, and numbers for whoever registered a meter provider. The API package is
 * loaded for the first such span. Without `redact` nothing that somebody said is ever told, whatever the environment wants.
 */
export function createTracing(redact?: RedactContent): Tracing {
  let api: Api | undefined;
  const load = async () => {
    api ??= await import("@opentelemetry/api");
    return api;
  };
  const tells = redact && wantsContent(process.env) ? redact : null;
  return {
    span(name, kind, attributes, work, parent) {
      if (!isWatched()) return UNTRACED.span(name, kind, attributes, work);
      const named = { name: cut(name), kind, attributes };
      return api ? traced(api, named, parent, tells, work) : load().then((loaded) => traced(loaded, named, parent, tells, work));
    },
  };
}

/** Where the API package keeps what was registered. Looking here costs nothing; importing the package takes longer than a small command. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");
export function isWatched(): boolean {
  const registered = (globalThis as { [REGISTRY]?: { readonly trace?: unknown; readonly metrics?: unknown } })[REGISTRY];
  return registered?.trace !== undefined || registered?.metrics !== undefined;
}

/** The variable that other instrumentations of models read, too. Events are not sent, so what asks for those alone gets nothing. */
export const wantsContent = (env: Readonly<Record<string, string | undefined>>): boolean =>
  /^(?:true|span_only|span_and_event)$/i.test(env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.trim() ?? "");

const KINDS = {
  internal: "INTERNAL",
  client: "CLIENT",
  server: "SERVER",
  producer: "PRODUCER",
  consumer: "CONSUMER",
} as const satisfies Record<SpanKind, string>;

interface Named {
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: () => Attributes;
}

async function traced<T>(
  api: Api,
  { name, kind, attributes }: Named,
  parent: string | undefined,
  tells: RedactContent | null,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  const began = performance.now();
  let known: Record<string, string | number | boolean | string[]> = {};
  const around = contextBelow(api, parent);
  const span = quietly(() => {
    known = bounded(attributes());
    return api.trace.getTracer("zeph").startSpan(name, { kind: api.SpanKind[KINDS[kind]], attributes: known }, around);
  });
  if (!span) return UNTRACED.span(name, kind, attributes, work);
  let hasFailed = false;
  const fail = (type: string) => {
    hasFailed = true;
    known["error.type"] = cut(type);
    // No message beside it: messages quote what people and models wrote.
    quietly(() => span.setAttribute("error.type", cut(type)).setStatus({ code: api.SpanStatusCode.ERROR }));
  };
  const set = (more: Attributes) => {
    Object.assign(known, bounded(more));
    quietly(() => span.setAttributes(bounded(more)));
  };
  const content = (said: () => Readonly<Record<string, unknown>>) => {
    if (tells) quietly(() => span.setAttributes(redacted(said(), tells)));
  };
  try {
    const context = api.trace.setSpan(around, span);
    return await api.context.with(context, () => work({ set, content, fail, traceparent: contextOf(span) }));
  } catch (error) {
    if (!hasFailed) fail(error instanceof Error ? error.name : "_OTHER");
    throw error;
  } finally {
    quietly(() => span.end());
    quietly(() => measureSpan(api, kind, known, (performance.now() - began) / 1000));
  }
}

function contextBelow(api: Api, parent: string | undefined): Context {
  const read = readTraceparent(parent);
  const active = api.context.active();
  return read ? api.trace.setSpanContext(active, { ...read.context, isRemote: true }) : active;
}

const contextOf = (span: OtelSpan): string | undefined => quietly(() => writeTraceparent(span.spanContext()));

/** A tracer that throws must not end a call, nor change its result. */
function quietly<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch (error) {
    if (!warned) process.emitWarning(`OpenTelemetry threw; a span is lost or incomplete: ${String(error)}`);
    warned = true;
  }
}
let warned = false;

/** Longer than any name we give; names of tools and models are given by others. */
const MOST_CHARS = 200;
const cut = (text: string) => text.slice(0, MOST_CHARS);

const bounded = (attributes: Attributes): Record<string, string | number | boolean | string[]> =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === "string" ? cut(value) : typeof value === "object" ? value.map(cut) : value,
    ]),
  );

/** Of one attribute; the rest of a conversation is in the spans before. */
const MOST_CONTENT = 32_768;
/** What is redacted at all: a secret that the cut would halve must be found before. */
const MOST_REDACTED = 4 * MOST_CONTENT;

const redacted = (said: Readonly<Record<string, unknown>>, redact: RedactContent): Record<string, string> =>
  Object.fromEntries(
    Object.entries(said).map(([key, value]) => {
      const text = (typeof value === "string" ? value : JSON.stringify(value)) ?? "";
      const safe = redact(text.slice(0, MOST_REDACTED));
      return [key, safe.length > MOST_CONTENT ? `${safe.slice(0, MOST_CONTENT)}[cut]` : safe];
    }),
  );
