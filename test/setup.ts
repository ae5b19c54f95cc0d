import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, vi } from "vitest";
import { effort } from "./effort.ts";

// The same examples every time, so that a change is judged by what it changed. SEED=2 looks elsewhere, EFFORT=10 longer.
fc.configureGlobal({ seed: Number(process.env.SEED ?? 1), numRuns: effort(100) });

// A worker has a temporary folder of its own: an answer is kept only while the folders above a file rest.
const own = join(process.env.RUN_TMPDIR ?? tmpdir(), `w${process.env.VITEST_POOL_ID ?? 0}`);
mkdirSync(own, { recursive: true, mode: 0o755 });
process.env.TMPDIR = own;

// A worker is ended by a signal, and what Zeph keeps for as long as its process lives is cleared when a process exits.
const ENDING = Symbol.for("zeph tests: this worker clears up when it is ended");
if (!Reflect.has(globalThis, ENDING)) {
  Reflect.set(globalThis, ENDING, true);
  process.on("SIGTERM", () => process.exit());
}

// Node says it once and goes on; whoever gathers listeners must not.
const refuseGathering = (warning: Error) => {
  if (warning.name === "MaxListenersExceededWarning") throw warning;
};
process.on("warning", refuseGathering);

/** From here on what nobody needs any more is worth looking for: see test/worker-pool.ts. */
const LARGE_HEAP = 200 * 1024 * 1024;

// Files of one worker share a process. What a file changed of it is put back for the next one.
const environment = { ...process.env };
const folder = process.cwd();
afterAll(() => {
  process.off("warning", refuseGathering);
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  if (process.cwd() !== folder) process.chdir(folder);
  for (const name of Object.keys(process.env)) if (environment[name] === undefined) delete process.env[name];
  Object.assign(process.env, environment);
  if (process.memoryUsage().heapTotal > LARGE_HEAP) globalThis.gc?.();
});
