import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Account, type BusKind, LEASE_MS, type StepFleet, startStepFleet } from "./step-fleet.ts";

export const WORKERS = ["w1", "w2", "w3"];

/** What a scenario measured. `ms` is what its table calls recovery. */
export interface Facts extends Partial<Account> {
  readonly ms?: number;
}

/** A failure that is provoked: the name is a sentence. */
export interface Scenario {
  readonly name: string;
  /** Where it is left out, that bus has nothing to do with it. */
  readonly buses?: readonly BusKind[];
  run(fleet: StepFleet): Promise<Facts>;
}

/** `npm run test:fleet -- --rounds 20` sets both. */
const ROUNDS = Number(process.env.ROUNDS ?? 1);
const { FLEET_TABLE } = process.env;

/** One fleet, all scenarios, as often as there are rounds. */
export function describeChaos(bus: BusKind, scenarios: readonly Scenario[]): void {
  describe(`three workers, hints by ${bus}`, () => {
    let fleet: StepFleet;
    beforeAll(async () => {
      fleet = await startStepFleet(bus);
      await fleet.start(WORKERS);
      // From then on they may reap.
      await wait(LEASE_MS * 1.3);
    });
    afterAll(() => fleet?.stop());
    for (let round = 1; round <= ROUNDS; round++)
      for (const { name, buses, run } of scenarios)
        if (!buses || buses.includes(bus))
          it(ROUNDS === 1 ? name : `${name} (round ${round})`, async () => {
            const facts = await run(fleet);
            if (FLEET_TABLE) appendFileSync(FLEET_TABLE, `${JSON.stringify({ scenario: name, bus, round, ...facts })}\n`);
          });
  });
}

/** Nothing twice, and nothing recorded that did not happen. */
export function expectSound({ doubled, unfounded }: Account): void {
  expect({ doubled, unfounded }).toEqual({ doubled: 0, unfounded: 0 });
}

export const runningOn = async ({ db }: StepFleet, worker: string): Promise<string[]> =>
  (await db.patient.all("select id from tasks where holder = ? and state = 'running'", worker)).map((row) => row.id);

/** Waits until the worker is in the middle of a call of so many tasks. */
export async function untilBusy({ db }: StepFleet, worker: string, tasks = 1): Promise<void> {
  for (;;) {
    const row = await db.patient.one(
      "select count(distinct t.id) as count from tasks t join calls c on c.task = t.id and c.state = 'intent' where t.holder = ? and t.state = 'running'",
      worker,
    );
    if (row!.count >= tasks) return;
    if ((await db.patient.all("select 1 from tasks where state in ('queued', 'running') limit 1")).length === 0)
      throw new Error(`Everything is done, and ${worker} was never seen in the middle of ${tasks} tasks.`);
    await wait(5);
  }
}

export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await wait(10);
}

export const since = (start: number): number => Math.round(performance.now() - start);
