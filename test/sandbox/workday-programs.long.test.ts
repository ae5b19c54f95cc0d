import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { HOME_INSIDE } from "../../src/host/sandbox/policy.ts";
import { openWorkday, type WorkdayLookup } from "../../src/host/workday/workday.ts";
import { available, inside, isRoot, type Who, who } from "./support.ts";

/** Programs below a home and a person's git settings, through the real walls. */
describe.runIf(available).each(isRoot ? (["root", "user"] as const) : (["user"] as const))(
  "the working day of %s behind bubblewrap",
  (name) => {
    let me: Who;
    const at = (path: string) => join(me.home, path);
    const program = (path: string, text: string) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), `#!/bin/sh\n${text}\n`);
      chmodSync(at(path), 0o755);
    };
    const own = () => me.user && execFileSync("chown", ["-hR", `${me.user.uid}:${me.user.gid}`, me.home]);
    beforeAll(() => {
      me = who(name);
      program(".nvm/versions/node/v22/bin/mynode", "echo mynode $(cat $(dirname $0)/../lib/word)");
      mkdirSync(at(".nvm/versions/node/v22/lib"));
      writeFileSync(at(".nvm/versions/node/v22/lib/word"), "leans on lib\n");
      writeFileSync(at(".nvm/alias"), "CANARY-BESIDE\n");
      program(".cargo/bin/mycargo", "echo mycargo");
      writeFileSync(at(".cargo/credentials.toml"), "CANARY-CARGO\n");
      program(".local/bin/mytool", "echo mytool");
      program("secretive/bin/mysecret", "echo mysecret");
      writeFileSync(at("secretive/bin/token.json"), "CANARY-TOKEN\n", { mode: 0o600 });
      writeFileSync(
        at(".gitconfig"),
        "[user]\n\tname = Dev Eloper\n\temail = dev@example.org\n[http]\n\textraHeader = CANARY-HEADER\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n",
      );
      mkdirSync(at(".config/git"), { recursive: true });
      writeFileSync(at(".config/git/ignore"), "*.swp\n");
      own();
    });
    afterAll(() => me.remove());

    const PATH = () => [".nvm/versions/node/v22/bin", ".cargo/bin", ".local/bin", "secretive/bin", ".ssh"].map(at).join(":");
    const open = (cwd: string, env: Record<string, string> = {}): WorkdayLookup => {
      const day = openWorkday({
        cwd,
        home: me.home,
        own: [],
        env: { PATH: `${PATH()}:/usr/bin:/bin`, ...env },
        path: "auto",
        user: me.user,
        inside: HOME_INSIDE,
      });
      onTestFinished(() => day.close());
      return day;
    };
    const run = async (command: string, cwd = me.workspace(), day = open(cwd)) => (await inside(cwd, me, command, { day })).out;

    test("a command finds programs below home, with what they lean on", async () => {
      expect(await run("mynode; mycargo; mytool")).toBe("mynode leans on lib\nmycargo\nmytool\n");
    });

    test("a command sees nothing beside those programs", async () => {
      const out = await run(
        `cat ${at(".cargo/credentials.toml")} ${at(".cargo/bin/../credentials.toml")} ${at(".nvm/alias")} ${at("secretive/bin/token.json")} ${at(".ssh/id_test")}; ls -A ${me.home} ${at(".cargo")} ${at(".nvm")}; mysecret`,
      );
      expect(out).not.toMatch(/CANARY|credentials\.toml\n|id_test\n/);
      expect(out).toContain("mysecret: command not found");
    });

    test("a folder that is refused is named once a session, with the setting that opens it", () => {
      const day = open(me.workspace());
      day.look([at("work")]);
      day.look([at("work")]);
      const notes = day.takeNotes();
      expect(notes.filter((note) => note.includes(at("secretive/bin")))).toHaveLength(1);
      expect(notes.join()).toMatch(/token\.json.*tools\.sandbox\.toolchains/);
      expect(day.takeNotes()).toEqual([]);
    });

    test("a command cannot write a toolchain, nor put a program beside others", async () => {
      const out = await run(
        `for d in ${PATH().replaceAll(":", " ")} ${at(".nvm/versions/node/v22/lib")} ${at(".cargo")} ${me.home}; do touch $d/evil 2>/dev/null && [ -e $d/evil ] && echo MADE $d; done; rm -f ${at(".local/bin/mytool")}; mytool`,
      );
      expect(out).toMatch(/^mytool$/m);
      expect(execFileSync("find", [me.home, "-name", "evil"], { encoding: "utf8" })).toBe("");
    });

    test("a link in a folder on PATH that leads through the workspace shows nothing of what a command makes it lead to", async () => {
      const cwd = me.workspace();
      symlinkSync(join(cwd, "tool/bin/run"), at(".local/bin/steered"));
      onTestFinished(() => rmSync(at(".local/bin/steered")));
      const day = open(cwd);
      await run(`mkdir -p tool; ln -s ${at(".ssh")} tool/bin; ln -s id_test ${cwd}/run`, cwd, day);
      expect(await run(`cat ${at(".ssh/id_test")}; ls ${at(".ssh")}; steered; cat tool/bin/id_test`, cwd, day)).not.toMatch(
        /CANARY|id_test\n/,
      );
      expect(await run(`cat ${at(".ssh/id_test")}; ls ${at(".ssh")}`, cwd)).not.toMatch(/CANARY|id_test\n/);
    });

    test("a program that is new in a folder on PATH is found by the next command of the session", async () => {
      const cwd = me.workspace();
      const day = open(cwd);
      expect(await run("later", cwd, day)).toContain("not found");
      program(".local/share/newtool/bin/later", "echo later $(cat $(dirname $(readlink -f $0))/../lib/word)");
      mkdirSync(at(".local/share/newtool/lib"));
      writeFileSync(at(".local/share/newtool/lib/word"), "now\n");
      symlinkSync("../share/newtool/bin/later", at(".local/bin/later"));
      own();
      expect(await run("$(command -v later)", cwd, day)).toBe("later now\n");
      execFileSync("rm", ["-r", at(".local/share/newtool"), at(".local/bin/later")]);
      expect(await run("mytool; later", cwd, day)).toMatch(/^mytool\n.*not found/s);
    });

    test("a command commits as the person, unsigned, and sees neither headers nor the file", async () => {
      const out = await run(
        "git config --unset user.name; git config --unset user.email; GIT_CONFIG_COUNT=0 git -c user.useConfigOnly=true var GIT_AUTHOR_IDENT; cat ~/.gitconfig; git config --list --show-origin; touch a.swp; git check-ignore a.swp",
      );
      expect(out).toContain("a.swp");
      expect(out).not.toContain("CANARY");
      const plain = me.workspace();
      execFileSync("git", ["-c", "safe.directory=*", "-C", plain, "config", "--remove-section", "user"]);
      own();
      const made = await run("echo x > x && git add x && git commit -qm x && git log -1 --format='%an <%ae> %G?'", plain);
      expect(made).toContain("Dev Eloper <dev@example.org> N");
    });

    test("a repository that asks for signatures itself is committed to all the same", async () => {
      const cwd = me.workspace();
      execFileSync("git", ["-c", "safe.directory=*", "-C", cwd, "config", "commit.gpgSign", "true"]);
      own();
      expect(await run("echo x > x && git add x && git commit -qm x && git log -1 --format=%s:%G?", cwd)).toContain("x:N");
    });

    test("a command cannot change the settings it is given", async () => {
      const out = await run(
        "echo '[alias] x = !id' >> ~/.gitconfig; mv ~/.gitconfig ~/g; rm -f ~/.gitconfig; grep -c alias ~/.gitconfig",
        me.workspace(),
      );
      expect(out).toMatch(/^0$/m);
    });

    test("variables that name a place are passed where commands see it, and none that hold more", async () => {
      const env = {
        NVM_DIR: at(".nvm"),
        JAVA_HOME: at(".ssh"),
        GOROOT: at(".nvm/versions/node/v22"),
        GOPATH: at("go"),
        CARGO_HOME: at(".cargo"),
        SSL_CERT_FILE: at(".ssh/id_test"),
        RUSTUP_HOME: "relative",
      };
      const cwd = me.workspace();
      const out = await run("env", cwd, open(cwd, env));
      expect(out).toContain(`GOROOT=${at(".nvm/versions/node/v22")}\n`);
      expect(out).toContain(`NVM_DIR=${at(".nvm")}\n`);
      expect(out).not.toMatch(/JAVA_HOME|GOPATH|SSL_CERT_FILE|RUSTUP_HOME|\.cargo\n/);
    });

    test("path = system leaves the person's programs out, not their name", () => {
      const cwd = me.workspace();
      const day = openWorkday({ cwd, home: me.home, own: [], env: { PATH: PATH() }, path: "system", user: me.user, inside: HOME_INSIDE });
      onTestFinished(() => day.close());
      expect(day.look([cwd])).toMatchObject({ path: [], read: [], refused: [] });
      expect(day.look([cwd]).files).not.toEqual([]);
    });
  },
);
