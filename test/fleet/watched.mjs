// Loaded before a program: an SDK of OpenTelemetry that writes spans and the numbers of gauges to a file, a line each.
import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync } from "node:fs";
import { context, metrics, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { BasicTracerProvider, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";

const command = process.argv[2];
const write = (record) => appendFileSync(process.env.WATCHED_FILE, `${JSON.stringify({ command, ...record })}\n`);

const storage = new AsyncLocalStorage();
const manager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, fn, thisArg, ...args) => storage.run(active, () => fn.apply(thisArg, args)),
  bind: (_context, target) => target,
  enable: () => manager,
  disable: () => manager,
};
context.setGlobalContextManager(manager);
const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      write({ span: span.name, traceId, spanId, parent: span.parentSpanContext?.spanId ?? null });
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));

const instrument = (name) => ({ name, add() {}, record() {}, addCallback() {} });
const meter = {
  createCounter: instrument,
  createHistogram: instrument,
  createObservableGauge: instrument,
  addBatchObservableCallback(callback) {
    const collect = () => void callback({ observe: ({ name }, value, of) => write({ metric: name, value, ...of }) });
    setInterval(collect, 200).unref();
  },
};
metrics.setGlobalMeterProvider({ getMeter: () => meter });
