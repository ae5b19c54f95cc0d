import { type OtlpHeaders, readOtlpHeaders } from "../../../runtime/events/otlp-headers.ts";

export type OtlpVariables = Readonly<Record<string, string | undefined>>;

/** Where spans or metrics go, and how. */
export interface OtlpTarget {
  readonly url: URL;
  /** They may hold a secret: nobody prints them. */
  readonly headers: OtlpHeaders;
  readonly protocol: "http/protobuf" | "http/json";
  readonly timeoutMs: number;
  readonly compression: "gzip" | "none";
  /** Files that the person names for TLS. */
  readonly tls: { readonly ca?: string; readonly cert?: string; readonly key?: string };
}

export interface OtlpSettings {
  readonly traces: OtlpTarget | null;
  readonly metrics: OtlpTarget | null;
  readonly intervalMs: number;
  readonly temporality: "cumulative" | "delta" | "lowmemory";
  /** What was asked for and cannot be, in words without values. */
  readonly problems: readonly string[];
}

/** Somebody wants something sent. Read from the environment of the process alone: no file of a project can say so. */
export const wantsOtlp = (env: OtlpVariables): boolean => !isDisabled(env) && ENDPOINTS.some((name) => given(env, name) !== null);

export const isDisabled = (env: OtlpVariables): boolean => given(env, "OTEL_SDK_DISABLED")?.toLowerCase() === "true";

const ENDPOINTS = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"];

/** The standard variables of OpenTelemetry. What is wrong turns off what it is about, and is told. */
export function readOtlpSettings(env: OtlpVariables): OtlpSettings {
  const problems: string[] = [];
  const sampler = given(env, "OTEL_TRACES_SAMPLER");
  if (sampler !== null && !SAMPLERS.includes(sampler))
    problems.push(`OTEL_TRACES_SAMPLER is none of ${SAMPLERS.join(", ")}; every trace is sent.`);
  const temporality = given(env, "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE")?.toLowerCase() ?? "cumulative";
  const known = TEMPORALITIES.find((one) => one === temporality);
  if (known === undefined)
    problems.push(`OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE is none of ${TEMPORALITIES.join(", ")}; cumulative is taken.`);
  return {
    traces: readTarget(env, "TRACES", problems),
    metrics: readTarget(env, "METRICS", problems),
    intervalMs: readMs(env, ["OTEL_METRIC_EXPORT_INTERVAL"], { usual: 60_000, least: 100, most: 3_600_000 }, problems),
    temporality: known ?? "cumulative",
    problems: [...new Set(problems)],
  };
}

/** Where it goes, for people: no query, which may hold a key. */
export const shownTarget = ({ url, protocol }: Pick<OtlpTarget, "url" | "protocol">): string =>
  `${url.origin}${url.pathname} (${protocol})`;

const SAMPLERS = ["always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"];
const TEMPORALITIES = ["cumulative", "delta", "lowmemory"] as const;
const PATHS = { TRACES: "v1/traces", METRICS: "v1/metrics" } as const;
const LONGEST_MS = 60_000;

function readTarget(env: OtlpVariables, signal: keyof typeof PATHS, problems: string[]): OtlpTarget | null {
  const exporter = given(env, `OTEL_${signal}_EXPORTER`)?.toLowerCase() ?? "otlp";
  const wanted = exporter.split(",").map((one) => one.trim());
  if (wanted.includes("none")) return null;
  if (!wanted.includes("otlp")) {
    problems.push(`OTEL_${signal}_EXPORTER can be otlp or none here; nothing of it is sent.`);
    return null;
  }
  const names = (what: string) => [`OTEL_EXPORTER_OTLP_${signal}_${what}`, `OTEL_EXPORTER_OTLP_${what}`];
  const first = (what: string) => names(what).flatMap((name) => given(env, name) ?? [])[0] ?? null;
  const url = readUrl(env, signal, problems);
  if (url === null) return null;
  const protocol = first("PROTOCOL") ?? "http/protobuf";
  if (protocol !== "http/protobuf" && protocol !== "http/json") {
    const why = protocol === "grpc" ? "grpc is not spoken here" : "it is unknown";
    problems.push(`OTEL_EXPORTER_OTLP_PROTOCOL: ${why}; take http/protobuf or http/json, on the collector's port 4318. Nothing is sent.`);
    return null;
  }
  const compression = first("COMPRESSION") ?? "none";
  if (compression !== "gzip" && compression !== "none") problems.push("OTEL_EXPORTER_OTLP_COMPRESSION can be gzip or none; none is taken.");
  const [ca, cert, key] = [first("CERTIFICATE"), first("CLIENT_CERTIFICATE"), first("CLIENT_KEY")];
  return {
    url,
    headers: readOtlpHeaders(
      names("HEADERS").map((name) => given(env, name) ?? ""),
      problems,
    ),
    protocol,
    timeoutMs: readMs(env, names("TIMEOUT"), { usual: 10_000, least: 1, most: LONGEST_MS }, problems),
    compression: compression === "gzip" ? "gzip" : "none",
    tls: { ...(ca !== null && { ca }), ...(cert !== null && { cert }), ...(key !== null && { key }) },
  };
}

/** The address of one signal is taken as it is; to the address of all of them its path is added. */
function readUrl(env: OtlpVariables, signal: keyof typeof PATHS, problems: string[]): URL | null {
  const own = `OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`;
  const name = given(env, own) === null ? "OTEL_EXPORTER_OTLP_ENDPOINT" : own;
  const text = given(env, name);
  if (text === null) return null;
  const whole = name === own ? text : `${text.replace(/\/+$/, "")}/${PATHS[signal]}`;
  // `http://` alone becomes an address when a path is added to it.
  const url = URL.canParse(text) && URL.canParse(whole) ? new URL(whole) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    problems.push(`${name} is no address that begins with http:// or https://; nothing is sent there.`);
    return null;
  }
  if (url.username !== "" || url.password !== "") {
    problems.push(`${name} holds a name or a password; put it into OTEL_EXPORTER_OTLP_HEADERS. Nothing is sent there.`);
    return null;
  }
  return url;
}

interface MsLimits {
  readonly usual: number;
  readonly least: number;
  readonly most: number;
}

function readMs(env: OtlpVariables, names: readonly string[], { usual, least, most }: MsLimits, problems: string[]): number {
  const name = names.find((one) => given(env, one) !== null);
  if (name === undefined) return usual;
  const ms = Number(given(env, name));
  if (Number.isInteger(ms) && ms >= least && ms <= most) return ms;
  problems.push(`${name} is no whole number of milliseconds from ${least} to ${most}; ${usual} is taken.`);
  return usual;
}

function given(env: OtlpVariables, name: string): string | null {
  const value = env[name]?.trim();
  return value ? value : null;
}
