import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { build } from "esbuild";
import { type NatsServers, type PostgresServer, startNats, startPostgres } from "../../../scripts/fleet-servers.mjs";
import { openBus } from "../../../src/fleet/bus/bus.ts";
import { createTaskQueue, type TaskQueue } from "../../../src/fleet/queue.ts";
import type { NewTask } from "../../../src/fleet/task.ts";
import { initStore } from "../../../src/store/pg/migrate.ts";
import { openPg, type Pg } from "../../../src/store/pg/pg.ts";
import type { Steps, StepWorkerConfig } from "./step-worker.ts";

/** How hints travel: three NATS servers, PostgreSQL, or not at all. */
export type BusKind = "nats" | "pg" | "none";

export const LEASE_MS = 2500;
const SLOTS = 8;

export interface WorkerLine {
  readonly at: number;
  readonly worker: string;
  readonly type: string;
  readonly task?: string;
  readonly what?: string;
  readonly tasks?: number;
}

/** What came of some tasks. */
export interface Account {
  readonly states: Readonly<Record<string, number>>;
  readonly effects: number;
  /** Effects with more than one line in the file. */
  readonly doubled: number;
  /** Calls whose outcome is recorded and whose effect is not in the file. */
  readonly unfounded: number;
  readonly unknown: number;
  /** Tasks that were begun more than once. */
  readonly repeated: number;
}

/** Servers and worker processes of a test, on which failures are provoked. */
export interface StepFleet {
  readonly url: string;
  readonly server: PostgresServer;
  readonly nats: NatsServers | null;
  readonly db: Pg;
  readonly queue: TaskQueue;
  queueOf(tenant: string): TaskQueue;
  start(names: readonly string[], options?: Partial<StepWorkerConfig>): Promise<void>;
  worker(name: string): ChildProcess;
  end(name: string, signal: NodeJS.Signals): Promise<void>;
  submit(count: number, steps: Steps, more?: Partial<NewTask>): Promise<string[]>;
  /** How many of them wait or run. */
  left(ids: readonly string[]): Promise<number>;
  settle(ids: readonly string[]): Promise<void>;
  account(ids: readonly string[]): Promise<Account>;
  effectsOf(ids: readonly string[]): number;
  log(): readonly WorkerLine[];
  stop(): Promise<void>;
}

export interface StepFleetOptions {
  readonly leaseMs?: number;
  /** Lines of postgresql.conf. A crash of the server loses nothing that the system has been given, so tests need no flush. */
  readonly settings?: readonly string[];
  /** The project, for those who run this file from elsewhere. */
  readonly root?: string;
}

export async function startStepFleet(kind: BusKind, options: StepFleetOptions = {}): Promise<StepFleet> {
  const { leaseMs = LEASE_MS, settings = ["fsync = off"], root = join(import.meta.dirname, "../../..") } = options;
  const folder = mkdtempSync(join(tmpdir(), "zeph-chaos-"));
  const [effects, log] = [join(folder, "effects"), join(folder, "log")];
  const server = await startPostgres({ settings });
  const nats = kind === "nats" ? await startNats({ nodes: 3 }) : null;
  await initStore(server.url);
  const program = await bundle(root, folder);
  const busUrl = nats?.url ?? (kind === "none" ? "none" : "");
  const bus = kind === "none" ? undefined : await openBus({ url: nats?.url ?? "", db: { url: server.url } });
  const workers = new Map<string, ChildProcess>();
  const opened: Pg[] = [];
  const openTenant = (tenant: string): Pg => {
    const db = openPg({ url: server.url, tenant, role: "zeph_gateway" });
    opened.push(db);
    return db;
  };
  const db = openTenant("main");
  const queue = createTaskQueue(db, { bus });
  let submitted = 0;
  const isReady = async (name: string) => (await queue.workers()).some((one) => one.name === name && one.state === "ready");
  const left = async (ids: readonly string[]): Promise<number> =>
    (await db.patient.one("select count(*) as count from tasks where id = any (?::uuid[]) and state in ('queued', 'running')", ids))!.count;
  const countEffects = (ids: readonly string[]): Map<string, number> => {
    const wanted = new Set(ids);
    const counts = new Map<string, number>();
    for (const line of readLines(effects)) {
      const [task, step] = line.split(" ");
      if (wanted.has(task!)) counts.set(`${task} ${step}`, (counts.get(`${task} ${step}`) ?? 0) + 1);
    }
    return counts;
  };
  const fleet: StepFleet = {
    url: server.url,
    server,
    nats,
    db,
    queue,
    queueOf: (tenant) => createTaskQueue(openTenant(tenant), { bus }),
    async start(names, options = {}) {
      for (const name of names) {
        const config: StepWorkerConfig = {
          url: server.url,
          bus: busUrl,
          name,
          version: "1",
          slots: SLOTS,
          leaseMs,
          pollMs: 1000,
          labels: [],
          effects,
          log,
          isHeedless: false,
          ...options,
        };
        workers.set(name, spawn(process.execPath, [program, JSON.stringify(config)], { stdio: ["ignore", "ignore", "inherit"] }));
      }
      for (const name of names) while (!(await isReady(name))) await wait(20);
    },
    worker: (name) => workers.get(name)!,
    async end(name, signal) {
      const child = workers.get(name)!;
      workers.delete(name);
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill(signal);
      await gone;
    },
    async submit(count, steps, more = {}) {
      const batch = submitted++;
      const tasks = Array.from({ length: count }, (_, n) => ({
        key: `${batch}-${n}`,
        payload: { format: 1 as const, text: JSON.stringify(steps) },
        ...more,
      }));
      return (await queue.submit(tasks)).map(({ id }) => id);
    },
    left,
    async settle(ids) {
      while ((await left(ids)) > 0) await wait(20);
    },
    async account(ids) {
      const states = await db.all("select state, count(*) as count from tasks where id = any (?::uuid[]) group by state", ids);
      const calls = await db.all("select task || ' ' || call as key, state, outcome from calls where task = any (?::uuid[])", ids);
      const repeated = await db.one("select count(*) as count from tasks where id = any (?::uuid[]) and attempt > 1", ids);
      const counts = countEffects(ids);
      return {
        states: Object.fromEntries(states.map((row) => [row.state, row.count])),
        effects: counts.size,
        doubled: [...counts.values()].filter((count) => count > 1).length,
        unfounded: calls.filter((call) => call.state === "done" && call.outcome === "ok" && !counts.has(call.key)).length,
        unknown: calls.filter((call) => call.state === "unknown").length,
        repeated: repeated!.count,
      };
    },
    effectsOf: (ids) => countEffects(ids).size,
    log: () => readLines(log).map((line) => JSON.parse(line)),
    async stop() {
      for (const name of [...workers.keys()]) await fleet.end(name, "SIGKILL");
      await bus?.close();
      await Promise.all(opened.map((one) => one.close()));
      await nats?.stop();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
      rmSync(program, { force: true });
    },
  };
  return fleet;
}

const readLines = (file: string): readonly string[] => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);

/** Below the project, where packages are found. */
async function bundle(root: string, folder: string): Promise<string> {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const outfile = join(cache, `${folder.slice(folder.lastIndexOf("/") + 1)}.mjs`);
  await build({
    entryPoints: [join(root, "test/fleet/chaos/step-worker.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "warning",
  });
  return outfile;
}
