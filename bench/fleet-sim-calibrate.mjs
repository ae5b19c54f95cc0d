// Compares the simulation with real runs of the same tasks on one machine.
import { simulateFleet } from "./fleet-sim-fleet.mjs";
import { PARAMETERS, STATEMENTS, WORKLOADS } from "./fleet-sim-parameters.mjs";

/** How far the simulation may be from the median of the real runs. */
export const TOLERANCE = 0.25;

/**
 * A simulated run for each real one (fleet-sim-real.mjs): `seconds` of each with its `workers`, `slots`, `tasks` and `calls` on `cores` processors that
 * everything shares, the share of them that `others` used, and `workerMs` and `serverMs`, what workers and server computed for a task. `costs` (fleet-sim-measure.mjs) are the processor times
 * of statements and a write of the log.
 */
export function compareWithRuns({
  seconds,
  workers,
  slots,
  tasks,
  calls,
  toolMs,
  cores,
  others = [],
  workerMs = [],
  serverMs = [],
  costs = {},
}) {
  const workload = { ...WORKLOADS.steps, calls, toolMs, clientCallMs: 0 };
  const { atStart, beforeCall, afterCall, atEnd } = workload;
  // A take for each task: slots get free one by one.
  const asked = 1 + atStart.length + calls * (beforeCall.length + afterCall.length) + atEnd.length;
  const statements = withCosts(costs.statements);
  const kinds = [...atStart, ...Array.from({ length: calls }, () => [...beforeCall, ...afterCall]).flat(), ...atEnd];
  const alone = statements.take.ms + statements.take.each + kinds.reduce((sum, kind) => sum + statements[kind].ms, 0);
  const runs = seconds.map((_, n) => {
    // A statement costs more beside others than alone.
    const beside = serverMs[n] === undefined ? 1 : Math.max(1, serverMs[n] / alone);
    // Processors that others use are slower for us.
    const slower = 1 / (1 - Math.min(0.9, others[n] ?? 0));
    const clientMs = workerMs[n] === undefined ? (costs.clientMs ?? PARAMETERS.clientMs) : workerMs[n] / asked;
    return simulateFleet({
      ...PARAMETERS,
      seed: n + 1,
      workers,
      slots,
      pool: slots + 2,
      machines: "shared",
      workload,
      statements: Object.fromEntries(Object.entries(statements).map(([kind, cost]) => [kind, scaled(cost, slower * beside)])),
      clientMs: clientMs * slower,
      database: { ...PARAMETERS.database, cores, tripMs: 0.05, flushMs: costs.flushMs ?? PARAMETERS.database.flushMs },
      load: { tasks },
    });
  });
  const simulated = median(runs.map((run) => run.seconds));
  const real = median(seconds);
  const off = simulated / real - 1;
  return {
    simulated,
    real,
    off,
    holds: Math.abs(off) <= TOLERANCE,
    cores: median(runs.map(({ shares }) => shares.cores)),
    each: runs.map((run) => run.seconds),
  };
}

const scaled = ({ bytes, ...times }, factor) => ({
  bytes,
  ...Object.fromEntries(Object.entries(times).map(([key, ms]) => [key, ms * factor])),
});

/** What was not measured stays as it is assumed. */
export const withCosts = (measured = {}) =>
  Object.fromEntries(Object.entries(STATEMENTS).map(([kind, assumed]) => [kind, { ...assumed, ...measured[kind] }]));

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
