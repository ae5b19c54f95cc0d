import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { unprotectedReason } from "../../src/host/protected/unprotected.ts";
import { abiQuestion, landlockWalls } from "../../src/host/sandbox/backends/landlock.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { openLaunch } from "../../src/host/sandbox/launch.ts";
import { HOME_INSIDE } from "../../src/host/sandbox/policy.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import type { LandlockOnly } from "../../src/host/sandbox/sandbox.ts";
import { openWorkday } from "../../src/host/workday/workday.ts";
import { inside, isRoot, policyIn, type Who, who } from "./support.ts";

const PERL = "/usr/bin/perl";
const hasLandlock = existsSync(PERL) && process.arch === "x64" && Number(execFileSync(PERL, abiQuestion("x64"), { encoding: "utf8" })) > 0;
const landlock: LandlockOnly = {
  backend: "landlock",
  landlock: { perl: PERL, abi: 7 },
  arch: "x64",
  prlimit: null,
  walls: landlockWalls(null, "closed", "Test."),
};

describe.runIf(hasLandlock).each(isRoot ? (["root", "user"] as const) : (["user"] as const))(
  "the working day of %s behind Landlock",
  (name) => {
    let me: Who;
    const at = (path: string) => join(me.home, path);
    beforeAll(() => {
      me = who(name);
      mkdirSync(dirname(at(".cargo/bin/tool")), { recursive: true });
      writeFileSync(at(".cargo/bin/tool"), "#!/bin/sh\necho tool\n");
      chmodSync(at(".cargo/bin/tool"), 0o755);
      writeFileSync(at(".cargo/credentials.toml"), "CANARY-CARGO\n");
      mkdirSync(at(".claude/skills/tidy"), { recursive: true });
      writeFileSync(at(".claude/skills/tidy/go.sh"), "echo ran $1\n");
      writeFileSync(at(".claude/token"), "CANARY-TOKEN\n");
      symlinkSync("../../token", at(".claude/skills/tidy/out"));
      writeFileSync(at(".gitconfig"), "[user]\n\tname = Dev\n\temail = dev@example.org\n");
      mkdirSync(at("mono/app"), { recursive: true });
      execFileSync("git", ["-C", at("mono"), "init", "-q"]);
      if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, me.home]);
    });
    afterAll(() => me.remove());
    const open = (cwd: string) => {
      const env = { PATH: `${at(".cargo/bin")}:/usr/bin:/bin` };
      const day = openWorkday({ cwd, home: me.home, own: [], env, path: "auto", user: me.user, inside: HOME_INSIDE });
      onTestFinished(() => day.close());
      return day;
    };

    test("programs and git settings are there, and nothing beside them", async () => {
      const cwd = me.workspace();
      const { out } = await inside(
        cwd,
        me,
        `tool; git config user.email; cat ${at(".cargo/credentials.toml")}; touch ${at(".cargo/bin/evil")}`,
        {
          day: open(cwd),
          sandbox: landlock,
        },
      );
      expect(out).toMatch(/^tool\na@example\.org\n/);
      expect(out).not.toContain("CANARY");
      expect(existsSync(at(".cargo/bin/evil"))).toBe(false);
    });

    test("a skill is read and run from under both names of the home, and nothing beside it", async () => {
      const cwd = me.workspace();
      const folder = at(".claude/skills/tidy");
      const { out } = await inside(
        cwd,
        me,
        `sh ~/.claude/skills/tidy/go.sh one; sh ${folder}/go.sh two; cat ${at(".claude/token")} ~/.claude/token ${folder}/out; touch ${folder}/evil ~/.claude/skills/tidy/evil`,
        { day: open(cwd), sandbox: landlock, skills: () => [{ folder, names: [folder] }] },
      );
      expect(out).toMatch(/^ran one\nran two\n/);
      expect(out).not.toContain("CANARY");
      expect(existsSync(`${folder}/evil`)).toBe(false);
    });

    test("the session's temporary folder and the cache are kept between commands", async () => {
      const cwd = me.workspace();
      const day = open(cwd);
      const run = async (command: string) => (await inside(cwd, me, command, { day, sandbox: landlock })).out;
      await run('echo kept > $TMPDIR/word; [ -n "$XDG_CACHE_HOME" ] && echo cached > $XDG_CACHE_HOME/word');
      expect(await run("cat $TMPDIR/word")).toBe("kept\n");
      if (!me.user) expect(await run("cat $XDG_CACHE_HOME/word; dirname $npm_config_cache")).toMatch(/^cached\n\/.*\/cache\n$/);
    });

    test("a command in a folder of a repository is a question, since its git folder cannot be held", () => {
      const cwd = at("mono/app");
      const policy = policyIn(cwd, me, { day: open(cwd) });
      expect(policy.write).toContain(at("mono/.git"));
      expect(unprotectedReason(landlock, policy, sandboxConfig().parse({}))).toContain(at("mono/.git"));
    });

    test("without walls no variable names a place that is only inside", async () => {
      const cwd = me.workspace();
      let out = "";
      const line = openLaunch({ backend: "none", layers: [], network: "open" }, policyIn(cwd, me, { day: open(cwd) }), ["/usr/bin/env"], {
        user: me.user,
      });
      await runLaunch(line, { timeoutMs: 10_000, onOutput: (chunk) => (out += chunk) });
      expect(out).not.toContain(HOME_INSIDE);
    });
  },
);
