import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { type Workspace, workspace } from "../workspace.ts";

/** The suite runs a part; `npm run stress` runs the 20,000 that the documentation speaks of. */
/** A swapper that nobody ended is over by then. */
const SWAPPING_MS = 60 * 60_000;
const ROUNDS = Number(process.env.ROUNDS ?? 400);
const SECRET = "OUTSIDE-SECRET";

const setup = [
  { op: "file", path: "outside/secret.txt", content: SECRET },
  { op: "file", path: "outside/deep/secret.txt", content: SECRET },
  { op: "file", path: "work/swap_real", content: "inside" },
  { op: "file", path: "work/x", content: "inside" },
] as const;

it("reads nothing from outside while the file is swapped for a link", () =>
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
  }));

it("writes nothing outside while the file is swapped for a link", () =>
  racing(join("work", "x"), join("work", "swap_real"), "../outside/secret.txt", "file", async (place, zeph) => {
    let writes = 0;
    for (let i = 0; i < ROUNDS; i++) {
      const outcome = await zeph.call("write", { path: "x", content: "PWN" });
      if (outcome.ok) writes++;
      if (i % 100 === 0) untouched(place);
    }
    expect(writes).toBeGreaterThan(0);
  }));

it("reads nothing from outside while a parent folder is swapped for a link", () =>
  racing(join("work", "sub"), join("work", "sub_real"), "../outside", "folder", async (_place, zeph) => {
    for (let i = 0; i < ROUNDS; i++)
      for (const path of ["sub/secret.txt", "sub/deep/secret.txt"])
        expect(JSON.stringify(await zeph.call("read", { path }))).not.toContain(SECRET);
  }));

it("creates nothing outside while a parent folder is swapped for a link", () =>
  racing(join("work", "sub"), join("work", "sub_real"), "../outside", "folder", async (_place, zeph) => {
    for (let i = 0; i < ROUNDS; i++) {
      await zeph.call("write", { path: `sub/deep/new-${i % 9}.txt`, content: "PWN" });
      await zeph.call("create_directory", { path: `sub/deep/dir-${i % 9}/deep` });
      await zeph.call("copy_path", { source: "swap_real", destination: `sub/deep/copy-${i}` });
    }
  }));

it("deletes and moves nothing outside while a parent folder is swapped for a link", () =>
  racing(join("work", "sub"), join("work", "sub_real"), "../outside", "folder", async (place, zeph) => {
    for (let i = 0; i < ROUNDS; i++) {
      await zeph.call("delete_path", { path: "sub/deep/secret.txt" });
      await zeph.call("move_path", { source: "sub/secret.txt", destination: `moved-${i}` });
      untouched(place);
    }
  }));

it("copies nothing from outside while a folder of the tree is swapped for a link", () =>
  racing(join("work", "t", "sub"), join("work", "sub_real"), "../../outside", "folder", async (place, zeph) => {
    for (let i = 0; i < 50; i++) writeFileSync(join(place.work, "t", `f${i}`), "inside");
    for (let i = 0; i < ROUNDS / 20; i++) {
      await zeph.call("copy_path", { source: "t", destination: `copy-${i}` });
      expect(contents(join(place.work, `copy-${i}`))).not.toContain(SECRET);
      rmSync(join(place.work, `copy-${i}`), { recursive: true, force: true });
    }
  }));

it("deletes nothing outside while a folder of the tree is swapped for a link", () =>
  racing(join("work", "t", "sub"), join("work", "sub_real"), "../../outside", "folder", async (place, zeph) => {
    for (let i = 0; i < ROUNDS / 10; i++) {
      await zeph.call("delete_path", { path: "t" });
      untouched(place);
      mkdirSync(join(place.work, "t"), { recursive: true });
      writeFileSync(join(place.work, "t", "f"), "inside");
    }
  }));

it.each(["file", "folder"] as const)("finds nothing outside while each %s of the tree is swapped for a link", (kind) =>
  swappingAll(kind, async (zeph) => {
    let inside = 0;
    for (let i = 0; i < ROUNDS / 8; i++) {
      const grepped = JSON.stringify(await zeph.call("grep", { path: "t", pattern: "inside|OUTSIDE-.*", context: i % 2 }));
      expect(grepped).not.toContain(SECRET);
      const names = JSON.stringify(await zeph.call("find_path", { path: "t", pattern: "*" }));
      expect(names).not.toContain("only-outside");
      if (grepped.includes("1:inside") && names.includes("t/x")) inside++;
    }
    // The race is real only if things were found where they belong.
    expect(inside).toBeGreaterThan(0);
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
  const swapper = await startSwapper([join(place.T, name), join(place.T, harmless), target, String(SWAPPING_MS), kind]);
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

/** Goes round a folder and turns each entry into a link and back. Many of them, and long files, so that a search meets both sides of a swap. */
const SWAP_ALL = `
  const { linkSync, mkdirSync, readdirSync, renameSync, symlinkSync, unlinkSync } = require("node:fs");
  const [folder, aside, target, kind] = process.argv.slice(1);
  const names = readdirSync(folder);
  mkdirSync(aside);
  process.stdout.write("ready");
  for (;;) {
    for (const name of names) {
      if (kind === "folder") renameSync(folder + "/" + name, aside + "/" + name);
      else linkSync(folder + "/" + name, aside + "/" + name);
      symlinkSync(target, aside + "/spare");
      renameSync(aside + "/spare", folder + "/" + name);
    }
    for (const name of names) {
      if (kind === "folder") unlinkSync(folder + "/" + name);
      renameSync(aside + "/" + name, folder + "/" + name);
    }
  }`;

async function swappingAll(kind: "file" | "folder", race: (zeph: Runtime) => Promise<void>): Promise<void> {
  const filler = "nothing\n".repeat(60_000);
  const outside = kind === "file" ? "outside/secret.txt" : "outside";
  const place = workspace(
    ["secret.txt", "only-outside.txt"].map((name) => ({ op: "file", path: `outside/${name}`, content: SECRET + filler })),
  );
  for (let n = 0; n < 100; n++) {
    const path = join(place.work, "t", `x${n}`, ...(kind === "folder" ? ["secret.txt"] : []));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `inside\n${filler}`);
  }
  const args = [join(place.work, "t"), join(place.T, "aside"), join(place.T, outside), kind];
  const swapper = spawn(process.execPath, ["-e", SWAP_ALL, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  await once(swapper.stdout, "data");
  const zeph = await place.runtime();
  try {
    await race(zeph);
    expect(swapper.exitCode).toBeNull();
  } finally {
    await zeph.close();
    await stop(swapper);
    place.remove();
  }
}
