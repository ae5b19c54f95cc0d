/** The six families a secret can belong to, and `custom` for patterns a person added. */
export type Family = "cloud-key" | "access-token" | "private-key" | "password" | "bearer" | "webhook" | "custom";

/** A secret that was found in a text. */
export interface Secret {
  readonly family: Family;
  readonly value: string;
}

/** Where a secret stands in a text. */
export interface SecretSpan {
  readonly start: number;
  readonly end: number;
  readonly family: Family;
  /** The value, where it is not just what stands there: a wrapped line put together, the lines of a key. */
  readonly value?: string;
  /** The same secret in another form, such as the password inside a base64 pair. */
  readonly also?: string;
}

/** In order and apart. Of two that overlap the first keeps its name and both their ground. */
export function apart(spans: SecretSpan[]): SecretSpan[] {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: SecretSpan[] = [];
  for (const span of spans) {
    const last = kept.at(-1);
    if (!last || span.start >= last.end) kept.push(span);
    else if (span.end > last.end) kept[kept.length - 1] = { ...last, end: span.end };
  }
  return kept;
}
