import type { Span as OtelSpan } from "@opentelemetry/api";
import { type Attributes, type Span, type SpanKind, type Tracing, UNTRACED } from "../../core/ports/span.ts";

type Api = typeof import("@opentelemetry/api");

/** Spans for whoever registered a tracer provider with OpenTelemetry, at any time. The API package is loaded for the first such span. */
export function createTracing(): Tracing {
  let api: Api | undefined;
  const load = async () => {
    api ??= await import("@opentelemetry/api");
    return api;
  };
  return {
    span(name, kind, attributes, work) {
      if (!isWatched()) return UNTRACED.span(name, kind, attributes, work);
      const begin = ({ SpanKind, trace }: Api) =>
        trace.getTracer("zeph").startSpan(cut(name), { kind: SpanKind[KINDS[kind]], attributes: bounded(attributes()) });
      return api ? traced(api, begin, work) : load().then((loaded) => traced(loaded, begin, work));
    },
  };
}

/** Where the API package keeps what was registered. Looking here costs nothing; importing the package takes longer than a small command. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");
export const isWatched = () => (globalThis as { [REGISTRY]?: { readonly trace?: unknown } })[REGISTRY]?.trace !== undefined;

const KINDS = { internal: "INTERNAL", client: "CLIENT", producer: "PRODUCER", consumer: "CONSUMER" } as const satisfies Record<
  SpanKind,
  string
>;

async function traced<T>(api: Api, begin: (api: Api) => OtelSpan, work: (span: Span) => Promise<T>): Promise<T> {
  const span = quietly(() => begin(api));
  if (!span) return work({ set: () => {}, fail: () => {} });
  let hasFailed = false;
  const fail = (type: string) => {
    hasFailed = true;
    // No message beside it: messages quote what people and models wrote.
    quietly(() => span.setAttribute("error.type", cut(type)).setStatus({ code: api.SpanStatusCode.ERROR }));
  };
  const set = (attributes: Attributes) => void quietly(() => span.setAttributes(bounded(attributes)));
  try {
    return await api.context.with(api.trace.setSpan(api.context.active(), span), () => work({ set, fail }));
  } catch (error) {
    if (!hasFailed) fail(error instanceof Error ? error.name : "_OTHER");
    throw error;
  } finally {
    quietly(() => span.end());
  }
}

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

const bounded = (attributes: Attributes) =>
  Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => [
      key,
      typeof value === "string" ? cut(value) : typeof value === "object" ? value.map(cut) : value,
    ]),
  );
