import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outcome, Question, Zeph } from "../../src/index.ts";
import { type Workspace, workspace } from "../workspace.ts";

let place: Workspace;
let works = false;
let questions: Question[] = [];
const outside = () => join(place.T, "outside");
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a.example", ...args], { cwd, encoding: "utf8", stdio: "pipe" });
const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);
const open = (answer: "once" | "no" | null) =>
  place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") } },
    ...(answer !== null && {
      confirm: (question: Question) => {
        questions.push(question);
        return answer;
      },
    }),
  });
const run = (zeph: Zeph, command: string) => zeph.call("bash", { command });

beforeAll(async () => {
  place = workspace([{ op: "file", path: "work/a.txt", content: "a\n" }]);
  git(place.work, "init", "-q", "-b", "main");
  git(place.work, "add", "-A");
  git(place.work, "commit", "-qm", "one");
  mkdirSync(outside());
  git(outside(), "clone", "-q", "--bare", place.work, "a.git");
  git(place.work, "remote", "add", "origin", join(outside(), "a.git"));
  const zeph = await open("once");
  const first = await run(zeph, "true");
  works = first.ok && first.output.walls?.backend === "bubblewrap";
  await zeph.close();
});
afterAll(() => place.remove());

describe("A repository of the person's outside of the workspace", () => {
  it("is opened by a yes, once in a session, and for writing by another", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    questions = [];
    const zeph = await open("once");
    try {
      expect(said(await run(zeph, "git fetch -q origin && echo fetched"))).toBe("fetched");
      expect(questions.map(({ why }) => why.join(" "))).toEqual([expect.stringMatching(/^Open .*\/outside\/a\.git for this session\?/)]);
      expect(said(await run(zeph, "git fetch -q && git ls-remote -q ../outside/a.git | wc -l"))).toMatch(/^\d+$/);
      expect(questions).toHaveLength(1);
      expect(said(await run(zeph, "git push -q origin HEAD:refs/heads/agent && echo pushed"))).toBe("pushed");
      expect(questions.at(-1)!.why.join(" ")).toMatch(/a\.git for writing for this session/);
      expect(git(join(outside(), "a.git"), "branch", "--list", "agent")).toContain("agent");
      expect(said(await run(zeph, "git push -q origin HEAD:refs/heads/more && echo pushed"))).toBe("pushed");
      expect(questions).toHaveLength(2);
      // What is no git command does not see it.
      expect((await run(zeph, `ls ${join(outside(), "a.git")}`)).ok).toBe(false);
    } finally {
      await zeph.close();
    }
  });

  it("keeps its hooks and settings while commands may push to it", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    const zeph = await open("once");
    const bare = join(outside(), "a.git");
    execFileSync("rm", ["-rf", join(bare, "hooks")]);
    const config = readFileSync(join(bare, "config"), "utf8");
    try {
      await run(
        zeph,
        `git push -q origin HEAD:refs/heads/hooked; mkdir -p ${bare}/hooks; for f in hooks/post-receive config config.worktree commondir info/attributes; do echo evil >> ${bare}/$f; done; git -C ${bare} config core.hooksPath /tmp; mv ${bare}/hooks ${bare}/h; true`,
      );
      expect(git(bare, "branch", "--list", "hooked")).toContain("hooked");
      expect(readFileSync(join(bare, "config"), "utf8")).toBe(config);
      expect(existsSync(join(bare, "hooks/post-receive"))).toBe(false);
      expect(existsSync(join(bare, "commondir"))).toBe(false);
      expect(existsSync(join(bare, "h"))).toBe(false);
    } finally {
      await zeph.close();
    }
  });

  it("stays closed by a no, and where nobody can be asked, with a word how to open it", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    const refusing = await open("no");
    expect(said(await run(refusing, "git fetch -q origin"))).toMatch(/^policy_blocked/);
    await refusing.close();
    const alone = await open(null);
    expect(said(await run(alone, "git fetch -q origin"))).toMatch(/^confirmation_required: .*a\.git/s);
    await alone.close();
  });

  it("is no other folder: none that a command could have named by a link, no private place, nobody else's, nothing that is no repository", async ({
    skip,
  }) => {
    skip(!works, "needs bubblewrap");
    questions = [];
    const zeph = await open("once");
    try {
      const home = join(place.T, "outside", ".ssh");
      git(outside(), "init", "-q", "--bare", ".ssh/x.git");
      mkdirSync(join(outside(), "plain"));
      symlinkSync(join(outside(), "a.git"), join(place.work, "link"));
      for (const named of [join(home, "x.git"), "../outside/plain", "./link", "/etc"]) await run(zeph, `git fetch -q ${named}`);
      const opening = () => questions.filter(({ why }) => /^Open /.test(why.join()));
      expect(opening()).toEqual([]);
      writeFileSync(join(outside(), "plain", "HEAD"), "ref: refs/heads/main\n");
      chmodSync(join(outside(), "plain"), 0o755);
      await run(zeph, "git fetch -q ../outside/plain");
      expect(opening()).toEqual([]);
    } finally {
      await zeph.close();
    }
  });
});
