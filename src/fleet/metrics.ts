import type { Attributes, Counter, Histogram, Meter, ObservableGauge, ObservableResult } from "@opentelemetry/api";
import type { TenantDepth } from "./queue.ts";
import type { WorkerEvent } from "./run-worker.ts";

type Api = typeof import("@opentelemetry/api");

/** What a process of a fleet tells those who watch it. Nothing here throws, and without a meter provider it costs a look at a global. */
export interface FleetMetrics {
  /** For `tell` of `runWorker`. */
  readonly onWorkerEvent: (event: WorkerEvent) => void;
  /** For `onWait` of `openPg`: how long a question waited for a connection. */
  readonly onPoolWait: (ms: number) => void;
  /** Asks how many tasks wait whenever the metrics are collected. One process is enough: all see the same queue. */
  watchQueue(read: () => Promise<readonly TenantDepth[]>): void;
  close(): void;
}

/** Metrics for whoever registered a meter provider with OpenTelemetry, at any time. The API package is loaded when there is one. */
export function openFleetMetrics(): FleetMetrics {
  let api: Api | null = null;
  let made: { readonly provider: unknown; readonly instruments: Instruments } | null = null;
  let isOpen = true;
  let lastBeat: number | null = null;
  let readQueue: (() => Promise<readonly TenantDepth[]>) | null = null;

  const observeBeat = (result: ObservableResult) => {
    if (isOpen && lastBeat !== null) result.observe((performance.now() - lastBeat) / 1000);
  };
  /** Both gauges in one question. */
  const observeQueue =
    (instruments: Instruments) => async (result: { observe(gauge: ObservableGauge, value: number, of: Attributes): void }) => {
      const tenants = isOpen && readQueue ? await readQueue().catch(() => []) : [];
      for (const { tenant, queued, oldestQueuedMs } of tenants) {
        result.observe(instruments.depth, queued, { "zeph.tenant": tenant });
        result.observe(instruments.age, (oldestQueuedMs ?? 0) / 1000, { "zeph.tenant": tenant });
      }
    };
  /** Made anew when another provider is there: an instrument belongs to the one it was made by. */
  const instrumentsOf = ({ metrics }: Api): Instruments => {
    const provider = metrics.getMeterProvider();
    if (made?.provider === provider) return made.instruments;
    const meter = metrics.getMeter("zeph");
    const instruments = makeInstruments(meter);
    instruments.beatAge.addCallback(observeBeat);
    meter.addBatchObservableCallback(observeQueue(instruments), [instruments.depth, instruments.age]);
    made = { provider, instruments };
    return instruments;
  };
  const use = (record: (instruments: Instruments) => void) => {
    if (!isOpen || !isWatched()) return;
    const act = (loaded: Api) => {
      api = loaded;
      record(instrumentsOf(loaded));
    };
    if (api) quietly(() => act(api!));
    else import("@opentelemetry/api").then((loaded) => quietly(() => act(loaded))).catch(() => {});
  };
  // A provider may be registered after us, and a gateway has no events of its own.
  const often = setInterval(() => use(() => {}), LOOK_MS).unref();
  use(() => {});

  return {
    onWorkerEvent(event) {
      if (event.type === "beat") lastBeat = performance.now();
      use((instruments) => RECORD[event.type]?.(instruments, event as never));
    },
    onPoolWait: (ms) => use(({ poolWait }) => poolWait.record(ms / 1000)),
    watchQueue(read) {
      readQueue = read;
      use(() => {});
    },
    close() {
      isOpen = false;
      clearInterval(often);
    },
  };
}

const LOOK_MS = 10_000;

/** Where the API package keeps what was registered. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");
const isWatched = () => (globalThis as { [REGISTRY]?: { readonly metrics?: unknown } })[REGISTRY]?.metrics !== undefined;

interface Instruments {
  readonly depth: ObservableGauge;
  readonly age: ObservableGauge;
  readonly beatAge: ObservableGauge;
  readonly take: Histogram;
  readonly beat: Histogram;
  readonly poolWait: Histogram;
  readonly taken: Counter;
  readonly ended: Counter;
  readonly reaped: Counter;
  readonly unknown: Counter;
  readonly refused: Counter;
  readonly heldBack: Counter;
}

function makeInstruments(meter: Meter): Instruments {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`zeph.fleet.${name}`, { unit, description });
  const time = (name: string, description: string) => meter.createHistogram(`zeph.fleet.${name}`, { unit: "s", description });
  const count = (name: string, unit: string, description: string) => meter.createCounter(`zeph.fleet.${name}`, { unit, description });
  return {
    depth: gauge("queue.depth", "{task}", "Tasks that wait."),
    age: gauge("queue.age", "s", "How long the oldest of them waits."),
    beatAge: gauge("beat.age", "s", "How long ago the server answered a beat of this worker."),
    take: time("take.duration", "How long it took to take tasks, or to find that there are none."),
    beat: time("beat.duration", "How long a beat took."),
    poolWait: time("pool.wait", "How long a question waited for a connection."),
    taken: count("tasks.taken", "{task}", "Tasks that this worker took."),
    ended: count("tasks.ended", "{task}", "Tasks that this worker ended, by how."),
    reaped: count("tasks.reaped", "{task}", "Tasks that a lost worker left, and this one took back."),
    unknown: count("calls.unknown", "{call}", "Calls of which nobody knows what came of them."),
    refused: count("writes.refused", "{write}", "Writes that came too late: the session had another holder."),
    heldBack: count("calls.held_back", "{call}", "Calls that waited because the server had not answered for most of a lease."),
  };
}

type Recorder<T extends WorkerEvent["type"]> = (instruments: Instruments, event: Extract<WorkerEvent, { type: T }>) => void;

const RECORD: { readonly [T in WorkerEvent["type"]]?: Recorder<T> } = {
  taken: ({ taken }, { task }) => taken.add(1, { "zeph.tenant": task.tenant }),
  ended: ({ ended }, { task, end }) => ended.add(1, { "zeph.tenant": task.tenant, "zeph.end": end }),
  reaped({ reaped, unknown }, event) {
    reaped.add(event.tasks);
    unknown.add(event.unknown);
  },
  paused: ({ heldBack }, { task }) => heldBack.add(1, { "zeph.tenant": task.tenant }),
  fenced: ({ refused }, { task, what }) => refused.add(1, { "zeph.tenant": task.tenant, "zeph.write": what }),
  beat: ({ beat }, { ms }) => beat.record(ms / 1000),
  take: ({ take }, { ms }) => take.record(ms / 1000),
};

/** A meter that throws must not end a worker. */
function quietly(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!warned) process.emitWarning(`OpenTelemetry threw; a measurement is lost: ${String(error)}`);
    warned = true;
  }
}
let warned = false;
