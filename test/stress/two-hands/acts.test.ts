import { expect, it, onTestFinished } from "vitest";
import { available } from "../../sandbox/support.ts";
import { fits, HANDS, HOST_ACTS, tryAct } from "./acts.ts";
import { makeWorld } from "./world.ts";

/** Of the moments of one act so many are tried, spread evenly over all. `npm run stress` tries each, and the plainest hand is tried at each always. */
const MOMENTS = process.env.ROUNDS === undefined ? 6 : Number.POSITIVE_INFINITY;
const PLAINEST = HANDS[0];

const TABLE = HOST_ACTS.flatMap((act) => HANDS.filter((hand) => fits(act, hand)).map((hand) => [act.name, hand.name, act, hand] as const));

it.runIf(available).each(TABLE)("%s: a partner who %s at any moment reaches nothing outside", async (_, __, act, hand) => {
  const world = makeWorld();
  onTestFinished(world.remove);
  const run = await act.open(world);
  const alone = await tryAct(world, act, run, { name: "does nothing", steps: [] }, 0);
  expect(alone.broken).toEqual([]);
  expect(alone.said).toMatchObject({ ok: true });
  expect(alone.moments).toBeGreaterThan(0);
  const step = hand === PLAINEST ? 1 : Math.max(1, alone.moments / MOMENTS);
  const broken: string[] = [];
  for (let at = 0; at < alone.moments; at += step) {
    const moment = Math.floor(at);
    const trial = await tryAct(world, act, run, hand, moment);
    broken.push(...trial.broken.map((what) => `at moment ${moment} of ${alone.moments}: ${what}`));
    if (broken.length > 0) break;
  }
  expect(broken).toEqual([]);
  const after = await tryAct(world, act, run, { name: "does nothing", steps: [] }, 0);
  expect(after.said, "The partner is gone, and the act is no longer what it was.").toMatchObject({ ok: true });
});
