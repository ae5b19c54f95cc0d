import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Answer, Outcome, Question, Zeph } from "../../src/index.ts";
import { type Workspace, workspace } from "../workspace.ts";

let place: Workspace;
let works = false;
let questions: Question[] = [];
const at = (path: string) => join(place.T, path);
const git = (cwd: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@a.example", ...args], { cwd, encoding: "utf8", stdio: "pipe" });
const said = (outcome: Outcome) => (outcome.ok ? outcome.output.text : `${outcome.error.category}: ${outcome.error.message}`);
const text = (path: string) => readFileSync(at(path), "utf8");

/** Answers what is asked about the repository; everything else is a yes. */
const open = (answer: Answer | null, sandbox: object = {}, cwd = at("mono/packages/app")) =>
  place.runtime({
    cwd,
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { sandbox } },
    confirm: (question: Question) => {
      if (question.whole_repository === undefined) return "once";
      questions.push(question);
      return answer;
    },
  });
const run = (zeph: Zeph, command: string) => zeph.call("bash", { command });
const using = async <T>(zeph: Zeph, act: (zeph: Zeph) => Promise<T>): Promise<T> => act(zeph).finally(() => zeph.close());

/** The one repository that was made, of which each test has a copy. */
let template: Workspace;
beforeAll(() => {
  template = workspace([
    { op: "file", path: "mono/packages/app/a.txt", content: "a\n" },
    { op: "file", path: "mono/packages/lib/b.txt", content: "b\n" },
    { op: "file", path: "mono/.gitignore", content: ".env\n" },
  ]);
  const mono = join(template.T, "mono");
  git(mono, "init", "-q", "-b", "main");
  git(mono, "add", "-A");
  git(mono, "commit", "-qm", "one");
  git(mono, "switch", "-qc", "other");
  for (const name of ["app/a", "lib/b"]) writeFileSync(join(mono, `packages/${name}.txt`), "changed\n");
  git(mono, "commit", "-qam", "two");
  git(mono, "switch", "-q", "main");
  writeFileSync(join(mono, "packages/lib/.env"), "CANARY-SECRET\n");
});
afterAll(() => template.remove());
beforeEach(() => {
  questions = [];
  place = workspace();
  cpSync(template.T, place.T, { recursive: true, preserveTimestamps: true });
  git(at("mono"), "update-index", "-q", "--refresh");
});
afterEach(() => place.remove());
beforeAll(async () => {
  const probe = workspace();
  const zeph = await probe.runtime({ confirm: () => "once" });
  const first = await run(zeph, "true");
  works = first.ok && first.output.walls?.backend === "bubblewrap";
  await zeph.close();
  probe.remove();
});

describe("A command that changes files of the repository around the workspace", () => {
  it("is asked about once, and a yes opens all of it for the session", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("session"), async (zeph) => {
      expect(
        said(
          await run(
            zeph,
            "git status --porcelain && echo x > x && git add x && git -c user.name=a -c user.email=a@a.example commit -qm x && git log --oneline | wc -l",
          ),
        ),
      ).toBe("2");
      expect(questions).toEqual([]);
      expect(said(await run(zeph, "git switch -q other && git branch --show-current"))).toBe("other");
      expect(text("mono/packages/lib/b.txt")).toBe("changed\n");
      expect(said(await run(zeph, "git switch -q main && echo y > ../lib/y && echo done"))).toBe("done");
      expect(text("mono/packages/lib/y")).toBe("y\n");
    });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatchObject({
      wants: `This folder is part of the repository ${at("mono")}. May commands change all of it?`,
      whole_repository: at("mono"),
    });
    expect(place.audit()).toContain('answered \\"all of it\\" about commands changing the repository');
  });

  it("goes on in its own folder alone where the answer is only here, and is not asked about again", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("no"), async (zeph) => {
      const first = said(await run(zeph, "git switch -q other"));
      expect(first).toMatch(
        /is part of the repository .*\/mono, and commands change this folder alone: that was your answer\. Start Zeph in/,
      );
      git(at("mono"), "switch", "-qf", "main");
      expect(said(await run(zeph, "git merge -q other"))).toContain("that was your answer");
    });
    expect(questions).toHaveLength(1);
    expect(text("mono/packages/lib/b.txt")).toBe("b\n");
  });

  it.each([["once"], ["always"], ["edits"], [null]] as const)("is not opened to by the answer %s", async (answer) => {
    if (!works) return;
    await using(await open(answer), async (zeph) => {
      expect(said(await run(zeph, "git switch -q other"))).toContain("and commands change this folder alone");
    });
    expect(questions).toHaveLength(1);
    expect(text("mono/packages/lib/b.txt")).toBe("b\n");
  });

  it("is asked about after a write was refused, and says that it can be run again", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("session"), async (zeph) => {
      const script = "import pathlib\npathlib.Path('../lib/new').write_text('n')\n";
      writeFileSync(at("mono/packages/app/run.py"), script);
      expect(said(await run(zeph, "python3 run.py"))).toContain("It is open to commands from now on: run it again.");
      expect(questions[0]!.why[0]).toContain(`wanted to write ${at("mono/packages/lib/new")}`);
      expect((await run(zeph, "python3 run.py")).ok).toBe(true);
    });
    expect(questions).toHaveLength(1);
    expect(text("mono/packages/lib/new")).toBe("n");
  });

  it.each([
    "git switch -c fresh",
    "git checkout -b fresh",
    "git checkout -- a.txt",
    "git checkout a.txt",
    "git restore a.txt",
    "git stash list",
    "git reset -q",
    "git log -1",
    "git init -q inner && cd inner && git checkout -q -b b",
  ])("is not asked about for %s", async (command) => {
    if (!works) return;
    await using(await open("session"), async (zeph) => {
      expect(said(await run(zeph, command))).not.toContain("policy_blocked");
    });
    expect(questions).toEqual([]);
  });

  it("is not asked about where the settings answer: whole opens it, here does not", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("session", { outer_repository: "here" }), async (zeph) => {
      expect(said(await run(zeph, "git switch -q other"))).toContain("your settings say so");
    });
    git(at("mono"), "reset", "-q", "--hard");
    await using(await open("no", { outer_repository: "whole" }), async (zeph) => {
      expect((await run(zeph, "git switch -q other")).ok).toBe(true);
    });
    expect(questions).toEqual([]);
  });

  it("is rehearsed with all of the repository, and nothing of it is changed", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("session"), async (zeph) => {
      const dry = await zeph.dryRun("git switch -q other; rm ../lib/b.txt");
      expect(JSON.stringify(dry.ok && dry.output.raw)).toContain("packages/lib/b.txt");
    });
    expect(questions).toHaveLength(1);
    expect(text("mono/packages/lib/b.txt")).toBe("b\n");
    expect(git(at("mono"), "branch", "--show-current")).toBe("main\n");
  });

  it("is undone in all of the repository where commands are", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    const zeph = await place.runtime({
      cwd: at("mono/packages/app"),
      config: {
        audit: { path: join(place.state, "audit.jsonl") },
        tools: { shell: { transactional: true, auto_rollback: true, auto_rollback_exit_codes: [7], transaction_scope: ["**"] } },
      },
      confirm: ({ whole_repository }) => (whole_repository === undefined ? "once" : "session"),
    });
    await using(zeph, async () => {
      const out = said(
        await zeph.call(
          "bash",
          { command: "echo evil > ../lib/b.txt; echo evil > a.txt; touch ../lib/new; exit 7" },
          { phase: "executor" },
        ),
      );
      expect(out).toContain("rolled back");
    });
    expect([text("mono/packages/lib/b.txt"), text("mono/packages/app/a.txt")]).toEqual(["b\n", "a\n"]);
    expect(existsSync(at("mono/packages/lib/new"))).toBe(false);
  });
});

describe("A file named like a credential in the repository around the workspace", () => {
  const STAGE =
    "git -C ../.. update-index --add --cacheinfo 100644,$(echo x | git hash-object -w --stdin),packages/lib/.env && echo staged";

  it("is not shown because a command tells git that it keeps it", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("no"), async (zeph) => {
      expect(said(await run(zeph, "cat ../lib/.env"))).not.toContain("CANARY");
      expect(said(await run(zeph, STAGE))).toBe("staged");
      expect(said(await run(zeph, "cat ../lib/.env"))).not.toContain("CANARY");
    });
    await using(await open("no"), async (zeph) => {
      expect(said(await run(zeph, "git ls-files --error-unmatch ../lib/.env && cat ../lib/.env"))).not.toContain("CANARY");
    });
  });

  it("is shown where git has that very text of it", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    git(at("mono"), "add", "-f", "packages/lib/.env");
    git(at("mono"), "commit", "-qm", "env");
    await using(await open("no"), async (zeph) => {
      expect(said(await run(zeph, "cat ../lib/.env; git status --porcelain"))).toBe("CANARY-SECRET");
    });
  });
});

describe("A repository that was opened to commands", () => {
  it("keeps what makes git run something, other work trees, its secrets, and what lies around it", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    git(at("mono"), "worktree", "add", "-q", at("sibling"), "-b", "sibling");
    mkdirSync(at("mono/.vscode"));
    writeFileSync(at("mono/.vscode/tasks.json"), "{}\n");
    writeFileSync(at("beside"), "beside\n");
    const before = text("mono/.git/config");
    await using(await open("session"), async (zeph) => {
      const out = said(
        await run(
          zeph,
          `git switch -q other; cd ../..; cat packages/lib/.env; mv packages/lib packages/moved; cat packages/moved/.env; rm -f packages/lib/.env;
           echo evil >> .git/config; echo evil > .git/hooks/post-checkout; mv .git .git2; git config core.fsmonitor evil; echo evil > .git/worktrees/sibling/HEAD;
           echo '{"evil":1}' > .vscode/tasks.json; mv .vscode other; rm -rf .vscode; echo evil > ../beside; ls ..; echo evil > .git/commondir; true`,
        ),
      );
      expect(out).not.toContain("CANARY");
      const flood =
        "cd ../.. && mkdir -p aaa/{1..60} && for i in aaa/*; do echo x > $i/.env; done; git add -f packages/lib/.env; git update-index --add --cacheinfo 100644,$(git hash-object -w --stdin </dev/null),packages/lib/.env";
      await run(zeph, flood);
      expect(said(await run(zeph, "cat ../lib/.env; cat ../../packages/lib/.env"))).not.toContain("CANARY");
    });
    expect(questions).toHaveLength(1);
    expect(text("mono/.git/config")).toBe(before);
    expect(existsSync(at("mono/.git/hooks/post-checkout"))).toBe(false);
    expect(existsSync(at("mono/.git/commondir"))).toBe(false);
    expect(text("mono/.git/worktrees/sibling/HEAD")).toContain("refs/heads/sibling");
    expect(text("mono/.vscode/tasks.json")).toBe("{}\n");
    expect(text("beside")).toBe("beside\n");
    expect(text("mono/packages/lib/.env")).toBe("CANARY-SECRET\n");
  });

  it("is not opened to the file tools", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("session"), async (zeph) => {
      await run(zeph, "git switch -q other");
      expect(questions).toHaveLength(1);
      expect(said(await zeph.call("write", { path: "../lib/w", content: "w" }))).toMatch(/denied|outside|policy/i);
    });
    expect(existsSync(at("mono/packages/lib/w"))).toBe(false);
  });

  it("is the one of before: another that a command makes between opens nothing, and one in its place neither", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    await using(await open("session"), async (zeph) => {
      await run(zeph, "git switch -q other");
      await run(zeph, "cd .. && git init -q . && git -c user.name=a -c user.email=a@a.example commit -q --allow-empty -m x; true");
      expect(existsSync(at("mono/packages/.git"))).toBe(true);
      expect((await run(zeph, "echo z > ../../z")).ok).toBe(true);
      execFileSync("mv", [at("mono/.git"), at("mono/.git-before")]);
      execFileSync("cp", ["-a", at("mono/.git-before"), at("mono/.git")]);
      expect(said(await run(zeph, "cd . && echo evil > ../../evil"))).not.toContain("run it again");
    });
    expect(existsSync(at("mono/evil"))).toBe(false);
    expect(questions).toHaveLength(1);
  });

  it.each([
    ["the home", "mono"],
    ["what holds the home", "mono/packages/lib"],
  ])("is never %s", async (_what, home) => {
    if (!works) return;
    const before = process.env.HOME;
    process.env.HOME = at(home);
    try {
      await using(await open("session"), async (zeph) => {
        expect((await run(zeph, "git switch -q other; echo evil > ../lib/b.txt")).ok).toBe(false);
      });
      await using(await open("session", { outer_repository: "whole" }), async (zeph) => {
        expect((await run(zeph, "echo evil > ../lib/b.txt")).ok).toBe(false);
      });
    } finally {
      process.env.HOME = before;
    }
    expect(questions).toEqual([]);
    expect(text("mono/packages/lib/b.txt")).toBe("b\n");
  });

  it("is no repository that was made after the session began", async ({ skip }) => {
    skip(!works, "needs bubblewrap");
    rmSync(at("mono/.git"), { recursive: true });
    await using(await open("session"), async (zeph) => {
      await run(zeph, "true");
      git(at("mono"), "init", "-q", "-b", "main");
      git(at("mono"), "add", "packages");
      git(at("mono"), "commit", "-qm", "one");
      expect(said(await run(zeph, "git switch -qc x main; git merge main; echo evil > ../lib/b.txt"))).toContain("Read-only");
    });
    expect(questions).toEqual([]);
    expect(text("mono/packages/lib/b.txt")).toBe("b\n");
  });
});
