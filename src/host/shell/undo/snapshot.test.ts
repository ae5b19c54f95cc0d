import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { takeSnapshot } from "./snapshot.ts";

// Other tests may take snapshots at the same time; this one looks at its own folder.
const own = mkdtempSync(join(tmpdir(), "zeph-snapshots-"));
process.env.TMPDIR = own;
afterAll(() => rmSync(own, { recursive: true, force: true }));
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
const options = (paths: string[], more = {}) => ({ paths, fixed: [] as string[], scope: ["**"], base, maxBytes: 0, ...more });
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

it("saves and puts back names that are no text, and names with a line break", async () => {
  const odd = Buffer.concat([Buffer.from(at("d/")), Buffer.from([0x61, 0xff, 0x0a, 0x62])]);
  writeFileSync(odd, "odd");
  const snapshot = await takeSnapshot(options([base]));
  writeFileSync(odd, "changed");
  writeFileSync(Buffer.concat([Buffer.from(at("new")), Buffer.from([0xfe])]), "new");
  expect(await snapshot.restore()).toMatchObject({ restored: [at("d/a\ufffd\nb")], removed: [at("new\ufffd")] });
  await snapshot.drop();
  expect(readFileSync(odd, "utf8")).toBe("odd");
});

it("puts back what lies in a folder whose owner may not write there", async () => {
  chmodSync(at("d"), 0o500);
  const snapshot = await takeSnapshot(options([base]));
  chmodSync(at("d"), 0o700);
  rmSync(at("d/b.txt"));
  chmodSync(at("d"), 0o000);
  await snapshot.restore();
  await snapshot.drop();
  expect(statSync(at("d")).mode & 0o777).toBe(0o500);
  chmodSync(at("d"), 0o700);
  expect(readFileSync(at("d/b.txt"), "utf8")).toBe("b");
});

describe("a folder that was moved away, with a link to another place under its name", () => {
  let outside = "";
  const swap = (name: string) => {
    renameSync(at(name), at("elsewhere"));
    symlinkSync(outside, at(name));
  };
  const outsideNow = () => readdirSync(outside, { recursive: true, encoding: "utf8" }).sort();
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), "zeph-outside-"));
    mkdirSync(join(outside, "o/p"), { recursive: true });
    writeFileSync(join(outside, "b.txt"), "outside");
    writeFileSync(join(outside, "o/p/x"), "outside");
  });
  afterEach(() => {
    expect(outsideNow()).toEqual(["b.txt", "o", "o/p", "o/p/x"]);
    expect(readFileSync(join(outside, "b.txt"), "utf8")).toBe("outside");
    rmSync(outside, { recursive: true, force: true });
  });

  it("gets its file back where it is now, and the other place is left alone", async () => {
    const snapshot = await takeSnapshot(options([at("d/b.txt")]));
    writeFileSync(at("d/b.txt"), "changed");
    swap("d");
    expect(await snapshot.restore()).toEqual({ restored: [at("d/b.txt")], removed: [], moved: [`${at("d")} to ${at("elsewhere")}`] });
    await snapshot.drop();
    expect(readFileSync(at("elsewhere/b.txt"), "utf8")).toBe("b");
  });
  it("is made again under its name when it was saved itself", async () => {
    const snapshot = await takeSnapshot(options([at("d")]));
    writeFileSync(at("d/b.txt"), "changed");
    swap("d");
    await snapshot.restore();
    await snapshot.drop();
    expect([readFileSync(at("d/b.txt"), "utf8"), readFileSync(at("d/deep/c.txt"), "utf8")]).toEqual(["b", "c"]);
  });
  it("is made again inside of a workspace that is saved as a whole", async () => {
    const snapshot = await takeSnapshot(options([base], { fixed: [base] }));
    swap("d");
    await snapshot.restore();
    await snapshot.drop();
    expect(readdirSync(base).sort()).toEqual(["a.txt", "d"]);
    expect(readFileSync(at("d/b.txt"), "utf8")).toBe("b");
  });
  it("keeps what lies behind a link where nothing was before", async () => {
    const snapshot = await takeSnapshot(options([at("n/o/p")]));
    symlinkSync(outside, at("n"));
    await snapshot.restore();
    await snapshot.drop();
  });
  it("is not followed when the workspace itself is replaced by a link", async () => {
    const snapshot = await takeSnapshot(options([base], { fixed: [base] }));
    writeFileSync(at("a.txt"), "changed");
    const away = `${base}-away`;
    renameSync(base, away);
    symlinkSync(outside, base);
    await snapshot.restore();
    await snapshot.drop();
    expect(readFileSync(join(away, "a.txt"), "utf8")).toBe("a");
    rmSync(base);
    renameSync(away, base);
  });
});
