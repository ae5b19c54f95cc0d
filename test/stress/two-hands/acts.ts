import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { createLeftovers } from "../../../src/host/files/leftovers.ts";
import { sweepTemporary } from "../../../src/host/temporary.ts";
import { emptyCaches } from "../../../src/host/workday/cache-folder.ts";
import { readGitSettings } from "../../../src/host/workday/git-settings.ts";
import { createAgent, createRuntime } from "../../../src/index.ts";
import { listWorkspaceFiles } from "../../../src/runtime/person/list-files.ts";
import { all, asks, modelSaying, says } from "../../talking.ts";
import { placeShared, taskAct } from "./fleet-worker.ts";
import { holdMoments } from "./moments.ts";
import { CANARY, denyingRule, HALF_WRITTEN, type Said, saidBy, type World } from "./world.ts";

/** Something Zeph does outside of walls with names of the workspace. */
export interface HostAct {
  readonly name: string;
  /** What is opened once. It runs the act on a folder of the workspace, which is there with what every folder of these tests has in it. */
  open(world: World): Promise<(folder: string) => Promise<Said>>;
  /** The partner acts only once this is there: below the folder, or `null` from the beginning. */
  readonly from?: string;
  /** The folder is the workspace that a person opens, so it is what its name leads to then. */
  readonly opens?: true;
  /** Where the folder lies, below the workspace, when not in it. */
  place?(name: string, world: World): string;
  /** What lies in the folder, when that is not what every folder of these tests has in it. */
  plant?(world: World, folder: string): void;
  /** What counts as a moment, when that is not each that names the folder. */
  isMoment?(what: string, world: World, folder: string): boolean;
  /** What may be so afterwards all the same. */
  readonly allows?: RegExp;
}

export const fits = (act: HostAct, hand: Hand): boolean => act.opens === undefined || hand.inside === true;

/** What the partner does with a folder, one step at each moment. */
export interface Hand {
  readonly name: string;
  readonly steps: readonly ((world: World, folder: string) => void)[];
  /** The folder itself stays. */
  readonly inside?: true;
}

/** A process that never runs. */
const NOBODYS_PID = 999_999_999;

/** In each folder, and in the home alike: a path that slips through finds something. */
const FILES = ["notes/a.txt", "notes/deep/b.txt", "AGENTS.md", ".vscode/tasks.json"];
const SETTINGS = ".claude/settings.json";

export function plantFolder(world: World, folder: string): void {
  for (const name of FILES) world.write(`${folder}/${name}`, "inside\n");
}

const pathOf = ({ work }: World, folder: string) => join(work, folder);
const moveAside = (world: World, folder: string) => renameSync(pathOf(world, folder), `${pathOf(world, folder)}.away`);
const linkToHome = (world: World, folder: string) => {
  moveAside(world, folder);
  symlinkSync(relative(dirname(pathOf(world, folder)), world.home), pathOf(world, folder));
};
const putBack = (world: World, folder: string) => renameSync(`${pathOf(world, folder)}.away`, pathOf(world, folder));
const unlinkAndPutBack = (world: World, folder: string) => {
  unlinkSync(pathOf(world, folder));
  putBack(world, folder);
};
const replaceFolder = (world: World, folder: string) => {
  moveAside(world, folder);
  plantFolder(world, folder);
};
/** Replaces what lies in the folder by links to the same in the home. */
const linkFolders = (world: World, folder: string) => {
  for (const name of ["notes", ".claude", ".zeph", ".git"]) {
    renameIfThere(join(pathOf(world, folder), name), `${pathOf(world, folder)}.${name}`);
    symlinkSync(relative(pathOf(world, folder), join(world.home, name)), join(pathOf(world, folder), name));
  }
};
const linkFiles = (world: World, folder: string) => {
  for (const name of ["notes/a.txt", "AGENTS.md", SETTINGS]) {
    if (!isThere(join(pathOf(world, folder), name))) continue;
    unlinkSync(join(pathOf(world, folder), name));
    symlinkSync(join(world.home, name), join(pathOf(world, folder), name));
  }
};
const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
const renameIfThere = (from: string, to: string) => {
  if (isThere(from)) renameSync(from, to);
};

export const HANDS: readonly Hand[] = [
  { name: "links it to the home", steps: [linkToHome] },
  { name: "links it to the home, and puts it back", steps: [linkToHome, unlinkAndPutBack] },
  {
    name: "links it to the home, replaces it, and puts it back",
    steps: [
      linkToHome,
      (world, folder) => {
        unlinkSync(pathOf(world, folder));
        plantFolder(world, folder);
      },
      (world, folder) => {
        renameSync(pathOf(world, folder), `${pathOf(world, folder)}.other`);
        putBack(world, folder);
      },
    ],
  },
  { name: "replaces it by another folder", steps: [replaceFolder] },
  { name: "links the folders in it to those in the home", inside: true, steps: [linkFolders] },
  { name: "links the files in it to those in the home", inside: true, steps: [linkFiles] },
  { name: "shuts it", steps: [(world, folder) => chmodSync(pathOf(world, folder), 0)] },
  {
    name: "writes into it",
    inside: true,
    steps: [
      (world, folder) => world.write(`${folder}/notes/a.txt`, "theirs\n"),
      (world, folder) => world.write(`${folder}/.mcp.json`, "{}"),
    ],
  },
  { name: "takes it away", steps: [moveAside, putBack] },
  { name: "kills all that Zeph has started", inside: true, steps: [() => killChildren(process.pid)] },
];

/** All processes below one. */
function killChildren(pid: number): void {
  for (const child of childrenOf(pid)) {
    killChildren(child);
    kill(child);
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

/** A call of one tool, through the door. */
const callTool = (name: string, args: (folder: string) => object): HostAct => ({
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
    name: "looking for changed files after a command",
    from: "made",
    plant(world, folder) {
      plantFolder(world, folder);
      world.write(`${folder}/plant.sh`, "cd $1; mkdir -p made/.git/hooks made/.vscode; echo x > made/.git/hooks/pre-commit\n");
    },
    open: async (world) => {
      const { bash } = await world.open();
      return (folder) => bash(`bash ${folder}/plant.sh ${folder}`);
    },
  },
  {
    name: "removing the half-written files of a Zeph that was killed",
    plant(world, folder) {
      plantFolder(world, folder);
      world.write(`${folder}/notes/${HALF_WRITTEN}`, "");
    },
    open: async (world) => async (folder) => {
      // It names the folder, so that the look at the note is a moment.
      const notes = join(world.state, pathOf(world, folder));
      mkdirSync(notes, { recursive: true });
      writeFileSync(join(notes, `${NOBODYS_PID}-1`), join(pathOf(world, folder), "notes", HALF_WRITTEN));
      createLeftovers(notes);
      return { ok: true, text: "" };
    },
  },
  {
    name: "removing the temporary folders of a Zeph that was killed",
    place: (name) => `zeph-temp-${/\d+/.exec(readlinkSync("/proc/self/ns/pid"))![0]}-${NOBODYS_PID}-1-abcdef/${name}`,
    open: async (world) => async () => {
      sweepTemporary([world.work]);
      return { ok: true, text: "" };
    },
  },
  {
    name: "emptying the caches of commands",
    place: (name) => `workspace/cache/${name}`,
    open: async (world) => async () => {
      emptyCaches(world.work);
      return { ok: true, text: "" };
    },
  },
  {
    name: "opening the workspace of a task, and putting it away: the objects that tasks share",
    place: placeShared("objects"),
    ...taskAct,
  },
  {
    name: "opening the workspace of a task, and putting it away: the branches that tasks share",
    place: placeShared("refs"),
    ...taskAct,
  },
  {
    name: "the undoing of a command that failed",
    open: async (world) => {
      const { inside } = await world.open({ tools: { shell: { transactional: true, auto_rollback: true } } });
      return async (folder) => {
        const command = `echo new > ${folder}/new.txt; rm -r ${folder}/notes; exit 1`;
        // Only what a model did is undone.
        const { text } = saidBy(await inside.zeph.call("bash", { command }, { phase: "executor" }));
        return { ok: text.includes("rolled back"), text };
      };
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
    name: "the undoing of a turn that removed and moved",
    open: async (world) => async (folder) => {
      const config = { autonomy: "full", audit: { path: join(world.state, "undo", folder, "audit.jsonl") } } as const;
      const model = modelSaying(
        [asks("bash", { command: `rm ${folder}/notes/a.txt` })],
        [asks("delete_path", { path: `${folder}/notes/deep` })],
        [asks("move_path", { source: `${folder}/AGENTS.md`, destination: `${folder}/notes/moved.md` })],
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
    name: "a dry run",
    open: async (world) => {
      const { inside } = await world.open();
      return async (folder) =>
        saidBy(await inside.zeph.dryRun(`echo new > ${folder}/new.txt; rm -r ${folder}/notes; cat ${folder}/AGENTS.md`));
    },
  },
  {
    name: "asking git what a command would change",
    plant(world, folder) {
      plantFolder(world, folder);
      const git = (...args: readonly string[]) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], {
          cwd: pathOf(world, folder),
          stdio: "ignore",
        });
      git("init", "-q", "-b", "main");
      git("add", "-A");
      git("commit", "-qm", "first");
      git("switch", "-qc", "other");
      world.write(`${folder}/.vscode/tasks.json`, "other\n");
      git("commit", "-qam", "second");
      git("switch", "-q", "main");
    },
    open: async (world) => {
      const { inside } = await world.open();
      return async (folder) => {
        const decided = await inside.zeph.judge("bash", { command: `git -C ${folder} switch other` });
        return { ok: decided.verdict === "ask", text: JSON.stringify(decided) };
      };
    },
  },
  {
    name: "reading the instructions of a workspace",
    opens: true,
    open: async (world) => async (folder) => {
      const config = { audit: { path: join(world.state, "instructions", folder, "audit.jsonl") } };
      const model = modelSaying([says("done")]);
      const agent = await createAgent({ cwd: pathOf(world, folder), store: "memory", config, model });
      await all(agent.send("go"));
      await agent.close();
      return { ok: true, text: JSON.stringify(model.given) };
    },
  },
  {
    name: "reading the rules of a workspace",
    opens: true,
    plant(world, folder) {
      plantFolder(world, folder);
      world.write(`${folder}/.zeph/config.toml`, denyingRule("ls inside"));
    },
    open: async (world) => async (folder) => {
      const zeph = await createRuntime({ cwd: pathOf(world, folder), store: "memory" });
      const verdictOn = async (command: string) => (await zeph.judge("bash", { command })).verdict;
      const [own, homes] = [await verdictOn("ls inside"), await verdictOn("ls home")];
      await zeph.close();
      return { ok: own === "deny", text: homes === "deny" ? "it obeys a rule that is only-in-the-home" : "" };
    },
  },
  {
    name: "listing the files behind @",
    opens: true,
    open: async (world) => async (folder) => ({ ok: true, text: (await listWorkspaceFiles(pathOf(world, folder))).join("\n") }),
  },
  {
    name: "reading the settings of git that commands get",
    opens: true,
    plant(world, folder) {
      plantFolder(world, folder);
      world.write(`${folder}/.git/HEAD`, "ref: refs/heads/main\n");
      world.write(`${folder}/.git/config`, "[core]\n\tbare = false\n");
    },
    open: async (world) => async (folder) => {
      const { home } = world;
      const { person, machine, ignore } = readGitSettings({ cwd: pathOf(world, folder), home, env: {}, user: undefined });
      return { ok: true, text: `${person}${machine}${ignore}` };
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
  callTool("read", (folder) => ({ path: `${folder}/notes/a.txt` })),
  callTool("write", (folder) => ({ path: `${folder}/notes/a.txt`, content: "planted\n" })),
  callTool("edit", (folder) => ({ path: `${folder}/notes/a.txt`, old_string: "\n", new_string: "planted\n" })),
  callTool("create_directory", (folder) => ({ path: `${folder}/notes/new/newer` })),
  callTool("delete_path", (folder) => ({ path: `${folder}/notes/deep` })),
  callTool("move_path", (folder) => ({ source: `${folder}/notes/deep`, destination: `${folder}.moved` })),
  callTool("copy_path", (folder) => ({ source: `${folder}/notes/deep`, destination: `${folder}.copy` })),
  callTool("grep", (folder) => ({ pattern: ".", path: `${folder}/notes` })),
  callTool("list_directory", (folder) => ({ path: `${folder}/notes` })),
  callTool("find_path", (folder) => ({ path: folder, pattern: "**" })),
  callTool("search_code", (folder) => ({ path: folder, query: "inside" })),
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
  const name = `d${++trials}`;
  const folder = act.place?.(name, world) ?? name;
  (act.plant ?? plantFolder)(world, folder);
  let moments = 0;
  let step = 0;
  const from = act.from === undefined ? null : join(pathOf(world, folder), act.from);
  let hasBegun = from === null;
  const isMoment = act.isMoment ?? ((what: string) => what.includes(pathOf(world, folder)));
  const release = holdMoments(world.base, ({ what }) => {
    hasBegun ||= isThere(from!);
    if (!hasBegun || !isMoment(what, world, folder)) return;
    if (moments++ >= first && step < hand.steps.length) attemptStep(() => hand.steps[step++]!(world, folder));
  });
  const said = await run(folder)
    .catch((error) => ({ ok: false, text: String(error) }))
    .finally(release);
  const broken = [
    ...world.damage().filter((one) => act.allows?.test(one) !== true),
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
