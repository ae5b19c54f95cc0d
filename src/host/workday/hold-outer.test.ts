import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, it, onTestFinished } from "vitest";
import { clearOuter, prepareOuter } from "./hold-outer.ts";

let base: string;
let git: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-outer-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  git = join(base, "git");
  mkdirSync(git);
});

it("Hooks are made where git would look, and what takes settings from elsewhere goes", () => {
  prepareOuter(git);
  expect(readdirSync(git)).toEqual(["hooks"]);
  expect(clearOuter([git, join(base, "missing")])).toEqual([]);
  writeFileSync(join(git, "commondir"), "../evil");
  expect(clearOuter([git])).toEqual([expect.stringContaining("It was removed.")]);
  expect(existsSync(join(git, "commondir"))).toBe(false);
});

it("Nothing is made or removed where a link leads that was put in the place of the folder", () => {
  renameSync(git, join(base, "elsewhere"));
  writeFileSync(join(base, "elsewhere", "commondir"), "mine");
  symlinkSync("elsewhere", git);
  prepareOuter(git);
  expect(clearOuter([git])).toEqual([expect.stringContaining("could not be removed")]);
  expect(readdirSync(join(base, "elsewhere"))).toEqual(["commondir"]);
});
