import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type Workspace, workspace } from "../workspace.ts";

/** The suite runs a part; `npm run stress` runs the 20,000 that the documentation speaks of. */
const ROUNDS = Number(process.env.ROUNDS ?? 400);
const SECRET = "OUTSIDE-SECRET";
const LIMIT_MS = 10 * 60_000;

const setup = [
  { op: "file", path: "outside/secret.txt", content: SECRET },
  { op: "file", path: "outside/deep/secret.txt", content: SECRET },
  { op: "file", path: "work/swap_real", content: "inside" },
  { op: "file", path: "work/x", content: "inside" },
] as const;

it("reads nothing from outside while the file is swapped for a link", { timeout: LIMIT_MS }, () =>
  racing(join("work", "x"), join("work", "swap_real"), "../outside/secret.txt", "file", async (place, zeph) => {
    let readings = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const outcome = await zeph.call("read", { path: "x" });
      expect(JSON.stringify(outcome)).not.toContain(SECRET);
      if (outcome.ok) readings++;
    }
    // The race is real only if both things happened.
    expect(readings).toBeGreaterThan(0);
    expect(existsSync(place.work)).toBe(true);
  }),
);

it("writes nothing outside while the file is swapped for a link", { timeout: LIMIT_MS }, () =>
  racing(join("work", "x"), join("work", "swap_real"), "../outside/secret.txt", "file", async (place, zeph) => {
    let writes = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const outcome = await zeph.call("write", { path: "x", content: "PWN" });
      if (outcome.ok) writes++;
      if (i % 100 === 0) untouched(place);
    }
    expect(writes).toBeGreaterThan(0);
  }),
);

it("reads nothing from outside while a parent folder is swapped for a link", { timeout: LIMIT_MS }, () =>
  racing(join("work", "sub"), join("work", "sub_real"), "../outside", "folder", async (_place, zeph) => {
    for (let i = 0; i < ROUNDS; i++)
      for (const path of ["sub/secret.txt", "sub/deep/secret.txt"])
        expect(JSON.stringify(await zeph.call("read", { path }))).not.toContain(SECRET);
  }),
);

it("creates nothing outside while a parent folder is swapped for a link", { timeout: LIMIT_MS }, () =>
  racing(join("work", "sub"), join("work", "sub_real"), "../outside", "folder", async (_place, zeph) => {
    for (let i = 0; i < ROUNDS; i++) {
      await zeph.call("write", { path: `sub/deep/new-${i % 9}.txt`, content: "PWN" });
      await zeph.call("create_directory", { path: `sub/deep/dir-${i % 9}/deep` });
      await zeph.call("copy_path", { source: "swap_real", destination: `sub/deep/copy-${i}` });
    }
  }),
);

it("deletes and moves nothing outside while a parent folder is swapped for a link", { timeout: LIMIT_MS }, () =>
  racing(join("work", "sub"), join("work", "sub_real"), "../outside", "folder", async (place, zeph) => {
    for (let i = 0; i < ROUNDS; i++) {
      await zeph.call("delete_path", { path: "sub/deep/secret.txt" });
      await zeph.call("move_path", { source: "sub/secret.txt", destination: `moved-${i}` });
      untouched(place);
    }
  }),
);

it("copies nothing from outside while a folder of the tree is swapped for a link", { timeout: LIMIT_MS }, () =>
  racing(join("work", "t", "sub"), join("work", "sub_real"), "../../outside", "folder", async (place, zeph) => {
    for (let i = 0; i < 50; i++) writeFileSync(join(place.work, "t", `f${i}`), "inside");
    for (let i = 0; i < ROUNDS / 20; i++) {
      await zeph.call("copy_path", { source: "t", destination: `copy-${i}` });
      expect(contents(join(place.work, `copy-${i}`))).not.toContain(SECRET);
      rmSync(join(place.work, `copy-${i}`), { recursive: true, force: true });
    }
  }),
);

it("deletes nothing outside while a folder of the tree is swapped for a link", { timeout: LIMIT_MS }, () =>
  racing(join("work", "t", "sub"), join("work", "sub_real"), "../../outside", "folder", async (place, zeph) => {
    for (let i = 0; i < ROUNDS / 10; i++) {
      await zeph.call("delete_path", { path: "t" });
      untouched(place);
      mkdirSync(join(place.work, "t"), { recursive: true });
      writeFileSync(join(place.work, "t", "f"), "inside");
    }
  }),
);

type Runtime = Awaited<ReturnType<Workspace["runtime"]>>;

async function racing(
  name: string,
  harmless: string,
  target: string,
  kind: "file" | "folder",
  race: (place: Workspace, zeph: Runtime) => Promise<void>,
): Promise<void> {
  const place = workspace(setup);
  if (kind === "folder") {
    mkdirSync(join(place.T, name), { recursive: true });
    mkdirSync(join(place.T, name, "deep"));
    // The same names inside as outside, so that a path that slips through finds something.
    writeFileSync(join(place.T, name, "secret.txt"), "inside");
    writeFileSync(join(place.T, name, "deep", "secret.txt"), "inside");
  }
  const before = listing(join(place.T, "outside"));
  const swapper = await startSwapper([join(place.T, name), join(place.T, harmless), target, String(LIMIT_MS), kind]);
  const zeph = await place.runtime();
  try {
    await race(place, zeph);
    untouched(place);
    expect(listing(join(place.T, "outside"))).toEqual(before);
  } finally {
    await zeph.close();
    await stop(swapper);
    place.remove();
  }
}

function untouched({ T }: Workspace): void {
  expect(readFileSync(join(T, "outside/secret.txt"), "utf8")).toBe(SECRET);
  expect(readFileSync(join(T, "outside/deep/secret.txt"), "utf8")).toBe(SECRET);
}

async function startSwapper(args: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("swapper.mjs", import.meta.url)), ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout!, "data");
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

const listing = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();

/** Everything that regular files of a tree say; links are not followed. */
function contents(folder: string): string {
  if (!existsSync(folder)) return "";
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}
