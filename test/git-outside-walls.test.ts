import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { currentBranch } from "../src/files/git-repository.ts";
import { readGitSettings } from "../src/host/workday/git-settings.ts";
import { findRepositorySecrets } from "../src/host/workday/repository-secrets.ts";
import { examineGit } from "../src/runtime/create.ts";
import { listWorkspaceFiles } from "../src/runtime/person/list-files.ts";
import { scripted } from "./e2e/scripted.ts";
import { hasTmux } from "./e2e/tmux.ts";
import { tmuxWindow } from "./e2e/tmux-window.ts";
import { box } from "./e2e/zeph.ts";
import { PREPARED, type Prepared, recordingProgram } from "./prepared-repository.ts";

let root: string;
let place: Prepared;
let proof: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "zeph-prepared-")));
  proof = join(root, "proof");
  const folders = ["top", "beside"].map((name) => join(root, name)) as [string, string];
  for (const folder of folders) mkdirSync(folder);
  place = { top: folders[0], beside: folders[1], program: recordingProgram(join(root, "programs"), proof) };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));
const ran = () => (existsSync(proof) ? readFileSync(proof, "utf8") : "");

describe("the programs of a prepared folder do run when git is asked there", () => {
  it.each([
    ["core.fsmonitor", ["status"]],
    ["core.hooksPath", ["status"]],
    ["filter.*", ["diff", "--quiet"]],
    ["aliases with !", ["st"]],
    ["include.path", ["status"]],
    ["includeIf", ["status"]],
    ["config.worktree", ["status"]],
    ["a partial clone that lacks a folder", ["ls-files", "-co"]],
    ["a .git file that leads to another folder", ["status"]],
    ["a worktree of another folder", ["status"]],
    ["a .git that is a link", ["status"]],
    ["a bare repository in the folder itself", ["status"]],
  ] as const)("%s", (name, args) => {
    PREPARED[name]!(place);
    spawnSync("git", args, { cwd: place.top, timeout: 5000 });
    expect(ran()).not.toBe("");
  });
});

describe("nothing is run, and nobody waits, in a folder with", () => {
  it.each(Object.keys(PREPARED))("%s", async (name) => {
    PREPARED[name]!(place);
    const home = join(root, "home");
    mkdirSync(home);
    const began = performance.now();
    await listWorkspaceFiles(place.top);
    currentBranch(place.top);
    examineGit(place.top, {
      HOME: home,
      PATH: `${recordingProgram(join(root, "bin"), proof, "git").replace(/\/git$/, "")}:${process.env.PATH}`,
    });
    readGitSettings({ cwd: place.top, home, env: {}, user: undefined });
    writeFileSync(join(place.top, "in.env"), "");
    writeFileSync(join(place.top, ".env"), "SECRET=1\n");
    expect(findRepositorySecrets({ top: place.top, workspace: join(place.top, "in") }).shown).toEqual([]);
    expect(ran()).toBe("");
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

it("what a file of a repository says of its own settings includes nothing for a person", () => {
  PREPARED["include.path"]!(place);
  writeFileSync(join(place.beside, "included"), "[user]\n\temail = evil@example.org\n[commit]\n\tgpgSign\n");
  const found = readGitSettings({ cwd: place.top, home: place.beside, env: {}, user: undefined });
  expect(found).toMatchObject({ isSigning: false, isRepositorySigning: false });
  expect(found.person).not.toContain("evil");
});

it("the menu has the files that are not ignored, tracked or not", async () => {
  execFileSync("git", ["init", "-q"], { cwd: place.top });
  for (const name of [".gitignore", "a.txt", ".hidden", "built", "in"]) writeFileSync(join(place.top, name), "built\n");
  expect((await listWorkspaceFiles(place.top)).sort()).toEqual([".gitignore", ".hidden", "a.txt", "in"]);
});

/** A chat and doctor as a person starts them, in a folder with all of it, behind a PATH whose git says that it ran. */
function prepared(name: string) {
  const here = box();
  PREPARED[name]!({ ...place, top: here.cwd });
  scripted(here, []);
  const folder = join(here.cwd, "node_modules/.bin");
  for (const program of ["git", "rg"]) recordingProgram(folder, proof, program);
  return { here, env: { PATH: `${folder}:${process.env.PATH}` } };
}

it("doctor starts nothing in the folder", async () => {
  const { here, env } = prepared("a partial clone that lacks a folder");
  const { stdout } = await here.runProcess(["doctor", "--json"], { env });
  expect(stdout).toContain("this folder is in a repository");
  expect(ran()).toBe("");
});

it.skipIf(!hasTmux)("the menu behind @ and the status line start nothing in the folder", async () => {
  const { here, env } = prepared("a partial clone that lacks a folder");
  const window = tmuxWindow(here, "", { env });
  await window.see("what shall be done?");
  await window.see("main");
  window.type("see @a.t");
  await window.see("@a.txt");
  expect(ran()).toBe("");
});
