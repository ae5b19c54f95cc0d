import type { Histogram } from "@opentelemetry/api";
import type { SpanKind } from "../../core/ports/span.ts";

type Api = typeof import("@opentelemetry/api");
type Known = Readonly<Record<string, string | number | boolean | string[]>>;

/** Numbers for whoever registered a meter provider: each span that has ended, counted by a few words of it. */
export function measureSpan(api: Api, kind: SpanKind, known: Known, seconds: number): void {
  const provider = api.metrics.getMeterProvider();
  // Made anew when another provider is there: an instrument belongs to the one it was made by.
  if (made?.provider !== provider) made = { provider, histograms: new Map() };
  const metric = METRICS.find(({ isAbout }) => isAbout(known, kind));
  if (!metric) return;
  histogramOf(api, metric.name, { unit: "s", ...metric }).record(seconds, only(known, metric.by));
  if (known["gen_ai.operation.name"] !== "chat") return;
  for (const type of ["input", "output"]) {
    const tokens = known[`gen_ai.usage.${type}_tokens`];
    if (typeof tokens === "number")
      histogramOf(api, TOKENS.name, TOKENS).record(tokens, { ...only(known, TOKENS.by), "gen_ai.token.type": type });
  }
}

let made: { readonly provider: unknown; readonly histograms: Map<string, Histogram> } | null = null;

interface Metric {
  readonly name: string;
  readonly description: string;
  /** Between which values it is counted; the conventions name them. */
  readonly bounds: readonly number[];
  /** Words from short lists alone: every combination is a row that somebody keeps. */
  readonly by: readonly string[];
}

const SHORT = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const LONG = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6];
const WIRE = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

const MODEL = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"];
const MCP = ["mcp.method.name", "gen_ai.tool.name", "mcp.protocol.version", "network.transport", "error.type"];
const isOperation = (name: string) => (known: Known) => known["gen_ai.operation.name"] === name;
const isMcp = (wanted: SpanKind) => (known: Known, kind: SpanKind) => kind === wanted && known["mcp.method.name"] !== undefined;

const METRICS: readonly (Metric & { readonly isAbout: (known: Known, kind: SpanKind) => boolean })[] = [
  {
    name: "mcp.client.operation.duration",
    description: "How long a server took to answer.",
    bounds: WIRE,
    by: MCP,
    isAbout: isMcp("client"),
  },
  { name: "mcp.server.operation.duration", description: "How long a client waited.", bounds: WIRE, by: MCP, isAbout: isMcp("server") },
  {
    name: "gen_ai.client.operation.duration",
    description: "How long an answer of the model took.",
    bounds: SHORT,
    by: [...MODEL, "error.type"],
    isAbout: isOperation("chat"),
  },
  {
    name: "gen_ai.invoke_agent.duration",
    description: "How long a turn took.",
    bounds: LONG,
    by: ["gen_ai.agent.name", "gen_ai.request.model", "error.type"],
    isAbout: isOperation("invoke_agent"),
  },
  {
    name: "gen_ai.execute_tool.duration",
    description: "How long a call took, the judging of it and the wait for an answer included.",
    bounds: SHORT,
    by: ["gen_ai.tool.name", "gen_ai.agent.name", "zeph.decision", "zeph.gate", "error.type"],
    isAbout: isOperation("execute_tool"),
  },
];

const TOKENS: Metric & { readonly unit: string } = {
  name: "gen_ai.client.token.usage",
  unit: "{token}",
  description: "Tokens of requests and answers.",
  bounds: Array.from({ length: 14 }, (_, n) => 4 ** n),
  by: MODEL,
};

function histogramOf(
  api: Api,
  name: string,
  { unit, description, bounds }: Omit<Metric, "by" | "name"> & { readonly unit: string },
): Histogram {
  const known = made!.histograms.get(name);
  if (known) return known;
  const advice = { explicitBucketBoundaries: [...bounds] };
  const histogram = api.metrics.getMeter("zeph").createHistogram(name, { unit, description, advice });
  made!.histograms.set(name, histogram);
  return histogram;
}

const only = (known: Known, names: readonly string[]) =>
  Object.fromEntries(names.flatMap((name) => (known[name] === undefined ? [] : [[name, known[name]!]])));
