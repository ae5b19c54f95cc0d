import { expect, it, onTestFinished } from "vitest";
import { available, isRoot } from "../../sandbox/support.ts";
import { handsOver, holdMoments } from "./moments.ts";
import { startHolding } from "./partner.ts";
import { LANDLOCK_WALLS, LOOK, targetOf, WALLS, type WallsCase } from "./walls.ts";
import { BUBBLEWRAP_WAY, DRY_RUN_WAY, hasLandlock, LANDLOCK_WAY, WAYS, type Way } from "./ways.ts";
import { CANARY } from "./world.ts";

const rowsOf = (way: Way, cases: readonly WallsCase[]) =>
  cases.map((one) => [`${way.name}, while its walls are built: ${one.name}`, { one, way }] as const);
const rows = (needs: Way["needs"]) => WAYS.filter((way) => way.needs === needs).flatMap((way) => rowsOf(way, WALLS));

it.runIf(available).each(rows(undefined))("%s", (_, { one, way }) => race(one, way));
it.runIf(available && isRoot).each(rows("root"))("%s", (_, { one, way }) => race(one, way));
it.runIf(available).each(rowsOf(BUBBLEWRAP_WAY, WALLS))("%s", (_, { one, way }) => race(one, way));
it.runIf(available).each(rowsOf(DRY_RUN_WAY, WALLS))("%s", (_, { one, way }) => race(one, way));
it.runIf(available && hasLandlock).each(rowsOf(LANDLOCK_WAY, LANDLOCK_WALLS))("%s", (_, { one, way }) => race(one, way));

/** How often the partner may come too late on a busy machine. */
const TRIES = 30;

async function race(one: WallsCase, way: Way): Promise<void> {
  let did = "";
  for (let n = 0; n < TRIES && !did.includes("held"); n++) did = await raceOnce(one, way);
  expect(did).toContain("held");
}

/** The partner acts, and after that everything outside is as it was, and the command ran as it was judged or was refused in words. Returns what the partner did. */
async function raceOnce({ plant, before, during, named = targetOf, promise }: WallsCase, way: Way): Promise<string> {
  const world = way.makeWorld();
  onTestFinished(world.remove);
  const tools = plant(world);
  world.write("look.sh", LOOK);
  const run = await way.open(world, tools);
  expect((await run("echo RAN")).text).toContain("RAN");
  const partner = during && (await startHolding(world.work, during(world)));
  let acts = 0;
  const release = holdMoments(world.work, (moment) => {
    if (handsOver(moment, named(world)) && acts++ === 0) before?.(world);
  });
  const said = await run("bash look.sh").finally(release);
  const did = (await partner?.end()) ?? "held before the builder began";
  expect(acts, "Nobody was handed a line about it, so nothing was tried.").toBeGreaterThan(0);
  expect(world.damage()).toEqual([]);
  expect(said.text).not.toContain(CANARY);
  promise?.(world, said, did);
  // An editor tells no more than that what it started was killed.
  if (!said.text.includes("RAN")) expect(said.text).toMatch(said.ok ? /exit code [1-9]/ : /\w+ \w+ \w+/);
  return did;
}
