import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readGitSettings } from "./git-settings.ts";

let base: string;
let home: string;
let cwd: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "zeph-git-settings-")));
  home = join(base, "home");
  cwd = join(home, "work", "job");
  mkdirSync(cwd, { recursive: true });
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const read = (text: string) => {
  writeFileSync(join(home, ".gitconfig"), text);
  return readGitSettings({ cwd, home, env: {}, user: undefined });
};
/** What git itself makes of the text. */
const asked = (text: string, key: string): string => {
  const file = join(base, "written");
  writeFileSync(file, text);
  try {
    return execFileSync("/usr/bin/git", ["config", "--file", file, "--get-all", key], { encoding: "utf8" }).trimEnd();
  } catch {
    return "";
  }
};

test("git settings that say who and how are kept, as git reads them", () => {
  const { person } = read(
    '[user]\n\tname = "Dev \\"E\\" Loper # one"\n\temail = dev@example.org\n[init]\n\tdefaultBranch = main\n[alias]\n\tst = status -sb\n[pull]\n\trebase\n',
  );
  expect(asked(person, "user.name")).toBe('Dev "E" Loper # one');
  expect(asked(person, "user.email")).toBe("dev@example.org");
  expect(asked(person, "alias.st")).toBe("status -sb");
  expect(asked(person, "pull.rebase")).toBe("true");
});

test("git settings that run a program, hold a secret or lead elsewhere are left out", () => {
  const { person, machine } = read(`
[credential]
	helper = store
[http]
	extraHeader = X-Token: SECRET
[url "https://me:SECRET@example.org/"]
	insteadOf = gh:
[core]
	sshCommand = SECRET
	fsmonitor = SECRET
	pager = SECRET
	editor = SECRET
	hooksPath = SECRET
	attributesFile = SECRET
[gpg]
	program = SECRET
[user]
	signingKey = SECRET
[filter "x"]
	clean = SECRET
[diff]
	external = SECRET
[diff "x"]
	textconv = SECRET
[merge "x"]
	driver = SECRET
[sequence]
	editor = SECRET
[alias]
	boom = !echo SECRET
	space = " !echo SECRET"
	address = log https://me:SECRET@example.org/
[include]
	path = SECRET
[protocol "file"]
	allow = always
`);
  expect(`${person}${machine}`).not.toMatch(/SECRET|protocol/);
});

test("a value cannot end its line and begin a setting of its own", () => {
  const { person } = read('[user]\n\tname = "a\\n[core]\\n\\tpager = evil"\n\temail = "x\\" \\\\ ; y"\n');
  expect(asked(person, "core.pager")).toBe("");
  expect(asked(person, "user.email")).toBe('x" \\ ; y');
});

test("what the person includes for this folder counts", () => {
  execFileSync("/usr/bin/git", ["init", "-q", cwd]);
  writeFileSync(join(home, ".gitconfig-work"), "[user]\n\temail = dev@work.example\n");
  const { person, sources } = read('[user]\n\temail = dev@example.org\n[includeIf "gitdir:~/work/"]\n\tpath = ~/.gitconfig-work\n');
  expect(asked(person, "user.email").split("\n").at(-1)).toBe("dev@work.example");
  expect(sources).toContain(join(home, ".gitconfig-work"));
});

test("the global list of ignored files is read from where the settings say", () => {
  writeFileSync(join(home, "ignored"), "*.swp\n");
  expect(read("[core]\n\texcludesFile = ~/ignored\n").ignore).toBe("*.swp\n");
  mkdirSync(join(home, ".config", "git"), { recursive: true });
  writeFileSync(join(home, ".config", "git", "ignore"), "*.bak\n");
  expect(read("").ignore).toBe("*.bak\n");
});

test("nothing is signed inside, and a person or a repository that signs is known", () => {
  execFileSync("/usr/bin/git", ["init", "-q", cwd]);
  expect(read("")).toMatchObject({ isSigning: false, isRepositorySigning: false });
  const { person, ...signing } = read("[commit]\n\tgpgSign = true\n");
  expect(asked(person, "commit.gpgSign")).toBe("false");
  expect(signing).toMatchObject({ isSigning: true, isRepositorySigning: false });
  execFileSync("/usr/bin/git", ["-C", cwd, "config", "commit.gpgSign", "true"]);
  expect(read("")).toMatchObject({ isSigning: true, isRepositorySigning: true });
});

test("settings that git cannot read leave no identity and nothing else", () => {
  expect(read("[user\nname = x").person).toBe("[commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n");
});

test("a list of ignored files that is a secret, or that a command could have chosen, is not read", () => {
  mkdirSync(join(home, ".ssh"), { recursive: true });
  writeFileSync(join(home, ".netrc"), "secret\n");
  writeFileSync(join(home, ".ssh", "id_x"), "secret\n");
  symlinkSync(join(home, ".netrc"), join(home, "harmless"));
  symlinkSync(join(home, "plain"), join(cwd, "ignored"));
  writeFileSync(join(home, "plain"), "*.swp\n");
  for (const path of ["~/.netrc", "~/.ssh/id_x", "~/harmless", join(cwd, "ignored")])
    expect(read(`[core]\n\texcludesFile = ${path}\n`).ignore).toBeNull();
  expect(read("[core]\n\texcludesFile = ~/plain\n").ignore).toBe("*.swp\n");
});

test.each([
  ["gitdir:~/work/", true],
  ["gitdir:work/", true],
  ["gitdir:~/WORK/", false],
  ["gitdir/i:~/WORK/", true],
  ["gitdir:./work/**", true],
  ["gitdir:~/other/", false],
  ["gitdir:~/work/{job,x}/.git", false],
  ["onbranch:feature/", true],
  ["onbranch:main", false],
  ["hasconfig:remote.*.url:https://*.example/**", true],
  ["hasconfig:remote.*.url:https://*.example/x/**", false],
  ["something:else", false],
])("a file that is included on the condition %s is included where git includes it", (condition, expected) => {
  execFileSync("/usr/bin/git", ["init", "-q", "-b", "feature/x", cwd]);
  execFileSync("/usr/bin/git", ["-C", cwd, "remote", "add", "origin", "https://git.example/ours/app"]);
  writeFileSync(join(home, "included"), "[user]\n\temail = dev@work.example\n");
  const { person } = read(`[user]\n\temail = dev@example.org\n[includeIf "${condition}"]\n\tpath = included\n`);
  const env = { HOME: home, PATH: "/usr/bin:/bin" };
  const ofGit = execFileSync("/usr/bin/git", ["config", "user.email"], { cwd, env, encoding: "utf8" }).trim();
  expect(ofGit).toBe(expected ? "dev@work.example" : "dev@example.org");
  expect(asked(person, "user.email").split("\n").at(-1)).toBe(ofGit);
});

test("files that include each other, a pipe and a file without end are not waited for", () => {
  execFileSync("mkfifo", [join(home, "pipe")]);
  symlinkSync("/dev/zero", join(home, "endless"));
  writeFileSync(join(home, "other"), "[include]\n\tpath = .gitconfig\n\tpath = other\n");
  const { person } = read("[include]\n\tpath = pipe\n\tpath = endless\n\tpath = other\n\tpath = other\n[user]\n\tname = Dev\n");
  expect(asked(person, "user.name").split("\n").at(-1)).toBe("Dev");
});

test("of another user's settings only those are read that this user can read", () => {
  const file = join(home, ".gitconfig");
  writeFileSync(file, "[user]\n\tname = Dev\n", { mode: 0o600 });
  const ofUser = (uid: number) => readGitSettings({ cwd, home, env: {}, user: { uid, gid: 65_533 } }).person.includes("Dev");
  expect([ofUser(process.getuid!()), ofUser(65_533)]).toEqual([true, false]);
});
