import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { takeSnapshot } from "./snapshot.ts";

// Other tests may take snapshots at the same time; this one looks at its own folder.
process.env.TMPDIR = mkdtempSync(join(tmpdir(), "zeph-snapshots-"));
let base = "";
const at = (name: string) => join(base, name);
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "zeph-snap-"));
  mkdirSync(at("d/deep"), { recursive: true });
  writeFileSync(at("a.txt"), "a");
  writeFileSync(at("d/b.txt"), "b");
  writeFileSync(at("d/deep/c.txt"), "c");
  symlinkSync("b.txt", at("d/link"));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));
const options = (paths: string[], more = {}) => ({ paths, scope: ["**"], base, maxBytes: 0, ...more });
const leftovers = () => readdirSync(tmpdir()).filter((name) => name.startsWith("zeph-snapshot-"));

it("puts back what changed, removes what is new, and leaves the rest alone", async () => {
  const before = leftovers();
  const untouched = statSync(at("d/deep/c.txt"));
  const snapshot = await takeSnapshot(options([base]));
  writeFileSync(at("a.txt"), "changed");
  rmSync(at("d/b.txt"));
  rmSync(at("d/link"));
  mkdirSync(at("d/b.txt"));
  writeFileSync(at("d/b.txt/x"), "x");
  mkdirSync(at("new/deep"), { recursive: true });
  writeFileSync(at("new/deep/n"), "n");
  chmodSync(at("d/deep"), 0o700);
  const { restored, removed } = await snapshot.restore();
  await snapshot.drop();
  expect([...removed].sort()).toEqual([at("d/b.txt"), at("new")]);
  expect([...restored].sort()).toEqual([at("a.txt"), at("d/b.txt"), at("d/deep"), at("d/link")].sort());
  expect([readFileSync(at("a.txt"), "utf8"), readFileSync(at("d/b.txt"), "utf8"), readlinkSync(at("d/link"))]).toEqual(["a", "b", "b.txt"]);
  expect(statSync(at("d/deep/c.txt")).ino).toBe(untouched.ino);
  expect(existsSync(at("new"))).toBe(false);
  expect(leftovers()).toEqual(before);
});

it("brings a whole folder back", async () => {
  const snapshot = await takeSnapshot(options([at("d")]));
  rmSync(at("d"), { recursive: true });
  await snapshot.restore();
  await snapshot.drop();
  expect(readFileSync(at("d/deep/c.txt"), "utf8")).toBe("c");
});

it("keeps to the paths and the scope it was given", async () => {
  const snapshot = await takeSnapshot(options([at("d")], { scope: ["d/*.txt"] }));
  writeFileSync(at("a.txt"), "changed");
  writeFileSync(at("d/b.txt"), "changed");
  writeFileSync(at("d/deep/c.txt"), "changed");
  writeFileSync(at("d/new.md"), "new");
  await snapshot.restore();
  await snapshot.drop();
  expect([readFileSync(at("a.txt"), "utf8"), readFileSync(at("d/b.txt"), "utf8"), readFileSync(at("d/deep/c.txt"), "utf8")]).toEqual([
    "changed",
    "b",
    "changed",
  ]);
  expect(existsSync(at("d/new.md"))).toBe(true);
});

it("refuses more than the cap and leaves nothing behind", async () => {
  const before = leftovers();
  await expect(takeSnapshot(options([base], { maxBytes: 2 }))).rejects.toThrow("max_snapshot_bytes");
  expect(leftovers()).toEqual(before);
});

it("says when only a part could be put back", async () => {
  const before = leftovers();
  const snapshot = await takeSnapshot(options([base]));
  writeFileSync(at("a.txt"), "changed");
  // The saved copies are gone, so nothing can be put back.
  rmSync(join(tmpdir(), leftovers().find((name) => !before.includes(name))!), { recursive: true });
  await expect(snapshot.restore()).rejects.toThrow(/only a part could be put back; by hand: .*a\.txt/);
});
