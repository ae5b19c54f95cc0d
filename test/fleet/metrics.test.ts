import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Attributes, type MeterProvider, metrics } from "@opentelemetry/api";
import { afterEach, expect, test, vi } from "vitest";
import { openFleetMetrics } from "../../src/fleet/metrics.ts";
import type { WorkerEvent } from "../../src/fleet/run-worker.ts";
import type { TakenTask } from "../../src/fleet/worker-queue.ts";

afterEach(() => metrics.disable());

const task = { tenant: "acme" } as TakenTask;
const EVENTS: readonly WorkerEvent[] = [
  { type: "take", ms: 12, tasks: 2 },
  { type: "taken", task },
  { type: "beat", ms: 5 },
  { type: "paused", task },
  { type: "fenced", task, what: "done" },
  { type: "reaped", tasks: 3, unknown: 2 },
  { type: "ended", task, end: "done" },
];

test("what a worker does is counted, and times are in seconds", async () => {
  const meter = register();
  const fleet = openFleetMetrics();
  for (const event of EVENTS) fleet.onWorkerEvent(event);
  fleet.onPoolWait(250);
  await expect.poll(() => meter.recorded.length).toBe(9);
  expect(meter.recorded).toEqual([
    ["zeph.fleet.take.duration", 0.012, {}],
    ["zeph.fleet.tasks.taken", 1, { "zeph.tenant": "acme" }],
    ["zeph.fleet.beat.duration", 0.005, {}],
    ["zeph.fleet.calls.held_back", 1, { "zeph.tenant": "acme" }],
    ["zeph.fleet.writes.refused", 1, { "zeph.tenant": "acme", "zeph.write": "done" }],
    ["zeph.fleet.tasks.reaped", 3, {}],
    ["zeph.fleet.calls.unknown", 2, {}],
    ["zeph.fleet.tasks.ended", 1, { "zeph.tenant": "acme", "zeph.end": "done" }],
    ["zeph.fleet.pool.wait", 0.25, {}],
  ]);
  fleet.close();
});

test("the queue and the last beat are asked for when somebody collects", async () => {
  const meter = register();
  const fleet = openFleetMetrics();
  fleet.watchQueue(async () => [
    { tenant: "acme", queued: 7, running: 1, oldestQueuedMs: 1500 },
    { tenant: "tiny", queued: 0, running: 2, oldestQueuedMs: null },
  ]);
  fleet.onWorkerEvent({ type: "beat", ms: 1 });
  await expect.poll(() => meter.names()).toContain("zeph.fleet.queue.depth");
  const collected = await meter.collect();
  expect(collected.filter(([name]) => name !== "zeph.fleet.beat.age")).toEqual([
    ["zeph.fleet.queue.depth", 7, { "zeph.tenant": "acme" }],
    ["zeph.fleet.queue.age", 1.5, { "zeph.tenant": "acme" }],
    ["zeph.fleet.queue.depth", 0, { "zeph.tenant": "tiny" }],
    ["zeph.fleet.queue.age", 0, { "zeph.tenant": "tiny" }],
  ]);
  const [, age] = collected.find(([name]) => name === "zeph.fleet.beat.age")!;
  expect(age).toBeGreaterThanOrEqual(0);
  fleet.watchQueue(() => Promise.reject(new Error("the server is away")));
  expect((await meter.collect()).map(([name]) => name)).toEqual(["zeph.fleet.beat.age"]);
  fleet.close();
  expect(await meter.collect()).toEqual([]);
});

test("a provider that comes later, or in place of another, gets what comes after it", async () => {
  const fleet = openFleetMetrics();
  fleet.onPoolWait(1);
  const first = register();
  fleet.onPoolWait(2);
  await expect.poll(() => first.recorded).toEqual([["zeph.fleet.pool.wait", 0.002, {}]]);
  metrics.disable();
  fleet.onPoolWait(3);
  const second = register();
  fleet.onPoolWait(4);
  expect(second.recorded).toEqual([["zeph.fleet.pool.wait", 0.004, {}]]);
  expect(first.recorded).toHaveLength(1);
  fleet.close();
});

test("a meter that throws ends nobody", async () => {
  const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  metrics.setGlobalMeterProvider({
    getMeter: () => {
      throw new Error("broken");
    },
  });
  const fleet = openFleetMetrics();
  fleet.onPoolWait(1);
  await expect.poll(() => warnings.mock.calls.length).toBeGreaterThan(0);
  for (const event of EVENTS) fleet.onWorkerEvent(event);
  expect(warnings).toHaveBeenCalledTimes(1);
  warnings.mockRestore();
  fleet.close();
});

test("docs/telemetry.md names every metric, and nothing else", async () => {
  const meter = register();
  const fleet = openFleetMetrics();
  await expect.poll(() => meter.names().length).toBeGreaterThan(5);
  const page = readFileSync(join(import.meta.dirname, "../../docs/telemetry.md"), "utf8").split("## A fleet")[1]!;
  const listed = [...page.matchAll(/^\| `(zeph\.fleet\.[\w.]+)` \|/gm)].map(([, name]) => name!);
  expect(listed.sort()).toEqual(meter.names().sort());
  fleet.close();
});

type Measurement = readonly [name: string, value: number, of: Attributes];

/** What a program's SDK is to us. */
function register() {
  const recorded: Measurement[] = [];
  const names: string[] = [];
  const callbacks: (() => Promise<Measurement[]>)[] = [];
  const keep = (name: string) => {
    names.push(name);
    const record = (value: number, of: Attributes = {}) => void recorded.push([name, value, of]);
    const addCallback = (callback: (result: { observe(value: number, of?: Attributes): void }) => unknown) =>
      callbacks.push(async () => {
        const seen: Measurement[] = [];
        await callback({ observe: (value, of = {}) => void seen.push([name, value, of]) });
        return seen;
      });
    return { name, add: record, record, addCallback };
  };
  const meter = {
    createCounter: keep,
    createHistogram: keep,
    createObservableGauge: keep,
    addBatchObservableCallback: (
      callback: (result: { observe(gauge: { name: string }, value: number, of: Attributes): void }) => unknown,
    ) =>
      callbacks.push(async () => {
        const seen: Measurement[] = [];
        await callback({ observe: ({ name }, value, of) => void seen.push([name, value, of]) });
        return seen;
      }),
  };
  metrics.setGlobalMeterProvider({ getMeter: () => meter } as unknown as MeterProvider);
  return { recorded, names: () => names, collect: async () => (await Promise.all(callbacks.map((ask) => ask()))).flat() };
}
