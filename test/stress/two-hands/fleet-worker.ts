import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFleetFolders } from "../../../src/fleet/workspace/fleet-folders.ts";
import type { HostAct } from "./acts.ts";
import type { World } from "./world.ts";

const remoteOf = ({ base }: World) => join(base, "remote");
const urlOf = (world: World) => `file://${remoteOf(world)}`;
const openFolders = (root: string) =>
  createFleetFolders({ root, tenant: "acme", repositories: ["file:///"], bundles: "", most: 10, warn: () => {} });
/** A worker that has fetched the repository and has no session. */
const usedWorker = ({ base }: World) => join(base, "worker");

/** The folder of the worker that a place in it belongs to. */
const workerAround = ({ work }: World, folder: string): string => join(work, folder.split("/")[0]!);

/** A part of the git folder that commands of all tasks with one repository write, in the folder of a worker. */
export const placeShared =
  (part: string) =>
  (name: string, world: World): string =>
    `${name}/mirrors/${createHash("sha256").update(urlOf(world)).digest("hex").slice(0, 32)}.git/${part}`;

/** A worker opens the workspace of a task, while a command of another one changes what they share. What that gets is objects and branches elsewhere, see `checkShared`. */
export const taskAct: Pick<HostAct, "isMoment" | "plant" | "open" | "allows"> = {
  // Git is started in a folder of the worker's own, which leads there.
  isMoment: (what, world, folder) => what.includes(join(world.work, folder)) || (what.startsWith("start ") && what.includes("git")),
  allows: /^~\/(?:[0-9a-f]{2}(?:\/[0-9a-f]{38})?|(?:heads|remotes)(?:\/[\w-]+)*) was made$/,
  plant: (world, folder) => cpSync(usedWorker(world), workerAround(world, folder), { recursive: true, verbatimSymlinks: true }),
  async open(world) {
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@localhost", ...args], { cwd: remoteOf(world), stdio: "ignore" });
    mkdirSync(remoteOf(world));
    git("init", "-q", "-b", "main");
    writeFileSync(join(remoteOf(world), "a.txt"), "one\n");
    git("add", "-A");
    git("commit", "-qm", "first");
    await (await openTask(world, usedWorker(world), "first")).leave("goes");
    return async (folder) => {
      const task = await openTask(world, workerAround(world, folder), `of-${folder.split("/")[0]}`);
      try {
        writeFileSync(join(task.folder, "a.txt"), "two\n");
        const kept = await task.keep(async () => []);
        return { ok: kept !== null, text: JSON.stringify(kept) };
      } finally {
        await task.leave("goes");
      }
    };
  },
};

const openTask = (world: World, root: string, session: string) =>
  openFolders(root).open({ session, isHere: false, repo: { url: urlOf(world) }, last: null });
