import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { isSmallTree } from "./tree-size.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "zeph-size-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function fill(path: string, folders: number, files: number): void {
  for (let n = 0; n < folders; n++) {
    mkdirSync(join(path, `d${n}`), { recursive: true });
    for (let m = 0; m < files; m++) writeFileSync(join(path, `d${n}`, `f${m}`), "");
  }
}

describe("A tree", () => {
  test.each([
    ["small: a few files", 3, 20, true],
    ["large: many files in few folders", 5, 100, false],
    ["large: many folders", 80, 1, false],
  ])("is %s", (_what, folders, files, small) => {
    const path = folder();
    fill(path, folders, files);
    expect(isSmallTree(path, path)).toBe(small);
  });

  test("is small whatever lies in .git or behind a link", () => {
    const [path, other] = [folder(), folder()];
    fill(join(path, ".git"), 5, 100);
    fill(other, 5, 100);
    symlinkSync(other, join(path, "link"));
    expect(isSmallTree(path, path)).toBe(true);
  });

  test("is counted again after a while", () => {
    const path = folder();
    expect(isSmallTree(path, path, 0)).toBe(true);
    fill(path, 5, 100);
    expect(isSmallTree(path, path, 5000)).toBe(true);
    expect(isSmallTree(path, path, 20_000)).toBe(false);
  });

  test("that is not there is small", () => expect(isSmallTree("/nowhere/at/all", "/nowhere/at/all")).toBe(true));
});
