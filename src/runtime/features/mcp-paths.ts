import { resolve } from "node:path";
import { fetchesPackage } from "../../core/package-runner.ts";
import { realDisk } from "../../host/sandbox/disk.ts";
import { isWithin, nameOf, parentOf } from "../../text/path.ts";
import { type Around, readableFor } from "./mcp-readable.ts";

interface Entry {
  readonly name: string;
  readonly [key: string]: unknown;
}

export interface Settled<E> {
  readonly entry: E;
  /** For the person: what was written in place of what they typed, and what the server may read because of it. */
  readonly told: readonly string[];
}

/**
 * A server is started in every folder somebody works in, so what it is made of has to be named by whole paths: a name that is
 * relative would be a file of whichever folder that is. What of it lies where commands cannot read is added to what it may read.
 */
export function settled<E extends Entry>(entry: E, around: Around): Settled<E> {
  const told: string[] = [];
  const made = new Set<string>();
  const whole = (word: string): string => {
    const path = wholePath(word, around.cwd);
    if (!word.startsWith("/")) made.add(path);
    if (path !== word) told.push(`${word} is written as ${path}.`);
    return path;
  };
  const lists = Object.fromEntries(
    ["allow_read", "allow_write"].flatMap((key) =>
      key in entry ? [[key, (entry[key] as string[]).map((path) => listed(path, around.cwd))]] : [],
    ),
  );
  if (typeof entry.command !== "string") return { entry: { ...entry, ...lists }, told };
  // A name without a slash is looked up among the programs, whatever lies in this folder.
  const command = entry.command.includes("/") ? whole(entry.command) : entry.command;
  const given = (entry.args ?? []) as readonly string[];
  const args = given.map((word, n) => (mayBePath(command, given, n) ? whole(word) : wholeOption(word, whole)));
  const listedAlready = [...(lists.allow_read ?? []), ...(lists.allow_write ?? [])];
  const more = readableFor([command, ...args], made, around).filter((path) => !listedAlready.some((root) => isWithin(root, path)));
  const fetching = networkFor(entry, command, args);
  if (fetching) told.push(fetching.told);
  for (const path of more) told.push(`${entry.name} may read ${path} (allow_read), whichever folder you work in.`);
  return {
    entry: {
      ...entry,
      command,
      ...("args" in entry && { args }),
      ...(fetching && { network: fetching.network }),
      ...lists,
      ...(more.length > 0 && { allow_read: [...(lists.allow_read ?? []), ...more] }),
    },
    told,
  };
}

/** The network of a program that fetches what it runs, where the person said nothing of it or named what it may reach. */
export function networkFor(
  { name, network = false }: Entry,
  command: string,
  args: readonly string[],
): { readonly network: "install" | readonly string[]; readonly told: string } | null {
  if (!fetchesPackage(command, args)) return null;
  const runner = nameOf(command);
  if (network === false)
    return {
      network: "install",
      told: `${runner} fetches what it runs from your package registries, before the first start and with nothing of yours in sight (network = "install"). ${name} itself has no network; if it needs one: --reach <name>, or --network for all of it.`,
    };
  if (!Array.isArray(network) || network.includes("@registries")) return null;
  return {
    network: ["@registries", ...network],
    told: `${runner} fetches what it runs, so ${name} may reach your package registries, too.`,
  };
}

/** These take names of packages and images where others take files. */
const RUNNERS = new Set(["npx", "bunx", "pnpx", "pnpm", "npm", "yarn", "uvx", "uv", "pipx", "docker", "podman"]);

/** `.` and whatever begins with it is one. A bare word may be the name of a package or a module, and a file of that name is no reason to run it. */
function mayBePath(command: string, args: readonly string[], n: number): boolean {
  const word = args[n]!;
  if (/^\.{1,2}(?:\/|$)/.test(word)) return true;
  return !RUNNERS.has(nameOf(command)) && !word.startsWith("-") && args[n - 1] !== "-m";
}

/** `--root=.` */
const wholeOption = (word: string, whole: (path: string) => string): string =>
  word.replace(/^(--?[\w.-]+=)(\.{1,2}(?:\/.*)?)$/s, (_, option: string, path: string) => option + whole(path));

/** Links on the way are followed, because behind the walls only the real folders are there. What the path ends in may be a link: some programs go by their name. */
function wholePath(word: string, cwd: string): string {
  if (word === "" || word.includes("\0") || word.startsWith("~")) return word;
  const path = resolve(cwd, word);
  if (realDisk.kind(path) === null) return word;
  const parent = realDisk.real(parentOf(path)) ?? parentOf(path);
  return path === "/" ? path : `${parent === "/" ? "" : parent}/${nameOf(path)}`;
}

/** What is listed need not exist yet. `~` is understood when it is used. */
const listed = (path: string, cwd: string): string => (/^(?:~(?:\/|$)|\/)/.test(path) || path === "" ? path : resolve(cwd, path));
