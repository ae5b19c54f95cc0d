import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { beforeCommand, changesSince } from "../../src/host/protected/after-command.ts";
import { available, EVERYBODY, inside, type Who, who } from "./support.ts";

describe.runIf(available).each(EVERYBODY)("files that run later, as %s", (name) => {
  const me = who(name);
  afterAll(() => me.remove());

  test.each([
    "sub/deeper/.vscode/tasks.json",
    "packages/app/.envrc",
    ".claude/settings.json",
    ".cursor/mcp.json",
    "opencode.json",
    "a/b/c/.git/config",
    "a/b/c/.git/hooks/pre-commit",
    ".git/modules/libs/x/config",
    ".git/modules/libs/x/hooks/post-checkout",
  ])("%s stays as it is, whatever is tried", async (path) => {
    const cwd = made(me, { [path]: "before\n", ".git/modules/libs/x/HEAD": "ref: refs/heads/main\n", ...MODULE, "a/b/c/.git/HEAD": "" });
    const folder = dirname(path);
    await inside(cwd, me, `chmod 777 ${path} ${folder}; echo x > ${path}; echo x >> ${path}; cp f ${path}; sed -i s/e/x/ ${path}`);
    await inside(cwd, me, `rm -f ${path}; mv ${path} y; ln -f ${path} z && echo x > z; truncate -s 0 ${path}; touch f2 && mv f2 ${path}`);
    expect(readFileSync(join(cwd, path), "utf8")).toBe("before\n");
  });

  test("a folder that is closed by one command does not open what is in it to the next", async () => {
    const cwd = made(me, { "sub/.git/config": "before\n", "sub/.git/HEAD": "" });
    for (const mode of ["700", "000", "300"]) {
      await inside(cwd, me, `chmod ${mode} sub; chmod ${mode} sub/.git`);
      await inside(cwd, me, "chmod 755 sub; chmod 755 sub/.git; echo x > sub/.git/config; mv sub/.git sub/old");
      // The second may be refused as a whole, and then the folder is closed to us as well.
      for (const folder of ["sub", "sub/.git"]) execFileSync("chmod", ["755", join(cwd, folder)]);
      expect(readFileSync(join(cwd, "sub/.git/config"), "utf8")).toBe("before\n");
    }
  });

  test("a bare repository keeps its settings and hooks and takes what is pushed", async () => {
    const cwd = made(me, {});
    execFileSync("cp", ["-a", join(cwd, ".git"), join(cwd, "x.git")]);
    execFileSync("sed", ["-i", "s/bare = false/bare = true/", join(cwd, "x.git", "config")]);
    const { out } = await inside(
      cwd,
      me,
      "git -C x.git config core.pager x && echo ESCAPED; echo x > x.git/hooks/post-receive && echo ESCAPED; mv x.git y && echo ESCAPED; echo y >> f; git commit -qam y && git push -q x.git HEAD:refs/heads/other && echo pushed",
    );
    expect(out).not.toContain("ESCAPED");
    expect(out).toContain("pushed");
  });

  test("every file of the list that appeared, changed or went is named, in any folder", async () => {
    const cwd = made(me, { ".npmrc": "a=1\n", "sub/AGENTS.md": "one\n", "deep/er/.husky/pre-push": "x\n", "gone/.nvim.lua": "" });
    const before = beforeCommand({ write: [cwd] });
    await inside(
      cwd,
      me,
      `printf 'a=2\\n' > .npmrc; touch -d '2001-01-01' .npmrc; echo two > sub/AGENTS.md; chmod +x deep/er/.husky/pre-push; rm gone/.nvim.lua
      mkdir -p new/.vscode .github/workflows; echo x > new/.vscode/tasks.json; echo x > .github/workflows/ci.yml; git init -q --bare bare.git
      echo x > bare.git/hooks/update; git init -q inner; git -C inner config core.fsmonitor ./x; echo '#!/bin/sh' > inner/.git/hooks/pre-commit`,
    );
    expect((await changesSince(before)).map(({ path, how }) => `${path.slice(cwd.length + 1)} ${how}`)).toEqual([
      ".github/workflows appeared",
      ".github/workflows/ci.yml appeared",
      ".npmrc changed",
      "bare.git appeared",
      "bare.git/hooks/update appeared",
      "deep/er/.husky/pre-push changed",
      "gone/.nvim.lua is gone",
      "inner/.git appeared",
      "inner/.git/config appeared",
      "inner/.git/hooks/pre-commit appeared",
      "new/.vscode appeared",
      "new/.vscode/tasks.json appeared",
      "sub/AGENTS.md changed",
    ]);
  });

  test("a file with the size and the times of the old one is named all the same", async () => {
    const cwd = made(me, { ".npmrc": "a=1\n" });
    const before = beforeCommand({ write: [cwd] });
    await inside(cwd, me, "cp -p .npmrc keep; printf 'a=2\\n' > .npmrc; touch -r keep .npmrc");
    expect((await changesSince(before)).map(({ how }) => how)).toEqual(["changed"]);
  });

  test("another name of a frozen file is as read-only as the file", async () => {
    const cwd = made(me, { ".envrc": "before\n" });
    linkSync(join(cwd, ".envrc"), join(cwd, "innocent"));
    await inside(cwd, me, "echo x > innocent; chmod 666 innocent; echo x >> innocent");
    expect(readFileSync(join(cwd, ".envrc"), "utf8")).toBe("before\n");
  });
});

const MODULE = { ".git/modules/libs/x/objects/info/x": "", ".git/modules/libs/x/refs/heads/x": "" };

function made(me: Who, files: Record<string, string>): string {
  const cwd = me.workspace();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    writeFileSync(join(cwd, path), text);
  }
  if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, cwd]);
  return cwd;
}
