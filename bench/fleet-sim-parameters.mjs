// What the simulation assumes. Times are milliseconds. `fleet-sim.mjs` prints the assumptions before any result.

/**
 * What a statement costs the server's processors, and what it writes to the log: measured (`--measure`, PostgreSQL 15 on a 2-core machine), but for `skippedMs`
 * and `ship`, which are guessed. A take that finds nothing, or a reap, writes nothing and waits for nothing.
 */
export const STATEMENTS = {
  take: { ms: 1.06, each: 0.106, emptyMs: 0.7, skippedMs: 0.005, bytes: 1113 },
  journal: { ms: 0.234, bytes: 0 },
  inbox: { ms: 0.481, bytes: 1019 },
  intent: { ms: 0.366, bytes: 375 },
  done: { ms: 0.225, bytes: 292 },
  append: { ms: 0.602, bytes: 3760 },
  overflow: { ms: 0.611, bytes: 7724 },
  snapshot: { ms: 0.323, bytes: 475 },
  finish: { ms: 0.887, bytes: 854 },
  submit: { ms: 1.6, bytes: 1462 },
  beat: { ms: 0.629, each: 0.008, bytes: 2598 },
  reap: { ms: 0.191, bytes: 0 },
  notify: { ms: 0.087, bytes: 40 },
  ship: { ms: 1, bytes: 20_000 },
};

/** What a task does: `atStart`, then for each call the model's time, `beforeCall`, the tool's time and `afterCall`, then `atEnd`. A share is how often a statement is needed. */
export const WORKLOADS = {
  /** The tasks of `npm run bench:fleet`: no model, no conversation, a line in a file for each call. PostgreSQL is the bus. */
  steps: {
    calls: 3,
    modelMs: 0,
    toolMs: 5,
    atStart: ["journal"],
    beforeCall: ["intent"],
    afterCall: ["done"],
    atEnd: ["finish", "notify"],
    clientCallMs: 0.1,
  },
  /** A turn of an agent. */
  turn: {
    calls: 10,
    modelMs: 4000,
    toolMs: 300,
    atStart: ["journal", "inbox"],
    beforeCall: ["append", "intent"],
    afterCall: ["done", "append", ["overflow", 0.3]],
    atEnd: ["append", "snapshot", "finish"],
    clientCallMs: 3,
  },
};

export const PARAMETERS = {
  seed: 1,
  workers: 100,
  slots: 8,
  /** Connections that one worker uses at most. */
  pool: 10,
  leaseMs: 15_000,
  pollMs: 1000,
  /** Tasks at most in one take. */
  takeMost: 8,
  /** Who looks for tasks when a hint comes: `all` workers with a free slot, or `one` of them. */
  wake: "all",
  hintMs: 1,
  /** At most so many tasks at once, on all workers together; 0 is no limit. */
  limit: 0,
  database: {
    cores: 16,
    /** Statements that are under way at a time, the server's own limit or a pooler's. */
    connections: 400,
    flushMs: 0.5,
    /** What the disk of the log takes, in megabytes a second. */
    logMbps: 300,
    /** There and back between a worker and the database. */
    tripMs: 0.5,
    /** What a commit waits for a standby; 0 is none. */
    standbyMs: 0,
    /** Statements whose end does not wait for the log. */
    unflushed: [],
  },
  /** `own`: each worker has a machine. `shared`: workers run on the database's processors, as in the measured runs. */
  machines: "own",
  /** What a statement costs the worker's thread. */
  clientMs: 0.35,
  statements: STATEMENTS,
  workload: WORKLOADS.turn,
  /** Either `tasks`, all there at the beginning and the end comes with the last one; or `sessions` that each begin a turn every `everyMs` on average, watched for `seconds` after `warmSeconds`. */
  load: { sessions: 100_000, everyMs: 600_000, seconds: 60, warmSeconds: 20 },
};

export const ASSUMPTIONS = [
  "Paper: no fleet of this size was run. Costs of statements are processor times that were measured on one machine; all else is below.",
  "The database is one line before its processors, first come first served, then a log with one write to the disk at a time that all waiting commits share. A write takes `flushMs` and the time for its bytes.",
  "Costs are scattered: never below half of the mean, with an exponential tail. Waiting for a model is log-normal. Arrivals are Poisson.",
  "Rows that another take has locked are stepped over at a price each; the row of a limit is waited for. Other locks, checkpoints, vacuum, bloat and cache misses cost nothing here; they do in life.",
  "A worker is one thread with its own pool of connections. The bus is NATS, which loses nothing and is never busy; with PostgreSQL's notifications each hint is one more commit.",
  "Nothing fails: no crash, no takeover, no second attempt.",
  "Partitions share the load evenly. A message to a session that is busy waits in its inbox and becomes one more turn.",
];
