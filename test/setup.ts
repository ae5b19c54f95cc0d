import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, vi } from "vitest";

// The same examples every time, so that a change is judged by what it changed. SEED=2 looks elsewhere.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1) });

// Each worker has a temporary folder of its own: a cached result is valid only while the folders above its file do not change.
const own = join(process.env.RUN_TMPDIR ?? tmpdir(), `w${process.env.VITEST_POOL_ID ?? 0}`);
mkdirSync(own, { recursive: true, mode: 0o755 });
process.env.TMPDIR = own;

// WALLS_BUILDER=bwrap tries the walls as they are where Zeph's own builder cannot run.
if (process.env.WALLS_BUILDER === "bwrap") {
  const { limitBuilders } = await import("../src/host/sandbox/probe.ts");
  limitBuilders(["system", "shipped"]);
}

// A worker is ended by a signal. What Zeph keeps for the life of its process is removed when the process exits.
const EXITS_ON_SIGTERM = Symbol.for("zeph tests: this worker exits on SIGTERM");
if (!Reflect.has(globalThis, EXITS_ON_SIGTERM)) {
  Reflect.set(globalThis, EXITS_ON_SIGTERM, true);
  process.on("SIGTERM", () => process.exit());
}

// Node prints this warning once and goes on. In a test it is a leak of listeners.
const failOnListenerLeak = (warning: Error) => {
  if (warning.name === "MaxListenersExceededWarning") throw warning;
};
process.on("warning", failOnListenerLeak);

/**
 * Starting a process costs 8 ms of processor time for each 200 MB of the one that starts it, so garbage is collected before the next file.
 * A collection costs 100 ms for what it keeps, so it has to be worth it.
 */
const MUCH_GARBAGE = 100 * 1024 * 1024;
const KEPT = Symbol.for("zeph tests: what was in use after the last collection");

// Files of one worker share a process. Restore for the next file what this one changed.
const environment = { ...process.env };
const folder = process.cwd();
afterAll(() => {
  process.off("warning", failOnListenerLeak);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  if (process.cwd() !== folder) process.chdir(folder);
  for (const name of Object.keys(process.env)) if (environment[name] === undefined) delete process.env[name];
  Object.assign(process.env, environment);
  if (process.memoryUsage().heapUsed > Number(Reflect.get(globalThis, KEPT) ?? 0) + MUCH_GARBAGE) {
    globalThis.gc?.();
    Reflect.set(globalThis, KEPT, process.memoryUsage().heapUsed);
  }
});
