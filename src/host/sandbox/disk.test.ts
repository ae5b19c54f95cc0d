import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSnapshot, realDisk } from "./disk.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-disk-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const NAMES = ["folder", "file", "link", "up", "gone", "loop", "away"];
beforeAll(() => {
  for (const folder of [base, join(base, "folder"), join(base, "folder/folder")]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "file"), "");
    symlinkSync("folder", join(folder, "link"));
    symlinkSync("..", join(folder, "up"));
    symlinkSync("nothing", join(folder, "gone"));
    symlinkSync("loop", join(folder, "loop"));
    symlinkSync(join(base, "folder"), join(folder, "away"));
  }
});

test("a snapshot says of any path what the disk says", () => {
  const step = fc.constantFrom(...NAMES, ".", "..", "", "missing");
  fc.assert(
    fc.property(fc.array(fc.array(step, { maxLength: 6 }), { minLength: 1, maxLength: 12 }), (asked) => {
      const snapshot = createSnapshot(realDisk);
      for (const path of asked.map((steps) => [base, ...steps].join("/"))) {
        expect([path, snapshot.real(path)]).toEqual([path, realDisk.real(path)]);
        expect([path, snapshot.kind(path)]).toEqual([path, realDisk.kind(path)]);
        expect([path, snapshot.isFolder(path)]).toEqual([path, realDisk.isFolder(path)]);
      }
    }),
  );
  expect([createSnapshot(realDisk).real("/"), createSnapshot(realDisk).real("/tmp")]).toEqual(["/", realpathSync("/tmp")]);
});

test("a snapshot looks at a path once, whatever becomes of it", () => {
  const looked: string[] = [];
  const kind = (path: string) => {
    looked.push(path);
    return realDisk.kind(path);
  };
  const snapshot = createSnapshot({ ...realDisk, kind });
  const path = join(base, "folder/file");
  expect([snapshot.real(path), snapshot.real(path), snapshot.kind(path)]).toEqual([path, path, "file"]);
  expect(looked.filter((one) => one === path)).toHaveLength(1);
  expect(snapshot.kind(join(base, "later"))).toBeNull();
  writeFileSync(join(base, "later"), "");
  expect(snapshot.kind(join(base, "later"))).toBeNull();
});
