import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Question, Zeph } from "../../src/index.ts";
import { type Workspace, workspace } from "../workspace.ts";
import { available } from "./support.ts";

let place: Workspace;
let zeph: Zeph;
const remove = () => place.remove();

const git = (...args: string[]) =>
  execFileSync("git", ["-C", place.work, "-c", "user.name=n", "-c", "user.email=e@example.org", ...args], {
    encoding: "utf8",
    stdio: "pipe",
  }).trim();
const put = (path: string, text: string) => {
  mkdirSync(dirname(join(place.work, path)), { recursive: true });
  writeFileSync(join(place.work, path), text);
};

/** main and plain agree on the tasks, other does not; adds has a file that main does not have. */
const ARRANGE = `
all() { for n in 0 1 2 3 4; do echo "$1" > src/$n.txt; done; }
kept() { git add -A && git commit -qm "$1"; }
git init -q -b main
git config user.name n && git config user.email e@example.org && git config alias.co 'checkout -q'
mkdir .vscode src
echo '{"old":1}' > .vscode/tasks.json && echo '{}' > .vscode/launch.json && all one && kept first
git checkout -qb plain && echo plain > src/0.txt && kept plain
git checkout -qb adds main && echo 'export X=1' > .envrc && kept adds
git checkout -qb other main && echo '{"evil":"run me"}' > .vscode/tasks.json && all two && kept other
git checkout -q main && echo '{"mine":2}' > .vscode/tasks.json && git stash -q
git format-patch -q -1 other --stdout > p.patch
git clone -q --bare . up.git`;
let template: Workspace;
beforeAll(() => {
  template = workspace([]);
  execFileSync("/bin/bash", ["-ec", ARRANGE], { cwd: template.work, stdio: "pipe" });
});
afterAll(() => template.remove());

/** A copy of the one repository that was made. Git looks at its files once, as it did when it wrote them. */
function arranged() {
  place = workspace([]);
  cpSync(template.work, place.work, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  git("update-index", "-q", "--refresh");
}

const commit = (message: string) => {
  git("add", "-A");
  git("commit", "-qm", message);
};

const opened = (confirm?: (question: Question) => "once") =>
  place.runtime({
    config: { audit: { path: join(place.state, "audit.jsonl") }, tools: { permissions: { bash: [{ pattern: "*", action: "allow" }] } } },
    ...(confirm && { confirm }),
  });
const tasks = () => readFileSync(join(place.work, ".vscode/tasks.json"), "utf8");

const CHANGING = [
  "git switch other",
  "git checkout other",
  "git checkout -f other",
  "git switch --detach other",
  "git switch -c mine other",
  "git switch adds",
  "git checkout other -- .vscode/tasks.json",
  "git checkout other .",
  "git restore --source=other .vscode",
  "git restore -s other -- .",
  "git reset --hard other",
  "git merge other",
  "git merge --no-edit plain other",
  "git rebase other",
  "git cherry-pick other",
  "git revert --no-edit other",
  "git stash pop",
  "git stash apply stash@{0}",
  "git apply p.patch",
  "git am p.patch",
  "git rm -q .vscode/tasks.json",
  "git switch --orphan empty",
  "git co other",
  "cd src && git checkout -q other",
  "git -C src switch other",
  "true && git switch plain && git switch other",
  "bash -c 'git switch other'",
  "git pull . other",
  "git pull up.git other",
  "git pull --rebase . other",
  "git branch -f named other && git switch named",
  "git fetch -q . other; git reset --hard FETCH_HEAD",
  "git update-ref HEAD other; git reset --hard",
  "git -c alias.sw=switch sw other",
  "git diff main other | git apply",
  "b=$(echo other); git switch $b",
];

describe.runIf(available)("A git command that would change a frozen file that git keeps", () => {
  describe("nobody can be asked", () => {
    // None of them starts, so one repository serves all; each is held against what it was before.
    beforeAll(async () => {
      arranged();
      zeph = await opened();
    });
    afterAll(async () => {
      await zeph.close();
      remove();
    });

    it.each(CHANGING)("%s is refused before it starts", async (command) => {
      const state = () => [git("status", "--porcelain=v2", "--branch"), git("for-each-ref"), tasks()];
      const before = state();
      const outcome = await zeph.call("bash", { command });
      expect(outcome).toMatchObject({ ok: false, error: { category: "confirmation_required" }, decision: { gate: "permissions" } });
      expect(state()).toEqual(before);
    });
  });

  describe("each in a repository of its own", () => {
    afterEach(remove);

    it("names the file and its diff, and with a yes may write it, for that command alone", async () => {
      arranged();
      const asked: Question[] = [];
      const zeph = await opened((question) => {
        asked.push(question);
        return "once";
      });
      const outcome = await zeph.call("bash", { command: "git switch -q other; echo x > .vscode/launch.json" });
      expect(asked[0]!.why.join("\n")).toMatch(/It would change \.vscode\/tasks\.json,[\s\S]*-\{"old":1\}\n\+\{"evil":"run me"\}/);
      expect([git("branch", "--show-current"), tasks(), git("status", "--porcelain", "-uno")]).toEqual([
        "other",
        '{"evil":"run me"}\n',
        "",
      ]);
      expect(JSON.stringify(outcome)).toContain(".vscode/tasks.json changed");
      expect(readFileSync(join(place.work, ".vscode/launch.json"), "utf8")).toBe("{}\n");
      await zeph.call("bash", { command: "echo y > .vscode/tasks.json" });
      expect(tasks()).toBe('{"evil":"run me"}\n');
      await zeph.close();
    });

    it.each(["git stash pop", "git merge -q --no-edit other", "git rebase -q other", "git reset -q --hard other", "git checkout -q adds"])(
      "%s runs to its end with a yes",
      async (command) => {
        arranged();
        const zeph = await opened(() => "once");
        expect(await zeph.call("bash", { command })).toMatchObject({ ok: true, output: { exitCode: 0 } });
        await zeph.close();
      },
    );

    it.each([
      "git switch -q plain",
      "git switch -q -c fresh",
      "git checkout -q -b fresh2",
      "git merge -q plain",
      "git rebase -q plain",
      "git cherry-pick plain",
      "git restore src",
      "git checkout -- src/0.txt",
      "git reset -q --hard plain",
      "git stash list",
      "git status; git log --oneline; git diff other",
      "echo x > src/new.txt; git add src; git commit -qm new",
      "git apply --check p.patch",
      "git worktree add -q ../wt-x plain; true",
      "git pull -q . plain",
      "git pull -q up.git plain",
      "git branch named && git switch -q named",
      "echo x >> src/0.txt; git stash -q && git stash pop -q",
    ])("is not what this is: %s", async (command) => {
      arranged();
      const zeph = await opened();
      expect(await zeph.call("bash", { command })).toMatchObject({ ok: true, output: { exitCode: 0 } });
      await zeph.close();
    });

    it("is asked without running anything of the repository's settings", async () => {
      arranged();
      for (const [key, value] of [
        ["core.fsmonitor", "touch RAN; false"],
        ["diff.external", "touch RAN"],
        ["core.pager", "touch RAN"],
        ["core.hooksPath", join(place.work, "src")],
      ])
        git("config", key!, value!);
      const zeph = await opened();
      expect(await zeph.call("bash", { command: "git switch other" })).toMatchObject({ ok: false, decision: { gate: "permissions" } });
      expect(execFileSync("ls", [place.work], { encoding: "utf8" })).not.toContain("RAN");
      await zeph.close();
    });

    it.each(["git switch $(cat name)", "git pull -q", "git diff main adds | git apply"])(
      "%s is asked about when only another commit has such a file, here or in a repository beside",
      async (command) => {
        place = workspace([]);
        git("init", "-q", "-b", "main");
        put("a.txt", "a\n");
        put("name", "adds\n");
        commit("a");
        git("checkout", "-qb", "adds");
        put(".envrc", "export X=1\n");
        commit("adds");
        git("checkout", "-q", "main");
        git("clone", "-q", "--bare", place.work, join(place.work, "up.git"));
        execFileSync("git", ["-C", join(place.work, "up.git"), "branch", "-f", "main", "adds"]);
        git("config", "branch.main.remote", "up.git");
        git("config", "branch.main.merge", "refs/heads/main");
        const zeph = await opened();
        const outcome = await zeph.call("bash", { command });
        expect(outcome).toMatchObject({ ok: false, decision: { gate: "permissions" } });
        expect(JSON.stringify(outcome)).toContain(".envrc");
        await zeph.close();
      },
    );

    it("a repository without such files is not asked about, whatever the command", async () => {
      place = workspace([]);
      git("init", "-q", "-b", "main");
      put("a.txt", "a\n");
      commit("a");
      git("branch", "x");
      const zeph = await opened();
      for (const command of ["git switch -q x", "git checkout -q $(echo main)", "git pull -q . x", "git bisect start; git bisect reset"])
        expect(await zeph.call("bash", { command })).toMatchObject({ ok: true });
      await zeph.close();
    });
  });
});
