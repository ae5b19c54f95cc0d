import { execFileSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { cacheRoot } from "../../src/files/known-workspaces.ts";
import { HOME_INSIDE } from "../../src/host/sandbox/policy.ts";
import { emptyCaches } from "../../src/host/workday/cache-folder.ts";
import { openWorkday, type WorkdayLookup } from "../../src/host/workday/workday.ts";
import { available, inside, isRoot, policyIn, type Who, who } from "./support.ts";

/** What the commands of a session keep between them, through the real walls. */
describe.runIf(available).each(isRoot ? (["root", "user"] as const) : (["user"] as const))("what commands of %s keep", (name) => {
  let me: Who;
  let cwd: string;
  beforeEach(() => {
    me = who(name);
    cwd = me.workspace();
  });
  afterEach(() => me.remove());

  const open = (): WorkdayLookup => {
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
  const run = async (day: WorkdayLookup, command: string) => (await inside(cwd, me, command, { day })).out;
  const own = name === "root" || !isRoot;

  test("/tmp is one folder for a session, another one for the next, and gone at the end", async () => {
    const day = open();
    const { folder } = policyIn(cwd, me, { day }).temp!;
    await run(day, "echo kept > /tmp/word");
    expect(await run(day, "cat /tmp/word")).toBe("kept\n");
    expect(await run(open(), "cat /tmp/word")).toContain("No such file");
    day.close();
    expect(existsSync(folder)).toBe(false);
  });

  test("a link that a command leaves in /tmp where the next one's workspace is shown leads nowhere", async () => {
    const day = open();
    const away = join(me.home, ".ssh");
    const [, , first] = cwd.split("/");
    await run(
      day,
      `mv /tmp/${first} /tmp/gone; rmdir /tmp/${first}; ln -sfn /oldroot${away} /tmp/${first}; ln -sfn ${away} /tmp/${first}; ln -s ${away} /tmp/other`,
    );
    expect(await run(day, `pwd; cat f; ls /tmp/other/`)).toMatch(new RegExp(`^${cwd}\nhi\n.*No such file`, "s"));
    expect(readdirSync(away)).toEqual(["id_test"]);
    // A place that was not there when the session began is shown in a /tmp of its own.
    const { folder } = policyIn(cwd, me, { day }).temp!;
    expect(lstatSync(join(folder, first!)).isDirectory()).toBe(true);
    const later = realpathSync(mkdtempSync("/tmp/zeph-later-"));
    onTestFinished(() => rmSync(later, { recursive: true }));
    expect(policyIn(cwd, me, { day, config: { allow_read: [later] } }).temp).toBeUndefined();
  });

  if (own)
    test("the cache is kept between sessions, for this workspace alone", async () => {
      await run(
        open(),
        "mkdir -p ~/.cache/x ~/.local/share/pnpm/store; echo kept > ~/.cache/x/y; echo store > ~/.local/share/pnpm/store/y",
      );
      expect(await run(open(), "cat ~/.cache/x/y ~/.local/share/pnpm/store/y; echo $npm_config_cache $CARGO_HOME")).toBe(
        `kept\nstore\n${HOME_INSIDE}/.cache/npm ${HOME_INSIDE}/.cache/cargo\n`,
      );
      cwd = me.workspace();
      expect(await run(open(), "cat ~/.cache/x/y")).toContain("No such file");
      const root = cacheRoot(me.home, {});
      expect(emptyCaches(root)).toBe(2);
      expect(readdirSync(root)).toEqual([]);
    });

  test("nothing that a command leaves there turns git, a shell or a program of the next one", async () => {
    await run(
      open(),
      "mkdir -p ~/.config/git ~/.cache/git ~/bin; echo '[alias] x = !echo TURNED' | tee ~/.cache/git/config ~/.config/git/config ~/.cache/.gitconfig > /dev/null; echo 'echo TURNED' | tee ~/.bashrc ~/.profile ~/.bash_profile ~/.cache/.bashrc /tmp/.bashrc > /dev/null; printf '#!/bin/sh\\necho TURNED\\n' | tee ~/bin/git ~/.cache/git/git /tmp/git ~/.local/share/pnpm/git > /dev/null; chmod +x ~/bin/git /tmp/git ~/.cache/git/git ~/.local/share/pnpm/git",
    );
    expect(await run(open(), "git x; git status; bash -lc true; bash -ic true; ls -A ~")).not.toMatch(/TURNED|bashrc|gitconfig\n.*bin/);
  });

  if (own)
    test("a link in the cache shows nothing of the machine, and emptying it follows none", async () => {
      const key = join(me.home, ".ssh");
      await run(
        open(),
        `rm -rf ~/.cache/* ~/.local/share/pnpm/*; ln -s ${key} ~/.cache/pnpm; ln -s ${key} ~/.cache/npm; ln -s ${key} ~/.local/share/pnpm/store; rmdir ~/.cache; mv ~/.cache ~/x; ln -sfn ${key} ~/.cache`,
      );
      expect(
        await run(open(), `cat ~/.cache/*/id_test ~/.local/share/pnpm/id_test ~/.local/share/pnpm/store/id_test ${key}/id_test`),
      ).not.toContain("CANARY");
      emptyCaches(cacheRoot(me.home, {}));
      expect(readFileSync(join(key, "id_test"), "utf8")).toContain("CANARY");
    });

  test("a cache that lies behind a link of the workspace, or in it, is not used", () => {
    mkdirSync(join(cwd, "away"));
    symlinkSync(join(cwd, "away"), join(me.home, ".cache"));
    expect(policyIn(cwd, me, { day: open() }).cache).toBeUndefined();
    expect(readdirSync(join(cwd, "away"))).toEqual([]);
  });

  test("the person's own caches are neither seen nor written", async () => {
    mkdirSync(join(me.home, ".npm", "_cacache"), { recursive: true });
    mkdirSync(join(me.home, ".cache", "pip"), { recursive: true });
    writeFileSync(join(me.home, ".cache", "pip", "word"), "CANARY-CACHE");
    if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, me.home]);
    const out = await run(
      open(),
      `cat ${me.home}/.cache/pip/word; touch ${me.home}/.npm/_cacache/evil ${me.home}/.cache/pip/evil; ls ~/.cache/pip`,
    );
    expect(out).not.toContain("CANARY");
    expect(existsSync(join(me.home, ".npm/_cacache/evil")) || existsSync(join(me.home, ".cache/pip/evil"))).toBe(false);
  });

  if (own)
    test("npm's settings come without the person's tokens", async () => {
      writeFileSync(join(me.home, ".npmrc"), "save-exact=true\n//registry.example/:_authToken=CANARY-NPM\n");
      expect(await run(open(), "cat ~/.npmrc")).toBe("save-exact=true\n");
    });
});
