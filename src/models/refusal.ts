import { attempt } from "../text/attempt.ts";
import { bounded } from "../text/visible.ts";

/** What a server said instead of an answer. */
export interface ProviderRefusal {
  readonly status: number;
  /** The words of its type and code fields. */
  readonly kind: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** It came in the middle of an answer, so the number is a guess. */
  readonly inStream: boolean;
}

/** Null when what was thrown is nothing a server said. `answered`: it said it in an answer that began well. */
export function refusalOf(thrown: unknown, answered: boolean): ProviderRefusal | null {
  const { statusCode, responseBody, responseHeaders } = record(thrown);
  if (typeof statusCode === "number" && (statusCode < 200 || statusCode > 299)) {
    const body = thrown instanceof Error ? parsed(responseBody) : thrown;
    return {
      // In a stream the number is made up by the package.
      status: answered ? statusOf(kinds(body)) : statusCode,
      kind: kinds(body),
      message: bodyText(body) || plainText(responseBody),
      headers: record(responseHeaders) as Record<string, string>,
      inStream: answered,
    };
  }
  if (thrown instanceof Error || typeof thrown !== "object" || thrown === null) return null;
  // An `error` event of a stream: an object, not an Error.
  return { status: statusOf(kinds(thrown)), kind: kinds(thrown), message: bodyText(thrown), headers: {}, inStream: true };
}

/** Milliseconds a server asks us to wait; undefined when it does not. */
export function retryAfterOf(headers: Readonly<Record<string, string>>): number | undefined {
  const ms = Number.parseFloat(headers["retry-after-ms"] ?? "");
  if (ms >= 0) return Math.ceil(ms);
  const value = headers["retry-after"]?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

const MAX_SAID = 300;
const MAX_READ = 10_000;

/** A server's own words on one line, short, and without anything like a key. */
export function cleanMessage(words: string, key?: string): string {
  const oneLine = words
    .slice(0, MAX_READ)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  const masked = (key ? oneLine.replaceAll(key, "[key]") : oneLine)
    .replace(/\b(?:sk|pk|rk|xai|gsk|key|AIza|ghp|hf)[-_][^\s"',;)]{6,}/gi, "[key]")
    .replace(/\bBearer\s+\S+/gi, "Bearer [key]");
  return bounded(masked, MAX_SAID - 1);
}

/** The system's or undici's code in the chain of causes. */
export function networkCode(thrown: unknown, depth = 0): string | null {
  if (depth > 10) return null;
  const { code, cause, errors } = record(thrown);
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]+$/.test(code)) return code;
  const [first] = Array.isArray(errors) ? errors : [];
  return networkCode(first ?? cause ?? null, first === undefined && cause === undefined ? 11 : depth + 1);
}

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string => (typeof value === "string" ? value.slice(0, MAX_READ) : "");

const parsed = (body: unknown): unknown => attempt(() => JSON.parse(String(body)), {});

/** A body that is a sentence, and neither a page nor data. */
const plainText = (body: unknown): string => (/^\s*[<{[]/.test(text(body)) ? "" : text(body));

/** `{error: {message}}`, `{error: "…"}`, `{message}`, and the shape of a failed response. */
function bodyText(body: unknown): string {
  const { error, message, response, detail } = record(body);
  return text(record(error).message) || text(error) || text(record(record(response).error).message) || text(message) || text(detail);
}

function kinds(body: unknown): string {
  const { error, type, code, response } = record(body);
  const inner = record(error);
  const failed = record(record(response).error);
  return [type, code, inner.type, inner.code, failed.type, failed.code]
    .filter((word) => typeof word === "string" || typeof word === "number")
    .join(" ")
    .toLowerCase();
}

/** What the words of a stream's error would have been as a number. */
const STATUS: readonly (readonly [RegExp, number])[] = [
  [/\b4\d\d\b|\b5\d\d\b/, 0],
  [/overloaded/, 529],
  [/rate_limit|insufficient_quota/, 429],
  [/authentication|invalid_api_key/, 401],
  [/permission/, 403],
  [/not_found/, 404],
  [/too_large/, 413],
  [/invalid|context_length/, 400],
];

function statusOf(kind: string): number {
  const found = STATUS.find(([words]) => words.test(kind));
  return found ? found[1] || Number(found[0].exec(kind)![0]) : 500;
}
