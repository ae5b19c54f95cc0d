import { expect, it, onTestFinished } from "vitest";
import { available } from "../../sandbox/support.ts";
import { handsOver, holdMoments } from "./moments.ts";
import { startHolding } from "./partner.ts";
import { LOOK, targetOf, WALLS } from "./walls.ts";
import { CANARY, makeWorld, type Opened, type Said, type World } from "./world.ts";

it.runIf(available).each(WALLS)("bash, and $name while its walls are built", async (one) => {
  const { world, opened } = await place(one);
  await opened.bash("true");
  await race(one, world, () => opened.bash("bash look.sh"));
});

async function place({ plant }: (typeof WALLS)[number]): Promise<{ world: World; opened: Opened }> {
  const world = makeWorld();
  onTestFinished(world.remove);
  const tools = plant(world);
  world.write("look.sh", LOOK);
  return { world, opened: await world.open({ tools }) };
}

/** The partner acts, and after that everything outside is as it was, and the command ran as it was judged or was refused in words. */
async function race({ before, during, named = targetOf, promise }: (typeof WALLS)[number], world: World, run: () => Promise<Said>): Promise<void> {
  const partner = during && (await startHolding(world.work, during(world)));
  let acts = 0;
  const release = holdMoments(world.work, (moment) => {
    if (handsOver(moment, named(world)) && acts++ === 0) before?.(world);
  });
  const said = await run().finally(release);
  const did = await partner?.end();
  if (process.env.SCORES) console.log(did, acts, said.text.slice(0, 3000));
  expect(acts, "Nobody was handed a line about it, so nothing was tried.").toBeGreaterThan(0);
  expect(world.damage()).toEqual([]);
  expect(said.text).not.toContain(CANARY);
  promise?.(world, said);
  if (!said.text.includes("RAN")) expect([said.ok, said.text]).toEqual([false, expect.stringMatching(/\w+ \w+ \w+/)]);
}
