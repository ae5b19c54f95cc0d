export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface Span {
  set(attributes: Attributes): void;
  /** What people, models and tools said. It is asked for only where the person wants it told, and is redacted and cut there. */
  content(said: () => Readonly<Record<string, unknown>>): void;
  /** `type` is a short word from a fixed list, never a message. */
  fail(type: string): void;
  /** The span for whoever works on its behalf elsewhere, as W3C trace context; undefined where nobody watches. */
  readonly traceparent?: string | undefined;
}

export type SpanKind = "internal" | "client" | "server" | "producer" | "consumer";

/** Where time goes, for those who watch. Without a watcher it costs a function call. */
export interface Tracing {
  /** `parent` is the W3C trace context of whoever asked from elsewhere; what is none is passed over. */
  span<T>(name: string, kind: SpanKind, attributes: () => Attributes, work: (span: Span) => Promise<T>, parent?: string): Promise<T>;
}

const BLIND: Span = { set: () => {}, content: () => {}, fail: () => {} };

export const UNTRACED: Tracing = { span: (_name, _kind, _attributes, work) => work(BLIND) };
