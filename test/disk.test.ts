import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Outcome } from "../src/index.ts";
import { workspace } from "./workspace.ts";

const place = workspace();
const disk = join(place.work, "disk");
mkdirSync(disk);
const mount = (...args: string[]) => spawnSync("mount", args, { encoding: "utf8" }).status === 0;
/** A real full disk needs a real small disk, and only root can mount one. */
const mounted = process.getuid?.() === 0 && mount("-t", "tmpfs", "-o", "size=256k", "tmpfs", disk);
// Where all tests of a file are skipped, so is what comes after them.
if (!mounted) place.remove();
const said = (outcome: Outcome) => (outcome.ok ? "ok" : `${outcome.error.category}: ${outcome.error.message}`);

afterAll(() => {
  if (mounted) spawnSync("umount", [disk]);
  place.remove();
});

describe.runIf(mounted)("a disk that is full or read-only", () => {
  it("keeps the original and leaves no temporary file when space runs out", async () => {
    const zeph = await place.runtime();
    writeFileSync(join(disk, "a.txt"), "original");
    const big = "x".repeat(400_000);
    expect(said(await zeph.call("write", { path: "disk/a.txt", content: big }))).toMatch(/^permanent_failure: .*no space left/);
    expect(said(await zeph.call("edit", { path: "disk/a.txt", old_string: "original", new_string: big }))).toMatch(/no space left/);
    writeFileSync(join(place.work, "big.txt"), big);
    expect(said(await zeph.call("copy_path", { source: "big.txt", destination: "disk/big.txt" }))).toMatch(/no space left/);
    expect(said(await zeph.call("move_path", { source: "big.txt", destination: "disk/big.txt" }))).toMatch(/no space left/);
    expect(readdirSync(disk)).toEqual(["a.txt"]);
    expect(readFileSync(join(disk, "a.txt"), "utf8")).toBe("original");
    expect(readFileSync(join(place.work, "big.txt"), "utf8")).toBe(big);
    await zeph.close();
  });
  it("moves between file systems", async () => {
    const zeph = await place.runtime();
    mkdirSync(join(place.work, "tree/deep"), { recursive: true });
    writeFileSync(join(place.work, "tree/deep/f"), "f");
    expect(said(await zeph.call("move_path", { source: "tree", destination: "disk/tree" }))).toBe("ok");
    expect(readFileSync(join(disk, "tree/deep/f"), "utf8")).toBe("f");
    expect(readdirSync(place.work)).not.toContain("tree");
    await zeph.close();
  });
  it("says that a file system is read-only", async () => {
    mount("-o", "remount,ro", disk);
    const zeph = await place.runtime();
    expect(said(await zeph.call("write", { path: "disk/b.txt", content: "" }))).toMatch(/^permanent_failure: .*read-only file system/);
    expect(said(await zeph.call("delete_path", { path: "disk/a.txt" }))).toMatch(/read-only file system/);
    await zeph.close();
  });
});

it.runIf(process.env.REQUIRE_SANDBOX === "1" && process.getuid?.() === 0)("could mount a small disk", () => expect(mounted).toBe(true));
