export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface Span {
  set(attributes: Attributes): void;
  /** `type` is a short word from a fixed list, never a message. */
  fail(type: string): void;
}

export type SpanKind = "internal" | "client" | "producer" | "consumer";

/** Where time goes, for those who watch. Without a watcher it costs a function call. */
export interface Tracing {
  span<T>(name: string, kind: SpanKind, attributes: () => Attributes, work: (span: Span) => Promise<T>): Promise<T>;
}

const BLIND: Span = { set: () => {}, fail: () => {} };

export const UNTRACED: Tracing = { span: (_name, _kind, _attributes, work) => work(BLIND) };
