import { createHash, randomBytes } from "node:crypto";
import { constants, existsSync, readdirSync, renameSync, rmSync, statSync, utimesSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readOwnText } from "../../files/own-file.ts";
import { attempt } from "../../text/attempt.ts";
import { isWithin } from "../../text/path.ts";
import { askGit } from "./git.ts";
import { readTreeHead, type WatchedTree } from "./snapshot.ts";

/** A command that makes what git ignores, such as dependencies. What it makes depends on these files. */
export interface FolderSetup {
  readonly command: string;
  readonly files: readonly string[];
}

/** What setup commands made, kept on this worker: the same command over the same files is not run again. */
export interface SetupCache {
  /** Puts it into the folder. False where nothing is kept. */
  restore(key: string, folder: string): Promise<boolean>;
  /** Keeps everything in the folder that git ignores and does not track. */
  save(key: string, watched: WatchedTree): Promise<void>;
}

/** The least recently used go first. */
const MOST_KEPT = 10;
const MOST_FILE = 64 << 20;

export function setupKey(url: string, { command, files }: FolderSetup, folder: string): string {
  const hash = createHash("sha256").update(JSON.stringify([url, command]));
  for (const name of files) hash.update(`\n${name}\n${readOwnText(join(folder, name), { maxBytes: MOST_FILE, inside: folder }) ?? ""}`);
  return hash.digest("hex").slice(0, 32);
}

export function createSetupCache(root: string): SetupCache {
  const placeOf = (key: string) => join(root, key);
  return {
    async restore(key, folder) {
      if (!existsSync(placeOf(key))) return false;
      await copyTree(placeOf(key), folder);
      attempt(() => utimesSync(placeOf(key), new Date(), new Date()), undefined);
      return true;
    },
    async save(key, watched) {
      const folder = watched.tree;
      const half = join(root, `half-${randomBytes(6).toString("hex")}`);
      try {
        await mkdir(half, { recursive: true, mode: 0o700 });
        const listed = await listIgnored(watched, `${half}.index`);
        for (const name of listed.split("\0").filter((one) => one !== "")) {
          const from = join(folder, name);
          if (!isWithin(folder, from)) continue;
          await mkdir(dirname(join(half, name)), { recursive: true });
          await copyTree(from, join(half, name));
        }
        if (!existsSync(placeOf(key))) renameSync(half, placeOf(key));
      } finally {
        await rm(half, { recursive: true, force: true });
        rmSync(`${half}.index`, { force: true });
      }
      const age = (name: string) => attempt(() => statSync(join(root, name)).mtimeMs, 0);
      const kept = readdirSync(root).filter((name) => !name.startsWith("half-"));
      for (const old of kept.sort((a, b) => age(b) - age(a)).slice(MOST_KEPT)) rmSync(join(root, old), { recursive: true, force: true });
    },
  };
}

async function listIgnored(watched: WatchedTree, index: string): Promise<string> {
  const run = { dir: watched.dir, tree: watched.tree, index, mostBytes: 16 << 20 };
  const head = await readTreeHead(watched);
  if (head) await askGit(["read-tree", head.commit], run);
  return askGit(["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"], run);
}

/** Links stay links, and blocks are shared where the disk can. */
const copyTree = (from: string, to: string): Promise<void> =>
  cp(from, to, { recursive: true, verbatimSymlinks: true, force: true, mode: constants.COPYFILE_FICLONE });
