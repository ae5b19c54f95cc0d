import type { Store } from "../../core/ports/store.ts";
import { openBus } from "../../fleet/bus/bus.ts";
import { waitForFirstAnswer } from "../../fleet/first-answer.ts";
import { createBuckets } from "../../fleet/govern/buckets.ts";
import { openFleetMetrics } from "../../fleet/metrics.ts";
import { createProviderPace } from "../../fleet/provider-pace.ts";
import { createTaskQueue } from "../../fleet/queue.ts";
import { runWorker, type WorkerEvent } from "../../fleet/run-worker.ts";
import { createTurnRows } from "../../fleet/session/turn-rows.ts";
import { openWorkerQueue } from "../../fleet/worker-queue.ts";
import { createFleetFolders } from "../../fleet/workspace/fleet-folders.ts";
import { claimRoot } from "../../fleet/workspace/root.ts";
import { openStore } from "../../store/open.ts";
import { openPg, type Pg } from "../../store/pg/pg.ts";
import { createSharedParts } from "../../store/pg/shared-parts.ts";
import { openClosers } from "../close.ts";
import { createTracing } from "../events/telemetry.ts";
import { traceTask } from "../events/trace-context.ts";
import type { FleetSettings } from "./fleet-settings.ts";
import { openSessionGovernance } from "./session-govern.ts";
import { createTurnRunner, type TurnParts } from "./turn-runner.ts";

/** A worker for the tasks of one tenant, in this process. */
export interface FleetWorkerOptions {
  readonly settings: FleetSettings;
  /** What agents are opened with. */
  readonly agents: TurnParts["settings"];
  readonly name: string;
  readonly version: string;
  readonly slots: number | (() => number);
  readonly labels: readonly string[];
  /** Where folders of sessions are kept; nobody else keeps any there. */
  readonly root: string;
  readonly signal: AbortSignal;
  readonly warn: (words: string) => void;
  readonly tell?: (event: WorkerEvent) => void;
  readonly ready?: () => void;
}

/** Connections besides those of turns: the queue's looks, rows of turns that begin. */
const MORE_CONNECTIONS = 4;

/** Works until `signal` is aborted or somebody drains the worker. */
export async function runFleetWorker(options: FleetWorkerOptions): Promise<void> {
  const { settings, agents, name, version, slots, labels, root, signal, warn, tell } = options;
  const { store: url, tenant, fleet, at } = settings;
  const closers = openClosers();
  try {
    const place = claimRoot(root, closers);
    const metrics = openFleetMetrics();
    const tracing = createTracing();
    closers.add(metrics.close);
    const most = Math.min(fleet.slots, 32);
    const db = openPg({ url, tenant, max: most + MORE_CONNECTIONS, onWait: metrics.onPoolWait });
    closers.add(db.close);
    metrics.watchQueue(async () => (await createTaskQueue(db).depths()).filter((depth) => depth.tenant === tenant));
    const here = openStore(at.store);
    closers.add(here.close);
    const bus = await openBus({ url: settings.bus, db: { url }, onTrouble: warn });
    closers.add(() => bus.close());
    const queue = openWorkerQueue({ url, connections: most + MORE_CONNECTIONS });
    closers.add(queue.close);
    const workspaces = createFleetFolders({
      root,
      tenant,
      repositories: fleet.repositories,
      bundles: fleet.bundles,
      most: fleet.keep_workspaces,
      warn,
    });
    // The policy is waited for without an end; whoever stops the worker meanwhile does not wait.
    const governance = await waitForFirstAnswer(openSessionGovernance({ db, bus, fleet, warn }), signal, warn);
    if (governance === null) return;
    closers.add(governance.close);
    // Asked again while the server is away: at worst a minute holds less.
    const buckets = createBuckets({ ...db, ...db.patient });
    const pace = createProviderPace({
      buckets,
      onRateLimited: (limit, ms) =>
        void Promise.all([queue.postpone(tenant, limit, ms), buckets.hold(limit, ms)]).catch((error) => warn((error as Error).message)),
    });
    const runTask = createTurnRunner({
      rows: createTurnRows(db),
      storeFor: ({ fence }) => sessionStore(db, here, () => fence),
      workspaces,
      place,
      bus,
      settings: { ...agents, ship: settings.ship === "off" ? null : { url, tenant, mode: settings.ship } },
      governance,
      setups: fleet.setup,
      middlewareFor: ({ limit }) => (limit === null ? [] : [pace.middlewareFor(limit)]),
      warn,
    });
    await runWorker({
      queue,
      bus,
      name,
      version,
      slots,
      labels,
      tenant,
      leaseMs: fleet.lease_ms,
      pollMs: fleet.poll_ms,
      signal,
      runTask: (task, hands) => traceTask(tracing, task, () => runTask(task, hands)),
      mayTake: governance.mayTake,
      onBeat: governance.onBeat,
      ...(options.ready && { ready: options.ready }),
      warn,
      tell(event) {
        metrics.onWorkerEvent(event);
        tell?.(event);
      },
    });
  } finally {
    await closers.close();
  }
}

/** The shared store as one session writes to it, over connections that all sessions of the process have. */
const sessionStore = (db: Pg, here: Store, fence: Parameters<typeof createSharedParts>[1]): Store => ({
  ...createSharedParts(db.patient, fence),
  trust: here.trust,
  anchors: here.anchors,
  strangerWrites: here.strangerWrites,
  sessionMemory: here.sessionMemory,
  close: async () => {},
});
