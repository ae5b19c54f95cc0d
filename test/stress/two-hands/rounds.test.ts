import { copyFileSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, it } from "vitest";
import { available } from "../../sandbox/support.ts";
import { fits, HANDS, HOST_ACTS, tryAct } from "./acts.ts";
import { type Act, PARTNER, swappingLine } from "./partner.ts";
import { LOOK } from "./walls.ts";
import { CANARY, makeWorld, type Opened, plantRepository, type World } from "./world.ts";

/** In all, over everything below. `npm run stress` makes 20,000 of them, however long they take. */
const ROUNDS = Number(process.env.ROUNDS ?? 500);
const MOST_MS = process.env.ROUNDS === undefined ? 60_000 : Number.POSITIVE_INFINITY;
/** A world is made anew after so many rounds: what was planted in it wears out. */
const ROUNDS_OF_A_WORLD = 50;
const SEED = Number(process.env.SEED ?? 1);

/** A background command of the session, behind its own walls, that changes names as fast as it can while others are run. */
interface Duel {
  readonly name: string;
  readonly tools?: object;
  plant?(world: World): void;
  readonly acts: (world: World) => readonly Act[];
  /** Run once, when the partner is at it. */
  readonly first?: string;
  readonly command: string;
  readonly by?: "exec";
}

const pathToHome = ({ work, home }: World) => relative(work, home);
const JUDGED = "judged\n";

const DUELS: readonly Duel[] = [
  {
    name: "a bare repository for a link to the home",
    plant: (world) => symlinkSync(pathToHome(world), join(world.work, "lnk")),
    acts: () => [["exchange", "target", "lnk"]],
    first: "for i in 1 2 3 4 5 6 7 8; do git init -q --bare target && break; done; true",
    command: "bash look.sh",
  },
  {
    name: "a folder with a .git for a link to one of the person's",
    plant(world) {
      plantRepository(world, "target");
      symlinkSync(`${pathToHome(world)}/repo`, join(world.work, "lnk"));
    },
    acts: () => [["exchange", "target", "lnk"]],
    command: "bash look.sh",
  },
  {
    name: "a folder with a .git for a link to the home as the builder sees it",
    plant(world) {
      plantRepository(world, "target");
      symlinkSync(`/oldroot${world.home}`, join(world.work, "lnk"));
    },
    acts: () => [["exchange", "target", "lnk"]],
    command: "bash look.sh",
  },
  {
    name: "a folder with hidden and frozen files for another",
    tools: { file: { deny_read: ["**/.env"] } },
    plant(world) {
      world.write("target/.env", `${CANARY}\n`);
      world.write("target/.vscode/tasks.json", JUDGED);
      world.write("other/x", "");
    },
    acts: () => [["exchange", "target", "other"]],
    command: "bash look.sh",
  },
  {
    name: "the same by names in turn",
    tools: { file: { deny_read: ["**/.env"] } },
    plant(world) {
      world.write("target/.env", `${CANARY}\n`);
      world.write("target/.vscode/tasks.json", JUDGED);
      world.write("other/x", "");
      world.write("moved/x", "");
    },
    acts: () => [
      ["exchange", "target", "other"],
      ["exchange", "target", "moved"],
      ["exchange", "other", "moved"],
    ],
    command: "bash look.sh",
  },
  {
    name: "what another agent's command left for a link to the home",
    by: "exec",
    plant: (world) => symlinkSync(pathToHome(world), join(world.work, "lnk")),
    acts: () => [["exchange", "target", "lnk"]],
    first: "mkdir target",
    command:
      "for i in 1 2 3 4 5 6 7 8 9; do mkdir -p target/.cl*ude && echo '{}' > target/.claude/settings.json && break; mkdir -p target/.claude; done 2>/dev/null; echo RAN",
  },
];

it.runIf(available)(
  `up to ${ROUNDS} random rounds against a partner reach nothing outside`,
  async () => {
    const random = createRandom(SEED);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
    const over = performance.now() + MOST_MS;
    const ran = new Map<string, number>();
    let round = 0;
    while (round < ROUNDS && performance.now() < over) {
      const most = Math.min(ROUNDS_OF_A_WORLD, ROUNDS - round, Math.ceil(ROUNDS / 16));
      const seed = Math.floor(random() * 2 ** 31);
      const describe = (what: string) => `SEED=${SEED}, round ${round}, ${what}`;
      if (random() < 0.6) {
        const duel = pick(DUELS);
        ran.set(duel.name, ran.get(duel.name) ?? 0);
        round += await fight(
          duel,
          seed,
          pick([30, 100, 500, 2000]),
          most,
          over,
          (name) => describe(name),
          (name) => ran.set(name, (ran.get(name) ?? 0) + 1),
        );
      } else {
        const act = pick(HOST_ACTS);
        round += await tryMoments(act, pick, random, most, over, describe);
      }
    }
    if (process.env.SCORES) console.log(`${round} rounds; commands that ran: ${JSON.stringify([...ran])}`);
    // The rounds say something only where commands ran at all.
    for (const [name, count] of ran) expect(count, name).toBeGreaterThan(0);
  },
  3_600_000 * 12,
);

async function fight(
  duel: Duel,
  seed: number,
  gapUs: number,
  most: number,
  over: number,
  describe: (what: string) => string,
  onRan: (name: string) => void,
): Promise<number> {
  const world = makeWorld();
  try {
    duel.plant?.(world);
    world.write("look.sh", LOOK);
    copyFileSync(PARTNER, join(world.work, "partner.pl"));
    const opened = await world.open({ ...(duel.tools && { tools: duel.tools }) });
    const partner = await opened.bash(swappingLine("partner.pl", seed, gapUs, 1500, duel.acts(world)), { background: true });
    expect(partner.ok, partner.text).toBe(true);
    if (duel.first) await opened.bash(duel.first);
    let round = 0;
    for (; round < most && performance.now() < over; round++) {
      const said = await runCommand(opened, duel);
      const broken = [
        ...world.damage(),
        ...(said.includes(CANARY) ? ["something hidden was shown"] : []),
        ...(readFrozen(world) === JUDGED ? [] : ["a frozen file was changed"]),
      ];
      expect(broken, describe(`${duel.name}, the ${round + 1}. command, pauses of ${gapUs} us`)).toEqual([]);
      if (said.includes("RAN")) onRan(duel.name);
    }
    world.write("stop", "");
    return round;
  } finally {
    await world.remove();
  }
}

const runCommand = async (opened: Opened, { by, command }: Duel): Promise<string> =>
  (await (by === "exec" ? opened.exec(command) : opened.bash(command))).text;

/** What the one frozen file says, wherever it is now; as it was where there is none. */
function readFrozen({ work }: World): string {
  for (let tries = 0; tries < 20; tries++)
    for (const name of readdirSync(work))
      try {
        return readFileSync(join(work, name, ".vscode/tasks.json"), "utf8");
      } catch {
        // It is elsewhere, or on its way.
      }
  return JUDGED;
}

async function tryMoments(
  act: (typeof HOST_ACTS)[number],
  pick: <T>(list: readonly T[]) => T,
  random: () => number,
  most: number,
  over: number,
  describe: (what: string) => string,
): Promise<number> {
  const world = makeWorld();
  try {
    const start = await act.open(world);
    let moments = (await tryAct(world, act, start, { name: "does nothing", steps: [] }, 0)).moments;
    let round = 0;
    for (; round < most && performance.now() < over; round++) {
      const hand = pick(HANDS.filter((one) => fits(act, one)));
      const moment = Math.floor(random() * moments);
      const trial = await tryAct(world, act, start, hand, moment);
      expect(trial.broken, describe(`${act.name}: a partner who ${hand.name} at moment ${moment} of ${moments}`)).toEqual([]);
      moments = Math.max(moments, trial.moments);
    }
    return round;
  } finally {
    await world.remove();
  }
}

/** Small numbers in the same order for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
