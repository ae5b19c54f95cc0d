import { join, resolve } from "node:path";
import { openBus } from "../../fleet/bus/bus.ts";
import { SUBJECTS } from "../../fleet/bus/subjects.ts";
import { waitForFirstAnswer } from "../../fleet/first-answer.ts";
import { openFleetMetrics } from "../../fleet/metrics.ts";
import { createTaskQueue } from "../../fleet/queue.ts";
import { runWorker, type WorkerEvent } from "../../fleet/run-worker.ts";
import { openTenantProcesses } from "../../fleet/tenant/tenant-processes.ts";
import { openWorkerQueue } from "../../fleet/worker-queue.ts";
import { claimRoot, usualWorkerName, usualWorkerRoot } from "../../fleet/workspace/root.ts";
import { slugOf } from "../../fleet/workspace/slug.ts";
import { assertKnownHost } from "../../store/pg/known-host.ts";
import { openPg } from "../../store/pg/pg.ts";
import { openClosers } from "../close.ts";
import { openCheckpointSigning } from "./audit-copies.ts";
import type { FleetSettings } from "./fleet-settings.ts";
import { runFleetWorker } from "./fleet-worker.ts";
import type { TurnParts } from "./turn-runner.ts";

export interface WorkerProcessOptions {
  readonly settings: FleetSettings;
  readonly agents: TurnParts["settings"];
  /** Null: everybody's tasks, in a process for each tenant. */
  readonly tenant: string | null;
  readonly name: string | null;
  readonly slots: number | null;
  readonly labels: readonly string[];
  readonly workspaces: string | null;
  readonly version: string;
  /** How this program is started again, for one tenant. */
  readonly command: readonly string[];
  readonly signal: AbortSignal;
  readonly say: (words: string) => void;
  readonly warn: (words: string) => void;
  readonly tell: (event: WorkerEvent) => void;
  /** It has a name and works. */
  readonly ready: (name: string) => void;
}

/** `zeph worker`: works until it is stopped or drained. */
export async function runWorkerProcess(options: WorkerProcessOptions): Promise<void> {
  const { settings, tenant } = options;
  const name = options.name ?? usualWorkerName();
  const root = resolve(options.workspaces ?? (settings.fleet.workspaces || usualWorkerRoot()));
  await assertKnownHost(settings.store);
  // The key is the worker's: a process of one of its tenants signs nothing.
  const signing = tenant === null || process.connected !== true ? signCheckpoints(options) : null;
  try {
    await (tenant === null ? superviseTenants({ ...options, name, root }) : workForTenant({ ...options, tenant, name, root }));
  } finally {
    await signing?.close();
  }
}

const signCheckpoints = ({ settings: { store: url, fleet }, say, warn }: WorkerProcessOptions) =>
  openCheckpointSigning({ url, role: "zeph_worker", fleet, say, warn });

interface NamedWorker extends WorkerProcessOptions {
  readonly name: string;
  readonly root: string;
}

async function workForTenant(options: NamedWorker & { readonly tenant: string }): Promise<void> {
  const { settings, tenant, name, root } = options;
  const parent = listenToParent(options.slots ?? settings.fleet.slots);
  await runFleetWorker({
    ...options,
    settings: { ...settings, tenant },
    name,
    // A child's folder is its tenant's already.
    root: parent.isThere ? root : join(root, slugOf(tenant)),
    slots: parent.slots,
    signal: AbortSignal.any([options.signal, parent.gone]),
    ready: () => options.ready(name),
    tell(event) {
      parent.tell(event);
      options.tell(event);
    },
  });
  parent.close();
}

/** The process that started this one, where there is one: it says how many tasks are to be taken, and when it ends this process does. */
function listenToParent(slots: number) {
  const gone = new AbortController();
  let room = slots;
  let busy = 0;
  process.on("message", (message) => {
    const { slots } = message as { readonly slots?: unknown };
    if (typeof slots === "number") room = slots;
  });
  process.on("disconnect", () => gone.abort());
  const say = () => process.connected && process.send?.({ busy });
  say();
  return {
    isThere: process.connected === true,
    slots: () => room,
    gone: gone.signal,
    tell({ type }: WorkerEvent) {
      if (type === "taken") busy++;
      if (type === "ended") busy--;
      if (type === "taken" || type === "ended") say();
    },
    close: () => process.connected && process.disconnect(),
  };
}

/**
 * A worker that takes nothing itself: it sees whose tasks wait, and starts a process for each of these tenants. Each of them takes its own tasks and gives its
 * own signs of life: whoever acts is whoever holds the lease, and no message between processes stands in between.
 */
async function superviseTenants(options: NamedWorker): Promise<void> {
  const { settings, name, root, labels, version, signal, warn, tell, command } = options;
  const { store: url, fleet } = settings;
  const closers = openClosers();
  try {
    claimRoot(root, closers);
    const queue = openWorkerQueue({ url, connections: 2 });
    closers.add(queue.close);
    const bus = await openBus({ url: settings.bus, db: { url }, onTrouble: warn });
    closers.add(() => bus.close());
    const db = openPg({ url, max: 1 });
    closers.add(db.close);
    const metrics = openFleetMetrics();
    closers.add(metrics.close);
    metrics.watchQueue(createTaskQueue(db).depths);
    const children = openTenantProcesses({
      command,
      environment: { ...process.env, ZEPH_STORE: url, ZEPH_BUS: settings.bus },
      name,
      root,
      slots: options.slots ?? fleet.slots,
      tenants: fleet.tenants,
      warn,
    });
    // Whose tasks wait is asked as a worker that is known.
    const registered = queue.register({ name, version, slots: 0, labels, tenant: null, formats: [1], leaseMs: fleet.lease_ms });
    const isKnown = await waitForFirstAnswer(
      registered.then(() => true),
      signal,
      warn,
    );
    if (isKnown === null) return;
    options.ready(name);
    const ended = new AbortController();
    const watching = watchTenants({
      look: children.look,
      waiting: queue.waitingTenants,
      pollMs: fleet.poll_ms,
      signal: ended.signal,
      warn,
    });
    const deaf = await Promise.all(["", ...labels].map((label) => bus.hear(SUBJECTS.wake(label), watching.lookNow)));
    const stop = () => void children.close();
    signal.addEventListener("abort", stop, { once: true });
    await runWorker({
      queue,
      bus,
      name,
      version,
      slots: 0,
      labels,
      leaseMs: fleet.lease_ms,
      pollMs: fleet.poll_ms,
      signal,
      runTask: () => Promise.reject(new Error("A worker of all tenants takes nothing itself.")),
      warn,
      tell(event) {
        metrics.onWorkerEvent(event);
        tell(event);
      },
    });
    for (const end of deaf) end();
    ended.abort();
    await watching.over;
    await children.close();
  } finally {
    await closers.close();
  }
}

interface Watching {
  readonly look: (waiting: readonly string[]) => void;
  readonly waiting: () => Promise<readonly string[]>;
  readonly pollMs: number;
  readonly signal: AbortSignal;
  readonly warn: (words: string) => void;
}

function watchTenants({ look, waiting, pollMs, signal, warn }: Watching): { readonly over: Promise<void>; lookNow(): void } {
  let wake = () => {};
  const nap = () =>
    new Promise<void>((resolve) => {
      const over = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", over);
        resolve();
      };
      const timer = setTimeout(over, pollMs);
      signal.addEventListener("abort", over, { once: true });
      wake = over;
    });
  let isAway = false;
  const watch = async () => {
    while (!signal.aborted) {
      try {
        look(await waiting());
        isAway = false;
      } catch (error) {
        if (!isAway && !signal.aborted) warn(`Nobody can say whose tasks wait: ${(error as Error).message}`);
        isAway = true;
      }
      if (!signal.aborted) await nap();
    }
  };
  return { over: watch(), lookNow: () => wake() };
}
