// Compares the simulation with real runs of the same tasks on one machine.
import { simulateFleet } from "./fleet-sim-fleet.mjs";
import { PARAMETERS, STATEMENTS, WORKLOADS } from "./fleet-sim-parameters.mjs";

/** How far the simulation may be from the median of the real runs. */
export const TOLERANCE = 0.25;

/**
 * What was measured: `seconds` of each real run with its `workers`, `slots`, `tasks` and `calls` on `cores` processors that everything shares, and `costs`
 * (`npm run bench:fleet-sim -- --measure`): processor time of each statement on the server (`statements`) and on the worker (`clientMs`), and a write of the log (`flushMs`).
 */
export function compareWithRuns({
  seconds,
  workers = 3,
  slots = 8,
  tasks = 1000,
  calls = 3,
  cores = 2,
  toolMs = WORKLOADS.steps.toolMs,
  costs = {},
}) {
  const runs = Array.from({ length: 5 }, (_, n) =>
    simulateFleet({
      ...PARAMETERS,
      seed: n + 1,
      workers,
      slots,
      pool: slots + 2,
      machines: "shared",
      workload: { ...WORKLOADS.steps, calls, toolMs },
      statements: { ...STATEMENTS, ...costs.statements },
      clientMs: costs.clientMs ?? PARAMETERS.clientMs,
      database: { ...PARAMETERS.database, cores, tripMs: 0.05, flushMs: costs.flushMs ?? PARAMETERS.database.flushMs },
      load: { tasks },
    }),
  );
  const simulated = median(runs.map((run) => run.seconds));
  const real = median(seconds);
  const off = simulated / real - 1;
  return { simulated, real, off, holds: Math.abs(off) <= TOLERANCE, cores: median(runs.map(({ shares }) => shares.cores)) };
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
