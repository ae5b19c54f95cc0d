/** Names in small letters, each once. */
export type OtlpHeaders = Readonly<Record<string, string>>;

const NAME = /^[!#$&'*+.^_`|~0-9a-z-]{1,100}$/;
/** Ours to say, or the connection's. */
const OURS = new Set(["content-type", "content-length", "content-encoding", "transfer-encoding", "host", "connection"]);

/**
 * Headers as the variables write them: `name=value,other=value`, values with % for what is no plain letter. Of `texts` the first wins. A pair that is
 * no header is left out, and told of by its place: its text may be a secret.
 */
export function readOtlpHeaders(texts: readonly string[], problems: string[]): OtlpHeaders {
  const found: Record<string, string> = {};
  for (const text of [...texts].reverse())
    for (const [at, pair] of text.split(",").entries()) {
      if (pair.trim() === "") continue;
      const read = readPair(pair);
      if (read) found[read[0]] = read[1];
      else problems.push(`OTEL_EXPORTER_OTLP_HEADERS: the pair at place ${at + 1} is no name=value, and is left out.`);
    }
  return found;
}

/** What the headers hold, for those who must never show it. `Bearer` and its like are no secret. */
export function otlpSecrets(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const texts = HEADER_VARIABLES.map((name) => env[name] ?? "");
  // One by one: what one variable says does not hide what another says.
  const values = texts.flatMap((text) => Object.values(readOtlpHeaders([text], [])));
  return values.map((value) => value.replace(/^\w+ /, ""));
}

const HEADER_VARIABLES = ["", "TRACES_", "METRICS_", "LOGS_"].map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`);

function readPair(pair: string): readonly [string, string] | null {
  const at = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
  const value = decoded(pair.slice(at + 1).trim());
  if (at === -1 || !NAME.test(name) || OURS.has(name) || value === null || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return null;
  return [name, value];
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
