import { mkdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { expect } from "vitest";
import type { Act } from "./partner.ts";
import { CANARY, plantBare, plantDecoys, plantRepository, type Said, type World } from "./world.ts";

/** Something the walls of a command hold, and a partner that exchanges it while they are built. */
export interface WallsCase {
  readonly name: string;
  /** What lies in the workspace when it is judged. Returns settings. */
  plant(world: World): object;
  /** The partner acts between the judgement and the builder's start. */
  before?(world: World): void;
  /** And when the builder has mounted something. */
  during?(world: World): readonly (readonly [mounted: string, act: Act])[];
  /** The path that the builder is told, when it is not that of `TARGET`. */
  named?(world: World): string;
  /** What else must be so afterwards; `did` is what the partner has done. */
  promise?(world: World, said: Said, did: string): void;
}

/** Long, so that the walls come to it last. */
const TARGET = "target-with-a-long-name";
export const targetOf = ({ work }: World) => join(work, TARGET);

/** Tries what no wall may let through, and says at the end that it ran. */
export const LOOK = `
for p in $(cut -d" " -f5 /proc/self/mountinfo); do [ -e "$p/.ssh/id" ] && { cat "$p/.ssh/id"; echo planted >> "$p/.bashrc"; }; done
for p in target* moved other; do
  echo planted >> $p/.git/config; echo planted > $p/.git/planted; echo planted > $p/.git/hooks/kept; echo planted >> $p/.vscode/tasks.json
  cat $p/.env $p/hidden/text
done 2>/dev/null
ls /usr/share | grep theirs
cat .ssh/id 2>/dev/null && echo planted >> .bashrc
echo RAN
`;
const JUDGED = "[core]\n\tbare = false\n[judged]\n\tby = everybody\n";

const pathToHome = ({ work, home }: World) => relative(work, home);
/** A link stands in its place. */
const putLink = ({ work }: World, target: string) => {
  renameSync(join(work, TARGET), join(work, `${TARGET}.away`));
  symlinkSync(target, join(work, TARGET));
};
/** Another folder with the same names stands in its place. */
const putOther = (world: World, name: string, text: string) => {
  renameSync(join(world.work, TARGET), join(world.work, "moved"));
  if (name === ".git/config") plantRepository(world, TARGET);
  world.write(`${TARGET}/${name}`, text);
};
const expectFrozen = (name: string) => (world: World) => {
  const there = [TARGET, "moved", "other"].map((folder) => join(world.work, folder, name));
  const texts = there.flatMap((path) => readIfThere(path) ?? []);
  expect(texts.some((text) => text === JUDGED)).toBe(true);
};
const readIfThere = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};

const WORKSPACE_IS_LINK: WallsCase = {
  name: "the workspace is a link to the home",
  plant: () => ({}),
  named: ({ work }) => work,
  before({ work, home }) {
    renameSync(work, `${work}.away`);
    symlinkSync(home, work);
  },
};
const WORKSPACE_IS_ANOTHER: WallsCase = {
  name: "the workspace is another folder",
  plant: () => ({}),
  named: ({ work }) => work,
  before(world) {
    renameSync(world.work, `${world.work}.away`);
    world.write("look.sh", "echo ANOTHER; echo RAN\n");
  },
  promise: (_world, said) => expect(said.text).not.toContain("ANOTHER"),
};

/** Where Landlock is the wall, nothing is mounted, and a workspace with something to hold is asked about: what is judged and used is the folder alone. */
export const LANDLOCK_WALLS: readonly WallsCase[] = [WORKSPACE_IS_LINK, WORKSPACE_IS_ANOTHER];

export const WALLS: readonly WallsCase[] = [
  {
    name: "a bare repository is a link to the home, and itself again",
    plant: plantTarget,
    before: (world) => putLink(world, pathToHome(world)),
    during: ({ work }) => [[work, ["back", TARGET]]],
  },
  {
    name: "a bare repository is a link to the home, then another folder, then itself again",
    plant(world) {
      mkdirSync(join(world.work, "other"));
      return plantTarget(world);
    },
    before: (world) => putLink(world, pathToHome(world)),
    during: ({ work }) => [
      [work, ["exchange", TARGET, "other"]],
      [join(work, TARGET), ["exchange", TARGET, `${TARGET}.away`]],
    ],
  },
  {
    name: "a bare repository becomes a link to what the builder has of the machine",
    plant(world) {
      symlinkSync("/newroot/usr/share", join(world.work, "lnk"));
      const settings = plantTarget(world);
      world.write(`${TARGET}/theirs`, "");
      return settings;
    },
    during: ({ work }) => [[work, ["exchange", TARGET, "lnk"]]],
    promise: (_world, said) => expect(said.text).not.toContain("theirs"),
  },
  {
    name: "the folder above a .git is a link to a folder of the person, and itself again",
    plant(world) {
      plantDecoys(world);
      plantRepository(world, TARGET);
      return {};
    },
    before: (world) => putLink(world, `${pathToHome(world)}/repo`),
    during: ({ work }) => [[work, ["back", TARGET]]],
  },
  {
    name: "the folder above a frozen file is another folder",
    plant(world) {
      plantRepository(world, TARGET, JUDGED);
      return {};
    },
    before: (world) => putOther(world, ".git/config", "[core]\n"),
    promise: expectFrozen(".git/config"),
  },
  {
    name: "the folder above frozen settings of an editor is another folder",
    plant(world) {
      world.write(`${TARGET}/.vscode/tasks.json`, JUDGED);
      return {};
    },
    before: (world) => putOther(world, ".vscode/tasks.json", "{}"),
    promise: expectFrozen(".vscode/tasks.json"),
  },
  {
    name: "the folder above a frozen file is another folder while the walls are half built",
    plant(world) {
      plantDecoys(world);
      plantRepository(world, TARGET, JUDGED);
      // No repository yet: nothing of it is judged.
      world.write("other/.git/config", "");
      return {};
    },
    during: ({ work }) => [[work, ["exchange", TARGET, "other"]]],
    promise: expectFrozen(".git/config"),
  },
  {
    name: "the folder above a hidden file is another folder",
    plant: hideFile(".env"),
    before: (world) => putOther(world, ".env", "mine\n"),
  },
  {
    name: "the folder above a hidden folder is another folder",
    plant: hideFile("hidden/text"),
    before: (world) => putOther(world, "hidden/text", "mine\n"),
  },
  {
    name: "the folder above a hidden file becomes a link to the home as the builder sees it",
    plant: linkOldRoot(".env"),
    during: ({ work }) => [[work, ["exchange", TARGET, "lnk"]]],
  },
  {
    name: "the folder above a hidden folder becomes a link to the home as the builder sees it",
    plant: linkOldRoot("hidden/text"),
    during: ({ work }) => [[work, ["exchange", TARGET, "lnk"]]],
  },
  {
    ...WORKSPACE_IS_LINK,
    plant: plantTarget,
  },
  {
    ...WORKSPACE_IS_ANOTHER,
    plant: plantTarget,
  },
  {
    name: "the builder is killed",
    plant: plantTarget,
    during: ({ work }) => [[work, ["kill"]]],
    // Where the partner came too late, the command ran as ever.
    promise: (_world, said, did) => expect(said.text.includes("RAN")).toBe(!did.includes("held")),
  },
];

function plantTarget(world: World): object {
  plantDecoys(world);
  plantBare(world, TARGET, []);
  return {};
}

function hideFile(name: string) {
  return (world: World): object => {
    plantDecoys(world);
    world.write(`${TARGET}/${name}`, `${CANARY}\n`);
    return { file: { deny_read: [name.includes("/") ? "**/hidden" : "**/.env"] } };
  };
}

function linkOldRoot(name: string) {
  return (world: World): object => {
    symlinkSync(`/oldroot${world.home}`, join(world.work, "lnk"));
    return hideFile(name)(world);
  };
}
