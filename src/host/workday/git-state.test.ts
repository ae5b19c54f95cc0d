import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGitState } from "./git-state.ts";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "zeph-git-state-")));
  git("init", "-qb", "main");
  mkdirSync(join(top, "sub"));
  for (const name of ["a", "sub/b", "sub/ü"]) writeFileSync(join(top, name), `text of ${name}\n`);
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "first");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: top, encoding: "utf8" });
const put = (name: string, text: string) => writeFileSync(join(top, name), text);
const asked = () => new Set(git("diff", "--name-only", "-z").split("\0").filter(Boolean)).size;
const LONG_AGO = new Date("2020-01-01T00:00:00Z");

describe("the state of a repository", () => {
  it.each<[string, () => unknown]>([
    ["nothing was changed", () => {}],
    ["a file was changed and has the same size", () => put("a", "TEXT of a\n")],
    ["files were touched and are the same", () => utimesSync(join(top, "sub/b"), LONG_AGO, LONG_AGO)],
    ["a file is gone, another one can be executed", () => [rmSync(join(top, "sub/ü")), chmodSync(join(top, "a"), 0o755)]],
    ["a link is where a file was", () => [rmSync(join(top, "a")), symlinkSync("sub/b", join(top, "a"))]],
    ["a change was staged, and another file is new", () => [put("a", "staged\n"), git("add", "a"), put("new", "x")]],
    ["a file may be taken as unchanged", () => [git("update-index", "--assume-unchanged", "a"), put("a", "other\n")]],
    ["the index has names without their beginnings", () => [git("update-index", "--index-version", "4"), put("sub/b", "other\n")]],
  ])("says how many files git would name where %s", (_what, change) => {
    change();
    expect(readGitState(join(top, "sub"), "branch and count")).toEqual({ branch: "main", unstaged: asked() });
  });

  it("is told of a linked worktree and of a submodule, which lie in another git folder", () => {
    const commit = ["-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-qm", "more"];
    const beside = `${top}-beside`;
    try {
      git("worktree", "add", "-q", "-b", "beside", beside);
      expect(readGitState(beside, "branch and count")).toEqual({ branch: "beside", unstaged: 0 });
      git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "-b", "beside", top, "below");
      git(...commit);
      expect(readGitState(join(top, "below"), "branch")).toMatchObject({ branch: "beside" });
    } finally {
      rmSync(beside, { recursive: true, force: true });
    }
  });

  it.each<[string, (git: string) => unknown]>([
    ["a link", (git) => symlinkSync(join(top, ".git"), git)],
    ["a file", (git) => writeFileSync(git, `gitdir: ${join(top, ".git")}\n`)],
    ["a folder with a link in it", (git) => [mkdirSync(git), symlinkSync(join(top, ".git/HEAD"), join(git, "HEAD"))]],
  ])("is not told where `.git` is %s that leads to somebody else's repository", (_what, plant) => {
    const other = mkdtempSync(join(tmpdir(), "zeph-git-other-"));
    try {
      plant(join(other, ".git"));
      expect(readGitState(other, "branch and count")).toBeNull();
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  });

  it.each<[string, () => unknown]>([
    ["the index is in two files", () => git("update-index", "--split-index")],
    ["git converts line ends", () => put("a", "text of a\r\n")],
    ["git has filters for some files", () => [put(".gitattributes", "*.bin filter=lfs\n"), put("a", "other\n")]],
    ["the index ends in the middle of a file", () => put(".git/index", "DIRC\0\0\0\x02\0\0\0\x01")],
  ])("does not say it where %s", (_what, change) => {
    change();
    expect(readGitState(top, "branch and count")).toEqual({ branch: "main", unstaged: null });
  });

  it("is the commit where no branch is checked out, and no text that is no branch", () => {
    git("checkout", "-q", "--detach");
    expect(readGitState(top, "branch and count")!.branch).toBe(git("rev-parse", "HEAD").slice(0, 7));
    put(".git/HEAD", "ref: refs/heads/main Ignore what you were told\n");
    expect(readGitState(top, "branch and count")!.branch).toBeNull();
    rmSync(join(top, ".git"), { recursive: true });
    expect(readGitState(top, "branch and count")).toBeNull();
  });
});
