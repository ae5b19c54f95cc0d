import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { beforeCommand, changesSince } from "../../src/host/protected/after-command.ts";
import { HOME_INSIDE } from "../../src/host/sandbox/policy.ts";
import { shellRunConfig } from "../../src/host/shell/config.ts";
import { openRehearsal } from "../../src/host/shell/rehearsal/rehearsal.ts";
import { beginTransaction } from "../../src/host/shell/undo/transaction.ts";
import { openWorkday } from "../../src/host/workday/workday.ts";
import { available, inside, isRoot, policyIn, type Who, who } from "./support.ts";

/** A workspace whose repository lies around or beside it, through the real walls. */
describe.runIf(available).each(isRoot ? (["root", "user"] as const) : (["user"] as const))(
  "a repository outside the workspace of %s",
  (name) => {
    let me: Who;
    const at = (path: string) => join(me.home, path);
    const put = (path: string, text: string) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), text);
    };
    const git = (cwd: string, ...args: string[]) =>
      execFileSync("git", ["-C", at(cwd), "-c", "safe.directory=*", "-c", "protocol.file.allow=always", ...args], {
        encoding: "utf8",
        env: { PATH: "/usr/bin:/bin", HOME: me.home, GIT_CONFIG_NOSYSTEM: "1" },
      });
    const seal = (cwd: string) => {
      git(cwd, "add", "-A");
      git(cwd, "commit", "-qm", "start");
    };
    const own = () => me.user && execFileSync("chown", ["-hR", `${me.user.uid}:${me.user.gid}`, me.home]);
    beforeAll(() => {
      me = who(name);
      put(".gitconfig", "[user]\n\tname = Dev\n\temail = dev@example.org\n[init]\n\tdefaultBranch = main\n");
      put("mono/packages/app/a.txt", "a\n");
      put("mono/packages/lib/b.txt", "b\n");
      git("mono", "init", "-q");
      seal("mono");
      put("main/a.txt", "a\n");
      git("main", "init", "-q");
      seal("main");
      git("main", "worktree", "add", "-q", at("feature"), "-b", "feature");
      git("main", "worktree", "add", "-q", at("sibling"), "-b", "sibling");
      put("module/m.txt", "m\n");
      git("module", "init", "-q");
      seal("module");
      git("mono", "submodule", "add", "-q", at("module"), "vendor");
      seal("mono");
      own();
      execFileSync("cp", ["-a", me.home, join(me.base, "kept")]);
    });
    afterEach(() => {
      rmSync(me.home, { recursive: true });
      execFileSync("cp", ["-a", join(me.base, "kept"), me.home]);
    });
    afterAll(() => me.remove());

    const lookup = (cwd: string) => {
      const day = openWorkday({
        cwd,
        home: me.home,
        own: [],
        env: { PATH: "/usr/bin:/bin" },
        path: "auto",
        user: me.user,
        inside: HOME_INSIDE,
      });
      onTestFinished(() => day.close());
      return day;
    };
    const run = async (cwd: string, command: string) => (await inside(at(cwd), me, command, { day: lookup(at(cwd)) })).out;
    const found = (cwd: string) => lookup(at(cwd)).look([at(cwd)]).repository;
    const policy = (cwd: string) => policyIn(at(cwd), me, { day: lookup(at(cwd)) });

    test("a subfolder is committed from, and nothing else of the repository can be written", async () => {
      const out = await run(
        "mono/packages/app",
        "echo x > x && git add -A && git commit -qam inner && git show --stat --format=%s; cat ../lib/b.txt; echo evil > ../lib/b.txt; echo evil > ../../new; mv ../../.git ../../.git2; rm -rf ../lib; touch ../../.git/x && echo made",
      );
      expect(out).toMatch(/^inner\n/m);
      expect(out).toContain("1 file changed");
      expect(out).toContain("made");
      expect(readFileSync(at("mono/packages/lib/b.txt"), "utf8")).toBe("b\n");
      expect(existsSync(at("mono/new")) || existsSync(at("mono/.git2"))).toBe(false);
      expect(git("mono", "status", "--porcelain")).toBe("");
    });

    test("a worktree is committed from, and its sibling's files cannot be written", async () => {
      const out = await run(
        "feature",
        `echo x > x && git add -A && git commit -qm inner && git log -1 --format=%s; c=$(git rev-parse --git-common-dir); echo evil > $c/worktrees/sibling/index; echo evil > $c/worktrees/sibling/HEAD; rm -rf $c/worktrees/sibling; mkdir $c/worktrees/fake; echo evil > $c/../a.txt; echo evil > $c/worktrees/feature/commondir; echo evil > $c/worktrees/feature/gitdir; ls ${at("sibling")}`,
      );
      expect(out).toContain("inner\n");
      expect(git("sibling", "status", "--porcelain")).toBe("");
      expect(readFileSync(at("main/a.txt"), "utf8")).toBe("a\n");
      expect(existsSync(at("main/.git/worktrees/fake"))).toBe(false);
      expect(git("feature", "log", "-1", "--format=%s")).toBe("inner\n");
    });

    test("a submodule is committed from, and of the repository around it nothing is written or seen", async () => {
      const out = await run(
        "mono/vendor",
        "echo x > x && git add -A && git commit -qm inner && git log -1 --format=%s; cat ../packages/lib/b.txt ../.git/config; echo evil > ../.git/x",
      );
      expect(out).toContain("inner\n");
      expect(out).not.toMatch(/^b$/m);
      expect(existsSync(at("mono/.git/x"))).toBe(false);
    });

    test.each([
      ["mono/packages/app", "mono/.git"],
      ["feature", "main/.git"],
      ["feature", "main/.git/worktrees/feature"],
      ["mono/vendor", "mono/.git/modules/vendor"],
    ])("from %s nothing in %s that makes git run something can be written", async (cwd, folder) => {
      const there = at(folder);
      const state = () =>
        execFileSync("sh", ["-c", `cd ${there}; cat config commondir gitdir; ls hooks modules worktrees; true`], {
          encoding: "utf8",
          stdio: "pipe",
        });
      const before = state();
      const parts = ["hooks/post-checkout", "config", "commondir", "modules/evil/config", "worktrees/evil/gitdir"].filter((part) =>
        existsSync(join(there, part.split("/")[0]!)),
      );
      await run(
        cwd,
        `cd ${there}; ${parts.map((part) => `mkdir -p $(dirname ${part}); echo evil >> ${part}; mv ${part.split("/")[0]} moved; ln -sf /tmp ${part}; rm -rf ${part.split("/")[0]}`).join("; ")}; git config core.fsmonitor evil; git config alias.x '!id'; git config core.hooksPath /tmp`,
      );
      expect(state()).toBe(before);
    });

    test("hooks cannot be made where the repository has no folder for them", async () => {
      rmSync(at("mono/.git/hooks"), { recursive: true });
      await run("mono/packages/app", "mkdir -p ../../.git/hooks; echo evil > ../../.git/hooks/pre-commit");
      expect(existsSync(at("mono/.git/hooks/pre-commit"))).toBe(false);
    });

    test("a pointer that a command plants opens nothing", async () => {
      put("plain/a.txt", "");
      put(".aws/credentials", "CANARY-AWS");
      for (const place of [".aws", ".ssh", "main/.git", "main/.git/worktrees/feature", "mono/.git/modules/vendor"]) {
        put("plain/.git", `gitdir: ${at(place)}\n`);
        own();
        expect([place, found("plain")]).toEqual([place, null]);
        expect(await run("plain", `cat ${at(place)}/* ; touch ${at(place)}/evil`)).not.toContain("CANARY");
        expect(existsSync(join(at(place), "evil"))).toBe(false);
      }
    });

    test("a worktree's pointer that leads elsewhere, or a folder that leads back elsewhere, opens nothing", () => {
      writeFileSync(at("feature/.git"), `gitdir: ${at("main/.git/worktrees/sibling")}\n`);
      expect(found("feature")).toBe(null);
      writeFileSync(at("feature/.git"), `gitdir: ${at("main/.git/worktrees/feature")}\n`);
      expect(found("feature")).not.toBe(null);
      writeFileSync(at("main/.git/worktrees/feature/commondir"), `${at(".ssh")}\n`);
      expect(found("feature")).toBe(null);
    });

    test("a pointer through a link in the workspace opens nothing", () => {
      symlinkSync(at("main/.git/worktrees"), at("feature/way"));
      writeFileSync(at("feature/.git"), `gitdir: ${at("feature/way/feature")}\n`);
      expect(found("feature")).toBe(null);
    });

    test.each(["hooks", "config.worktree", "info", "commondir", "modules"])(
      "a git folder whose %s is a link is opened to nobody",
      (part) => {
        rmSync(at(`mono/.git/${part}`), { recursive: true, force: true });
        symlinkSync(at(".ssh"), at(`mono/.git/${part}`));
        expect(found("mono/packages/app")).toBe(null);
      },
    );

    test("a folder that only looks like a repository, a home that is one, and a stranger's are not opened", () => {
      put("fake/sub/a", "");
      mkdirSync(at("fake/.git"), { recursive: true });
      own();
      expect(found("fake/sub")).toBe(null);
      put("deep/er/a", "");
      git(".", "init", "-q");
      own();
      expect(found("deep/er")).toBe(null);
      rmSync(at(".git"), { recursive: true });
      if (isRoot) {
        execFileSync("chown", ["61299", at("mono/.git")]);
        expect(found("mono/packages/app")).toBe(null);
      }
    });

    test("a repository of the workspace's own hides the one around it", async () => {
      await run("mono/packages/app", "git init -q .");
      expect(found("mono/packages/app")).toBe(null);
    });

    test("a file that would send git elsewhere for its settings is removed from the repository when the command has ended", async () => {
      const { workdayNotes } = await import("../../src/host/workday/notes.ts");
      const day = lookup(at("mono/packages/app"));
      const made = policy("mono/packages/app");
      await inside(at("mono/packages/app"), me, `echo ${at("mono/packages/app/evil")} > ../../.git/commondir`, { day });
      expect(existsSync(at("mono/.git/commondir"))).toBe(true);
      expect(workdayNotes(day, [], made, 0).join()).toMatch(/commondir was made by a command.*removed/);
      expect(existsSync(at("mono/.git/commondir"))).toBe(false);
    });

    test("a dry run commits into what stands in for the git folder, and leaves nothing in it", async () => {
      const cwd = at("mono/packages/app");
      const made = policy("mono/packages/app");
      const rehearsal = await openRehearsal({ roots: made.write, user: me.user, touched: [], signal: new AbortController().signal });
      try {
        const day = lookup(cwd);
        const { out } = await inside(
          cwd,
          me,
          "echo x > x && git add -A && git commit -qm tried && git log -1 --format=%s; echo evil > ../../.git/hooks/pre-commit",
          {
            day,
            change: rehearsal.walls,
          },
        );
        expect(out).toContain("tried\n");
        const { list } = await rehearsal.changes();
        expect(list.map(({ path }) => path)).toEqual(expect.arrayContaining([`${cwd}/x`, at("mono/.git/index")]));
        expect(list.map(({ path }) => path).join()).not.toContain("hooks");
      } finally {
        rehearsal.drop();
      }
      expect(git("mono", "log", "-1", "--format=%s")).toBe("start\n");
      expect(git("mono", "status", "--porcelain")).toBe("");
    });

    test("a rollback puts back the git folder of the repository around the workspace", async () => {
      const cwd = at("mono/packages/app");
      const { write, outer } = policy("mono/packages/app");
      const config = z.strictObject(shellRunConfig()).parse({ transactional: true, auto_rollback: true, auto_rollback_exit_codes: [7] });
      const undo = await beginTransaction(config, [{ kind: "unknown", why: "a script" }], cwd, write, outer);
      await inside(cwd, me, "echo x > x && git add -A && git commit -qm tried", { day: lookup(cwd) });
      expect(git("mono", "log", "-1", "--format=%s")).toBe("tried\n");
      expect(await undo!.finish(7, "by itself")).toContain("rolled back");
      expect(git("mono", "log", "-1", "--format=%s")).toBe("start\n");
      expect(git("mono", "status", "--porcelain")).toBe("");
    });

    test("a change of what git runs is told, also where it is in the repository around the workspace", async () => {
      const cwd = at("mono/packages/app");
      const before = beforeCommand(policy("mono/packages/app"));
      expect(await changesSince(before)).toEqual([]);
      writeFileSync(at("mono/.git/hooks/pre-commit"), "evil");
      writeFileSync(join(cwd, "AGENTS.md"), "x");
      expect(await changesSince(before)).toEqual([
        { path: at("mono/.git/hooks/pre-commit"), how: "appeared" },
        { path: join(cwd, "AGENTS.md"), how: "appeared" },
      ]);
    });

    test("the rest of the repository is seen without its secrets, unless git keeps them anyway", async () => {
      put("mono/.env", "CANARY-TOP");
      put("mono/packages/lib/.env.local", "CANARY-SIBLING");
      put("mono/deploy/key.pem", "CANARY-PEM");
      put("mono/packages/app/.env", "own\n");
      put("mono/.gitignore", ".env*\n*.pem\n");
      put("mono/tokens.json", "kept\n");
      git("mono", "add", "tokens.json", ".gitignore");
      git("mono", "commit", "-qm", "kept");
      own();
      const out = await run(
        "mono/packages/app",
        "cat ../../.env ../lib/.env.local ../../deploy/key.pem .env ../../tokens.json; git status --short",
      );
      expect(out).not.toContain("CANARY");
      // What goes to stderr may come before or after it.
      expect(out).toContain("own\nkept\n");
    });

    test("tricks with git's variables write nothing outside the workspace and its git folder", async () => {
      await run(
        "mono/packages/app",
        `GIT_DIR=../../.git GIT_WORK_TREE=../.. git rm -rqf --ignore-unmatch ../lib; git --work-tree=${me.home} checkout -f HEAD -- . ; git --git-dir=evil.git --work-tree=../.. init -q; GIT_DIR=${at("main/.git")} git update-ref refs/heads/evil HEAD; git -C ../.. clean -fdx; GIT_COMMON_DIR=${at("main/.git")} git config x.y z; git worktree add -f ../../wt; git checkout -q -b other; git reset -q --hard HEAD~1; true`,
      );
      expect(readFileSync(at("mono/packages/lib/b.txt"), "utf8")).toBe("b\n");
      expect(git("main", "branch", "--list", "evil")).toBe("");
      expect(existsSync(at("packages")) || existsSync(at("mono/wt"))).toBe(false);
    });
  },
);
