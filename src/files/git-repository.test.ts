import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { currentBranch } from "./git-repository.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-branch-")));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const main = join(base, "main");
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.example", ...args], { cwd, encoding: "utf8" });
beforeAll(() => {
  mkdirSync(join(main, "a/b"), { recursive: true });
  git(main, "init", "-q", "-b", "some/branch");
  git(main, "commit", "-q", "--allow-empty", "-m", "first");
  git(main, "worktree", "add", "-q", "-b", "other", join(base, "tree"));
  git(main, "worktree", "add", "-q", "--detach", join(base, "detached"));
});

it("the branch is that of the repository around the folder, also from below, in a worktree and without a branch", () => {
  expect([main, join(main, "a/b"), join(base, "tree")].map(currentBranch)).toEqual(["some/branch", "some/branch", "other"]);
  const commit = git(main, "rev-parse", "HEAD").trim();
  expect(commit.startsWith(currentBranch(join(base, "detached"))!)).toBe(true);
  expect([currentBranch(base), currentBranch("/")]).toEqual([undefined, undefined]);
});
