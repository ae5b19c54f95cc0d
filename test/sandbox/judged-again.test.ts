import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runWalled } from "../../src/entry/sandbox.ts";
import { createGitFacts } from "../../src/host/protected/git-changes.ts";
import { limitBuilders } from "../../src/host/sandbox/probe.ts";
import { holdMoments } from "../stress/two-hands/moments.ts";
import { WAYS, type Way } from "../stress/two-hands/ways.ts";
import { makeWorld, plantRepository, type World } from "../stress/two-hands/world.ts";
import { available, BUILDERS, isRoot, policyIn, wallsFor } from "./support.ts";

const NAMES = { target: "target-with-a-long-name", other: "other" };

/** Whenever a builder gets a line about the workspace, `target` and `other` are exchanged first, `most` times. Returns how many lines there were. */
function exchanging({ work }: World, most: number): { lines(): number } {
  let lines = 0;
  const [target, other] = [join(work, NAMES.target), join(work, NAMES.other)];
  const stop = holdMoments(work, ({ what }) => {
    if (!/^(?:start|words) /.test(what) || !what.includes(`${NAMES.target}/.git`)) return;
    if (lines++ >= most) return;
    renameSync(target, `${target}.away`);
    renameSync(other, target);
    renameSync(`${target}.away`, other);
  });
  onTestFinished(stop);
  return { lines: () => lines };
}

function plant(world: World): void {
  for (const name of Object.values(NAMES)) plantRepository(world, name);
}

const builders = (names: Parameters<typeof limitBuilders>[0]) => {
  limitBuilders(names);
  onTestFinished(() => limitBuilders(process.env.WALLS_BUILDER === "bwrap" ? BUILDERS[1]![1] : ["own", "system", "shipped"]));
};

const TABLE = BUILDERS.flatMap(([which, names]) => WAYS.map((way) => [way.name, which, names, way] as const));
const rows = (needs: Way["needs"]) => TABLE.filter(([, , , way]) => way.needs === needs);

async function run(names: Parameters<typeof limitBuilders>[0], way: Way, most: number) {
  builders(names);
  const world = way.makeWorld();
  onTestFinished(world.remove);
  plant(world);
  const start = await way.open(world, {});
  expect((await start("echo RAN")).text).toContain("RAN");
  const partner = exchanging(world, most);
  const { text } = await start("echo RAN");
  return { text, lines: partner.lines() };
}

test.runIf(available).each(rows(undefined))("%s is judged again when a folder was exchanged: %s", async (_name, _which, names, way) => {
  expect(await run(names, way, 1)).toEqual({ text: expect.stringContaining("RAN"), lines: 2 });
});
test.runIf(available).each(rows(undefined))("%s is judged again when a folder went away: %s", async (_name, _which, names, way) => {
  builders(names);
  const world = way.makeWorld();
  onTestFinished(world.remove);
  plant(world);
  const start = await way.open(world, {});
  expect((await start("echo RAN")).text).toContain("RAN");
  const target = join(world.work, NAMES.target);
  let isGone = false;
  const stop = holdMoments(world.work, ({ what }) => {
    if (isGone || !/^(?:start|words) /.test(what) || !what.includes(`${NAMES.target}/.git`)) return;
    isGone = true;
    renameSync(target, join(world.base, "away"));
  });
  onTestFinished(stop);
  expect([(await start("echo RAN")).text, isGone]).toEqual([expect.stringContaining("RAN"), true]);
});
test.runIf(available && isRoot).each(rows("root"))(
  "%s is judged again when a folder was exchanged: %s",
  async (_name, _which, names, way) => {
    expect(await run(names, way, 1)).toEqual({ text: expect.stringContaining("RAN"), lines: 2 });
  },
);
test.runIf(available).each(rows(undefined))("%s is refused when it is exchanged every time: %s", async (_name, _which, names, way) => {
  const { text, lines } = await run(names, way, 1000);
  expect(text).toMatch(/was exchanged 5 times while the walls were built, so nothing was started/);
  expect(lines).toBe(5);
});

test.runIf(available).each(BUILDERS)("a command of a program that embeds Zeph is judged again: %s", async (_which, names) => {
  builders(names);
  const world = makeWorld();
  onTestFinished(world.remove);
  plant(world);
  const partner = exchanging(world, 1);
  expect((await runWalled("echo RAN", { cwd: world.work, write: [world.work] })).stdout).toBe("RAN\n");
  expect(partner.lines()).toBeGreaterThan(1);
});

test.runIf(available).each(BUILDERS)("what git is asked is judged again: %s", async (_which, names) => {
  const world = makeWorld();
  onTestFinished(world.remove);
  execFileSync("git", ["-C", world.work, "init", "-q"]);
  execFileSync("git", ["-C", world.work, "config", "alias.x", "status --short"]);
  mkdirSync(join(world.work, "d"));
  mkdirSync(join(world.work, "e"));
  const me = { home: world.home, user: undefined };
  const policy = policyIn(world.work, me);
  const sandbox = await wallsFor(policy, { ...me, template: world.work } as unknown as Parameters<typeof wallsFor>[1], names);
  let judged = 0;
  const facts = createGitFacts({
    rules: { canonical: (path: string) => path, exists: () => true, cwd: world.work } as unknown as Parameters<
      typeof createGitFacts
    >[0]["rules"],
    sandbox: async () => sandbox,
    policy: async () => {
      judged++;
      return { ...policy, hidden: { places: [{ path: join(world.work, "d"), kind: "folder" }], unfinished: null } };
    },
    user: undefined,
  });
  let lines = 0;
  const stop = holdMoments(world.work, ({ what }) => {
    if (!/^(?:start|words) /.test(what) || !what.includes("alias.x") || lines++ > 0) return;
    renameSync(world.work, `${world.work}.away`);
    execFileSync("cp", ["-a", `${world.work}.away`, world.work]);
  });
  onTestFinished(stop);
  expect(await facts.alias({ cwd: world.work, options: [] }, "x")).toBe("status --short");
  expect([lines, judged]).toEqual([2, 2]);
});
