import { type Context, context, metrics, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import { AggregationTemporality, InstrumentType, MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { readTraceparent } from "../../../runtime/events/traceparent.ts";
import { waitAtMost } from "../../../text/wait-within.ts";
import { createOtlpSender, type OtlpSender } from "./otlp-sender.ts";
import { type OtlpSettings, type OtlpTarget, shownTarget } from "./otlp-settings.ts";

export interface OtlpParts {
  readonly settings: OtlpSettings;
  readonly version: string;
  /** W3C trace context of whoever started the process. */
  readonly traceparent?: string | undefined;
  /** Told when something was not taken; the words hold no header. */
  readonly trouble: (words: string) => void;
}

export interface Otlp {
  /** Work below the span of whoever started the process. */
  within<T>(work: () => Promise<T>): Promise<T>;
  /** Sends what is left, and takes no longer than this. */
  close(ms: number): Promise<void>;
}

/**
 * The SDK of OpenTelemetry, registered for this process. This module and what it imports is a file of its own in the package: it is read only when a
 * variable asks for it. Limits, batches and the sampler are what the SDK reads from its own variables.
 */
export function openOtlp({ settings, version, traceparent, trouble }: OtlpParts): Otlp {
  const own = resourceFromAttributes({ "service.name": "zeph", "service.version": version });
  // What the person says of the service wins over what we say.
  const resource = defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
  const senders: OtlpSender[] = [];
  const shutdowns: (() => Promise<void>)[] = [];
  const carry = <Item, Answer>(target: OtlpTarget, serializers: Serializers<Item, Answer>, refused: (answer: Answer) => number) => {
    const sender = createOtlpSender(target, version);
    senders.push(sender);
    return createExporter(sender, target, serializers[target.protocol], refused, trouble);
  };
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  if (settings.traces) {
    const exporter = carry(settings.traces, TRACES, ({ partialSuccess }) => Number(partialSuccess?.rejectedSpans ?? 0));
    const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
    trace.setGlobalTracerProvider(provider);
    shutdowns.push(() => provider.shutdown());
  }
  if (settings.metrics) {
    const carried = carry(settings.metrics, METRICS, ({ partialSuccess }) => Number(partialSuccess?.rejectedDataPoints ?? 0));
    const exporter = { ...carried, selectAggregationTemporality: TEMPORALITY[settings.temporality] };
    const { intervalMs } = settings;
    const limits = { exportIntervalMillis: intervalMs, exportTimeoutMillis: Math.min(intervalMs, settings.metrics.timeoutMs) };
    const provider = new MeterProvider({ resource, readers: [new PeriodicExportingMetricReader({ exporter, ...limits })] });
    metrics.setGlobalMeterProvider(provider);
    shutdowns.push(() => provider.shutdown());
  }
  return {
    within: (work) => context.with(contextBelow(traceparent), work),
    async close(ms) {
      for (const sender of senders) sender.hurry();
      await waitAtMost(Promise.allSettled(shutdowns.map((shutdown) => shutdown())), ms);
      for (const sender of senders) sender.stop();
    },
  };
}

type Serializers<Item, Answer> = Readonly<Record<OtlpTarget["protocol"], ISerializer<Item, Answer>>>;
const TRACES = { "http/protobuf": ProtobufTraceSerializer, "http/json": JsonTraceSerializer };
const METRICS = { "http/protobuf": ProtobufMetricsSerializer, "http/json": JsonMetricsSerializer };

const TAKEN = 0;
const FAILED = 1;

function createExporter<Item, Answer>(
  { send, stop }: OtlpSender,
  target: OtlpTarget,
  serializer: ISerializer<Item, Answer>,
  refused: (answer: Answer) => number,
  trouble: OtlpParts["trouble"],
) {
  const carry = async (items: Item) => {
    const answer = await send(serializer.serializeRequest(items) ?? new Uint8Array());
    const left = answer.length === 0 ? 0 : refusedIn(serializer, answer, refused);
    if (left > 0) throw new Error(`it refused ${left} of them`);
  };
  return {
    export(items: Item, done: (result: { code: number; error?: Error }) => void) {
      carry(items).then(
        () => done({ code: TAKEN }),
        (error: Error) => {
          trouble(`${shownTarget(target)} did not take what was sent: ${error.message}`);
          done({ code: FAILED, error });
        },
      );
    },
    forceFlush: async () => {},
    shutdown: async () => stop(),
  };
}

/** What cannot be read was taken: it came with a status that says so. */
function refusedIn<Answer>(serializer: ISerializer<never, Answer>, answer: Uint8Array, refused: (answer: Answer) => number): number {
  try {
    return refused(serializer.deserializeResponse(answer));
  } catch {
    return 0;
  }
}

const { CUMULATIVE, DELTA } = AggregationTemporality;
const RISING = [InstrumentType.UP_DOWN_COUNTER, InstrumentType.OBSERVABLE_UP_DOWN_COUNTER];
const TEMPORALITY: Readonly<Record<OtlpSettings["temporality"], (type: InstrumentType) => AggregationTemporality>> = {
  cumulative: () => CUMULATIVE,
  delta: (type) => (RISING.includes(type) ? CUMULATIVE : DELTA),
  lowmemory: (type) => (type === InstrumentType.COUNTER || type === InstrumentType.HISTOGRAM ? DELTA : CUMULATIVE),
};

function contextBelow(traceparent: string | undefined): Context {
  const read = readTraceparent(traceparent);
  return read ? trace.setSpanContext(ROOT_CONTEXT, { ...read.context, isRemote: true }) : ROOT_CONTEXT;
}
