import { describe, expect, it } from "vitest";
import { createClock, createLog, createRandom, createServers } from "../bench/fleet-sim-engine.mjs";
import { simulateFleet } from "../bench/fleet-sim-fleet.mjs";
import { PARAMETERS, WORKLOADS } from "../bench/fleet-sim-parameters.mjs";

const batch = (change: Record<string, unknown>) =>
  simulateFleet({ ...PARAMETERS, workers: 3, workload: WORKLOADS.steps, load: { tasks: 500 }, ...change });
const sessions = (change: Record<string, unknown>) =>
  simulateFleet({ ...PARAMETERS, workers: 10, load: { sessions: 600, everyMs: 600_000, seconds: 3000, warmSeconds: 100 }, ...change });

describe("the simulated fleet", () => {
  it("is the same for the same seed, and another for another", () => {
    expect(batch({ seed: 7 })).toEqual(batch({ seed: 7 }));
    expect(batch({ seed: 8 }).seconds).not.toBe(batch({ seed: 7 }).seconds);
  });

  it("loses no task and makes none up", () => {
    const whole = batch({});
    expect(whole).toMatchObject({ submitted: 500, taken: 500, done: 500, waiting: 0, running: 0 });
    const part = sessions({ load: { sessions: 6000, everyMs: 600_000, seconds: 60, warmSeconds: 0 } });
    expect(part.submitted).toBe(part.taken + part.waiting);
    expect(part.taken).toBeGreaterThan(0);
  });

  it("keeps Little's law: those who wait are arrivals times waiting", () => {
    const whole = batch({});
    expect(whole.depth.mean * whole.seconds * 1000).toBeCloseTo(whole.waitedMs, 0);
    const busy = sessions({ load: { sessions: 950, everyMs: 600_000, seconds: 5000, warmSeconds: 500 } });
    expect(busy.depth.mean / ((busy.taken / busy.seconds) * (busy.wait.mean / 1000))).toBeCloseTo(1, 1);
  });

  it("gets no slower by more workers until the database is full, and no faster after that", () => {
    const [one, two, four, eight] = [1, 2, 4, 8].map((workers) => batch({ workers }).doneRate);
    expect([one! < two!, two! < four!, four! < eight!]).toEqual([true, true, true]);
    const small = { ...PARAMETERS.database, cores: 1 };
    const [many, more] = [16, 64].map((workers) => batch({ workers, database: small }));
    expect(more!.doneRate / many!.doneRate).toBeLessThan(1.1);
    expect(many!.shares.cores).toBeGreaterThan(0.9);
    expect(more!.shares.cores).toBeLessThanOrEqual(1);
  });

  it("never runs more than its slots, or than a limit allows", () => {
    expect(batch({ workers: 2, slots: 4 }).most).toBe(8);
    expect(batch({ limit: 4 }).most).toBe(4);
    expect(batch({ limit: 4 }).done).toBe(500);
  });

  it("costs commits for what it does, and a standby makes each of them longer", () => {
    const plain = batch({});
    expect(plain.commits).toBeGreaterThanOrEqual(500 * (2 * 3 + 2));
    expect(plain.commits).toBeLessThan(500 * (2 * 3 + 3) + 100);
    const standby = batch({ database: { ...PARAMETERS.database, standbyMs: 5 } });
    expect(standby.writes.p50 - plain.writes.p50).toBeCloseTo(5, 0);
    const unflushed = batch({ database: { ...PARAMETERS.database, unflushed: Object.keys(PARAMETERS.statements) } });
    expect(unflushed.writes.p50).toBeLessThan(plain.writes.p50);
  });

  it("begins as it goes on: as many turns end as are wanted", () => {
    const load = { sessions: 60_000, everyMs: 600_000, seconds: 4, warmSeconds: 1 };
    const rates = [1, 2, 3, 4].map((seed) => sessions({ seed, workers: 100, slots: 64, wake: "one", load }).doneRate);
    expect(rates.reduce((sum, one) => sum + one) / rates.length / 100).toBeCloseTo(1, 0.8);
  });

  it("looks in vain less often when a hint wakes one worker and not all", () => {
    const load = { sessions: 3000, everyMs: 600_000, seconds: 100, warmSeconds: 20 };
    const [all, one] = ["all", "one"].map((wake) => sessions({ workers: 50, wake, load }).emptyRate);
    expect(all! / one!).toBeGreaterThan(2);
  });
});

describe("the parts of the simulation", () => {
  it("let wait before one server as long as theory says", () => {
    const clock = createClock();
    const random = createRandom(3);
    const server = createServers(clock, 1);
    let [count, waited] = [0, 0];
    const arrive = () => {
      const at = clock.now;
      server.use(
        () => {
          count++;
          waited += clock.now - at;
          return random.exponential(1);
        },
        () => {},
      );
      if (count < 200_000) clock.in(random.exponential(1 / 0.7), arrive);
    };
    arrive();
    clock.run();
    // M/M/1: ρ / (μ - λ).
    expect(waited / count).toBeCloseTo(0.7 / 0.3, 0);
  });

  it("share one write of the log among all who wait for it", () => {
    const clock = createClock();
    const log = createLog(clock, () => 10, { bytesMs: 0, standbyMs: 0 });
    const ends: number[] = [];
    for (const at of [0, 1, 2, 9]) clock.in(at, () => log.commit(1, () => ends.push(clock.now)));
    clock.run();
    expect(ends).toEqual([10, 20, 20, 20]);
    expect(log).toMatchObject({ commits: 4, flushes: 2 });
  });
});
