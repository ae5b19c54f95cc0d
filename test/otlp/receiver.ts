import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { decode, METRICS, type Shape, TRACES } from "./protobuf.ts";

export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly resource: Readonly<Record<string, unknown>>;
}

export interface ReceivedPoint {
  readonly metric: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly count: number;
  readonly sum: number;
  readonly temporality: number;
}

export interface Receiver {
  readonly url: string;
  /** As they came. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders; readonly text: string }[];
  spans(): readonly ReceivedSpan[];
  points(): readonly ReceivedPoint[];
}

const SHAPES: Readonly<Record<string, Shape>> = { "/v1/traces": TRACES, "/v1/metrics": METRICS };

/** A collector on this machine. `answer` is what it says to what it took; by default that it is well. */
export async function receiver(answer: (response: ServerResponse) => void = (response) => response.end()): Promise<Receiver> {
  const requests: { path: string; headers: IncomingHttpHeaders; text: string }[] = [];
  const bodies: Record<string, any>[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const sent = Buffer.concat(parts);
      const bytes = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
      const path = request.url ?? "";
      requests.push({ path, headers: request.headers, text: bytes.toString("latin1") });
      const isJson = request.headers["content-type"] === "application/json";
      bodies.push(isJson ? JSON.parse(bytes.toString()) : decode(bytes, SHAPES[path] ?? {}));
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans: () => bodies.flatMap(spansOf),
    points: () => bodies.flatMap(pointsOf),
  };
}

const spansOf = ({ resourceSpans = [] }: Record<string, any>): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }: any) =>
    scopeSpans.flatMap(({ spans }: any) =>
      spans.map(({ attributes, status, parentSpanId, ...span }: any) => ({
        ...span,
        parentSpanId: parentSpanId || undefined,
        attributes: recordOf(attributes),
        failed: status?.code === 2,
        resource: recordOf(resource.attributes),
      })),
    ),
  );

const pointsOf = ({ resourceMetrics = [] }: Record<string, any>): ReceivedPoint[] =>
  resourceMetrics.flatMap(({ scopeMetrics }: any) =>
    scopeMetrics.flatMap(({ metrics }: any) =>
      metrics.flatMap(({ name, histogram }: any) =>
        (histogram?.dataPoints ?? []).map(({ attributes, count, sum }: any) => ({
          metric: name,
          attributes: recordOf(attributes),
          count: Number(count),
          sum,
          temporality: histogram.aggregationTemporality,
        })),
      ),
    ),
  );

const recordOf = (pairs: readonly { key: string; value: any }[] = []) =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, readValue(value)]));

function readValue(value: Record<string, any>): unknown {
  if (value.arrayValue) return (value.arrayValue.values ?? []).map(readValue);
  const [one] = Object.values(value);
  return typeof one === "string" && "intValue" in value ? Number(one) : one;
}
