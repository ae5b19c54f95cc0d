import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "../../../src/index.ts";
import { openRuntime, type RuntimeInternals } from "../../../src/runtime/create.ts";
import { execCommand } from "../../../src/runtime/hook/exec/exec-command.ts";
import type { OpenOptions } from "../../../src/runtime/runtime.ts";
import type {} from "../../any-tool-name.ts";
import { makeBase, removeBase, writeWithFolders } from "../../plant-files.ts";
import type { Loosely } from "../../workspace.ts";

/** What no command of this test may read: it lies outside of the workspace, or is hidden in it. */
export const CANARY = "canary-of-the-person";

/** A person's home, and a workspace beside it. */
export interface World {
  readonly base: string;
  readonly home: string;
  /** The workspace of the runtime, and that of the command. */
  readonly top: string;
  readonly work: string;
  readonly state: string;
  /** Writes a file below the workspace, with the folders above it. */
  write(name: string, text: string): void;
  open(options?: Loosely<OpenOptions> & { tools?: object }): Promise<Opened>;
  /** What is no longer as it was outside of the workspace. */
  damage(): string[];
  remove(): Promise<void>;
}

export interface Said {
  readonly ok: boolean;
  /** All that was printed, or why nothing was run. */
  readonly text: string;
}

export interface Opened {
  readonly inside: RuntimeInternals;
  bash(command: string, more?: object): Promise<Said>;
  /** As `zeph exec` runs it. */
  exec(command: string): Promise<Said>;
}

/** `inner`: the workspace of the command is a folder of this name in that of the runtime. */
export function makeWorld(inner = ""): World {
  const base = makeBase("two-hands");
  const [home, top, state] = ["home", "work", "state"].map((name) => join(base, name)) as [string, string, string];
  const work = join(top, inner);
  for (const folder of [work, state]) mkdirSync(folder, { recursive: true });
  for (const name of HOME) writeWithFolders(join(home, name), HOME_TEXTS[name] ?? (name.startsWith("repo") ? "" : `${CANARY} ${name}\n`));
  const before = { HOME: process.env.HOME, XDG_STATE_HOME: process.env.XDG_STATE_HOME, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME };
  Object.assign(process.env, { HOME: home, XDG_STATE_HOME: join(state, "xdg"), XDG_CACHE_HOME: join(state, "cache") });
  const asItWas = listing(home);
  const opened: RuntimeInternals[] = [];
  let counter = 0;
  return {
    base,
    home,
    top,
    work,
    state,
    write: (name, text) => writeWithFolders(join(work, name), text),
    async open({ tools = {}, ...options } = {}) {
      const inside = await openRuntime({
        cwd: top,
        store: "memory",
        config: { audit: { path: join(state, `audit-${counter++}.jsonl`) }, tools: { permissions: ALLOW, overflow: WHOLE, ...tools } },
        ...options,
      } as OpenOptions);
      opened.push(inside);
      return {
        inside,
        bash: async (command, more = {}) => saidBy(await inside.zeph.call("bash", { command, ...more })),
        async exec(command) {
          let text = "";
          const print = (bytes: Uint8Array) => {
            text += Buffer.from(bytes).toString();
          };
          const job = {
            command,
            caller: { kind: "exec" } as const,
            env: {},
            stdin: false,
            agreed: true,
            note: null,
            print,
            attach: () => {},
          };
          const code = await execCommand(inside, job, new AbortController().signal);
          return { ok: code === 0, text };
        },
      };
    },
    damage: () => differences(asItWas, listing(home)),
    async remove() {
      for (const inside of opened) await inside.zeph.close();
      for (const [name, value] of Object.entries(before)) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      removeBase(base);
    },
  };
}

export const saidBy = (outcome: Outcome): Said =>
  outcome.ok
    ? { ok: true, text: `${(outcome.output.raw as { stdout: string }).stdout}${outcome.output.text}` }
    : { ok: false, text: `${outcome.error.message}\n${JSON.stringify(outcome.output ?? "")}` };

const ALLOW = Object.fromEntries(
  ["bash", "read", "write", "edit", "grep", "find_path", "list_directory", "create_directory", "delete_path", "move_path", "copy_path"].map(
    (tool) => [tool, [{ pattern: "*", action: "allow" }]],
  ),
);
/** What a command prints is looked at whole. */
const WHOLE = { threshold: 100_000_000 };

/** What a Zeph that was killed has left. */
export const HALF_WRITTEN = ".zeph-00000000-0000-4000-8000-000000000000.tmp";

/** Settings of a project that deny one command. */
export function denyingRule(command: string): string {
  return `[[tools.permissions.bash]]\npattern = ${JSON.stringify(command)}\naction = "deny"\n`;
}

/** Of the home, what has to be understood by whoever reads it. */
const HOME_TEXTS: Readonly<Record<string, string>> = {
  ".zeph/config.toml": denyingRule("ls home"),
  ".git/HEAD": `ref: refs/heads/${CANARY}\n`,
  ".git/config": `[user]\n\tname = ${CANARY}\n`,
};

/** A home with keys, settings of another agent, and a repository. */
const HOME = [
  ...[".zeph/config.toml", ".git/HEAD", ".git/config", ".vscode/only-in-the-home", `notes/${HALF_WRITTEN}`],
  ...[".bashrc", ".ssh/id", ".claude/settings.json", "AGENTS.md", "notes/a.txt", "notes/deep/b.txt", "notes/only-in-the-home"],
  ...["HEAD", "config", "objects/kept", "refs/kept", "hooks/kept"].map((part) => `repo/.git/${part}`),
];

type Listing = ReadonlyMap<string, string>;

/** Every entry below a folder, and what tells whether it is still the same. */
function listing(folder: string): Listing {
  const found = new Map<string, string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) continue;
    const content = stats.isFile() ? createHash("sha256").update(readFileSync(path)).digest("hex").slice(0, 12) : "";
    found.set(name, `${stats.mode.toString(8)} ${stats.isSymbolicLink() ? readlinkSync(path) : content}`);
  }
  return found;
}

function differences(before: Listing, after: Listing): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)];
    if (was === is) return [];
    return [was === undefined ? `~/${name} was made` : is === undefined ? `~/${name} is gone` : `~/${name} was changed`];
  });
}

/** A repository without a work tree, as small as Zeph takes one for one. */
export function plantBare({ write, work }: World, name: string, parts: readonly ("hooks" | "config")[] = ["hooks", "config"]): void {
  for (const folder of ["objects", "refs", ...(parts.includes("hooks") ? ["hooks"] : [])])
    mkdirSync(join(work, name, folder), { recursive: true });
  write(`${name}/HEAD`, "ref: refs/heads/main\n");
  if (parts.includes("config")) write(`${name}/config`, "[core]\n\tbare = true\n");
}

/** A repository in a folder, with settings that say whose they are. */
export function plantRepository({ write, work }: World, name: string, settings = "[core]\n\tbare = false\n"): void {
  for (const folder of ["objects", "refs", "hooks"]) mkdirSync(join(work, name, ".git", folder), { recursive: true });
  write(`${name}/.git/HEAD`, "ref: refs/heads/main\n");
  write(`${name}/.git/config`, settings);
}

/** Places the walls have to hold before they come to the one that is looked at: time in which somebody can act. */
export function plantDecoys(world: World, count = 40): void {
  for (let n = 0; n < count; n++) plantBare(world, `r${n}`);
}
