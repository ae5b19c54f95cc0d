import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { createAgent } from "../../../src/index.ts";
import { all, asks, modelSaying, says } from "../../talking.ts";
import { holdMoments } from "./moments.ts";
import { CANARY, type Said, saidBy, type World } from "./world.ts";

/** Something Zeph does outside of walls with names of the workspace. */
export interface HostAct {
  readonly name: string;
  /** What is opened once. It runs the act on a folder of the workspace, which is there with what every folder of these tests has in it. */
  open(world: World): Promise<(folder: string) => Promise<Said>>;
  /** The partner acts only once this is there: below the folder, or `null` from the beginning. */
  readonly from?: string;
  /** The folder is the workspace that a person opens, so it is what its name leads to then. */
  readonly opens?: true;
}

export const fits = (act: HostAct, hand: Hand): boolean => act.opens === undefined || hand.inside === true;

/** What the partner does with a folder, one step at each moment. */
export interface Hand {
  readonly name: string;
  readonly steps: readonly ((world: World, folder: string) => void)[];
  /** The folder itself stays. */
  readonly inside?: true;
}

/** In each folder, and in the home alike: a path that slips through finds something. */
const FILES = ["notes/a.txt", "notes/deep/b.txt", "AGENTS.md", ".vscode/tasks.json"];
const SETTINGS = ".claude/settings.json";

export function plantFolder(world: World, folder: string): void {
  for (const name of FILES) world.write(`${folder}/${name}`, "inside\n");
}

const at = ({ work }: World, folder: string) => join(work, folder);
const aside = (world: World, folder: string) => renameSync(at(world, folder), `${at(world, folder)}.away`);
const link = (world: World, folder: string) => {
  aside(world, folder);
  symlinkSync(relative(world.work, world.home), at(world, folder));
};
const back = (world: World, folder: string) => renameSync(`${at(world, folder)}.away`, at(world, folder));
const unlinkAndBack = (world: World, folder: string) => {
  unlinkSync(at(world, folder));
  back(world, folder);
};
const replace = (world: World, folder: string) => {
  aside(world, folder);
  plantFolder(world, folder);
};
/** Replaces what lies in the folder by links to the same in the home. */
const linkInner = (world: World, folder: string) => {
  for (const name of ["notes", ".claude"]) {
    renameOver(join(at(world, folder), name), `${at(world, folder)}.${name}`);
    symlinkSync(relative(at(world, folder), join(world.home, name)), join(at(world, folder), name));
  }
};
const linkFile = (world: World, folder: string) => {
  for (const name of ["notes/a.txt", "AGENTS.md", SETTINGS]) {
    if (!isThere(join(at(world, folder), name))) continue;
    unlinkSync(join(at(world, folder), name));
    symlinkSync(join(world.home, name), join(at(world, folder), name));
  }
};
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const renameOver = (from: string, to: string) => {
  if (isThere(from)) renameSync(from, to);
};

export const HANDS: readonly Hand[] = [
  { name: "links it to the home", steps: [link] },
  { name: "links it to the home, and puts it back", steps: [link, unlinkAndBack] },
  {
    name: "links it to the home, replaces it, and puts it back",
    steps: [
      link,
      (world, folder) => {
        unlinkSync(at(world, folder));
        plantFolder(world, folder);
      },
      (world, folder) => {
        renameSync(at(world, folder), `${at(world, folder)}.other`);
        back(world, folder);
      },
    ],
  },
  { name: "replaces it by another folder", steps: [replace] },
  { name: "links the folders in it to those in the home", inside: true, steps: [linkInner] },
  { name: "links the files in it to those in the home", inside: true, steps: [linkFile] },
  { name: "shuts it", steps: [(world, folder) => chmodSync(at(world, folder), 0)] },
  {
    name: "writes into it",
    inside: true,
    steps: [
      (world, folder) => world.write(`${folder}/notes/a.txt`, "theirs\n"),
      (world, folder) => world.write(`${folder}/.mcp.json`, "{}"),
    ],
  },
  { name: "takes it away", steps: [aside, back] },
];

/** A call of one tool, through the door. */
const calling = (name: string, args: (folder: string) => object): HostAct => ({
  name,
  open: async (world) => {
    const { inside } = await world.open();
    return async (folder) => {
      const outcome = await inside.zeph.callAny(name, args(folder));
      return { ok: outcome.ok, text: JSON.stringify(outcome) };
    };
  },
});

export const HOST_ACTS: readonly HostAct[] = [
  {
    name: "the quarantine of zeph exec",
    from: SETTINGS,
    open: async (world) => {
      const { exec } = await world.open();
      return (folder) => exec(`d=.cl; mkdir -p ${folder}/\${d}aude; echo '{}' > ${folder}/\${d}aude/settings.json`);
    },
  },
  {
    name: "the undoing of a command that failed",
    open: async (world) => {
      const { bash } = await world.open({ tools: { shell: { transactional: true, auto_rollback: true } } });
      return (folder) => bash(`echo changed > ${folder}/notes/a.txt; echo new > ${folder}/notes/new.txt; exit 1`);
    },
  },
  {
    name: "the undoing of a turn",
    open: async (world) => async (folder) => {
      const config = { autonomy: "full", audit: { path: join(world.state, "undo", folder, "audit.jsonl") } } as const;
      const model = modelSaying(
        [
          asks("write", { path: `${folder}/notes/a.txt`, content: "changed\n" }),
          asks("write", { path: `${folder}/notes/new.txt`, content: "new\n" }),
        ],
        [says("done")],
      );
      const agent = await createAgent({ cwd: world.work, store: "memory", config, model });
      try {
        const events = await all(agent.send("go"));
        const undone = await agent.undo();
        return { ok: undone !== null, text: JSON.stringify([events, undone]) };
      } finally {
        await agent.close();
      }
    },
  },
  {
    name: "reading the instructions of a workspace",
    opens: true,
    open: async (world) => async (folder) => {
      const config = { audit: { path: join(world.state, "instructions", folder, "audit.jsonl") } };
      const model = modelSaying([says("done")]);
      const agent = await createAgent({ cwd: at(world, folder), store: "memory", config, model });
      await all(agent.send("go"));
      await agent.close();
      return { ok: true, text: JSON.stringify(model.given) };
    },
  },
  {
    name: "a command of a caller with a workspace of its own",
    open: async (world) => {
      const { inside } = await world.open();
      return async (folder) =>
        saidBy(
          await inside.zeph
            .as({ id: folder, workspace: folder })
            .call("bash", { command: "cat notes/a.txt .ssh/id; echo planted >> .bashrc" }),
        );
    },
  },
  calling("read", (folder) => ({ path: `${folder}/notes/a.txt` })),
  calling("write", (folder) => ({ path: `${folder}/notes/a.txt`, content: "planted\n" })),
  calling("edit", (folder) => ({ path: `${folder}/notes/a.txt`, old_string: CANARY, new_string: "planted" })),
  calling("create_directory", (folder) => ({ path: `${folder}/notes/new/newer` })),
  calling("delete_path", (folder) => ({ path: `${folder}/notes/deep` })),
  calling("move_path", (folder) => ({ source: `${folder}/notes/deep`, destination: `${folder}/moved` })),
  calling("copy_path", (folder) => ({ source: `${folder}/notes/deep`, destination: `${folder}.copy` })),
  calling("grep", (folder) => ({ pattern: ".", path: `${folder}/notes` })),
  calling("list_directory", (folder) => ({ path: `${folder}/notes` })),
];

export interface Trial {
  /** How many moments there were that the partner could have used. */
  readonly moments: number;
  readonly said: Said;
  /** What must not be so. */
  readonly broken: readonly string[];
}

let trials = 0;

/** Runs the act once. The partner takes its first step at the moment `first`, and each further one at the next. */
export async function tryAct(
  world: World,
  act: HostAct,
  run: (folder: string) => Promise<Said>,
  hand: Hand,
  first: number,
): Promise<Trial> {
  const folder = `d${++trials}`;
  plantFolder(world, folder);
  let moments = 0;
  let step = 0;
  const from = act.from === undefined ? null : join(at(world, folder), act.from);
  let hasBegun = from === null;
  const release = holdMoments(world.base, ({ what }) => {
    hasBegun ||= isThere(from!);
    if (!hasBegun || !what.includes(at(world, folder))) return;
    if (moments++ >= first && step < hand.steps.length) attemptStep(() => hand.steps[step++]!(world, folder));
  });
  const said = await run(folder)
    .catch((error) => ({ ok: false, text: String(error) }))
    .finally(release);
  const broken = [
    ...world.damage(),
    ...(said.text.includes(CANARY) || said.text.includes("only-in-the-home") ? ["something of the home was shown"] : []),
    ...filesWith(world.work, CANARY).map((name) => `${name} holds something of the home`),
  ];
  clear(world);
  return { moments, said, broken };
}

/** What the partner wants to change may be gone by then. */
function attemptStep(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!/^(?:ENOENT|EEXIST|ENOTDIR|EACCES|ENOTEMPTY|EISDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

/** Regular files below a folder; no link is followed. */
function filesWith(folder: string, word: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path, "utf8").includes(word));
}

function clear({ work }: World): void {
  for (const name of readdirSync(work)) rmSync(join(work, name), { recursive: true, force: true });
}
