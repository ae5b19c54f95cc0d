import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Policy } from "../../src/host/sandbox/policy.ts";
import { available, EVERYBODY, has, inside, isRoot, PYTHON, who } from "./support.ts";
import { program } from "./weak.ts";

describe.runIf(available).each(EVERYBODY)("as %s", (name) => {
  const me = who(name);
  afterAll(() => me.remove());

  test("a command that does nothing leaves nothing", async () => {
    const cwd = me.workspace();
    const files = () => readdirSync(cwd, { recursive: true }).sort();
    const before = files();
    await inside(cwd, me, "true");
    expect(files()).toEqual(before);
  });

  test("no descriptor of ours stays open, and no group is left", async () => {
    const cwd = me.workspace();
    const open = () => readdirSync("/proc/self/fd").length;
    const groups = () =>
      existsSync("/sys/fs/cgroup/pids") ? readdirSync("/sys/fs/cgroup/pids").filter((n) => n.includes(`zeph-${process.pid}-`)) : [];
    await inside(cwd, me, "true");
    const before = open();
    for (let i = 0; i < 10; i++) await inside(cwd, me, i % 2 ? "true" : "nonsense");
    expect(open()).toBeLessThanOrEqual(before);
    expect(groups()).toEqual([]);
  });

  test("the environment is the one that was made, and no more", async () => {
    const { out } = await inside(me.workspace(), me, "env | cut -d= -f1 | sort | tr '\\n' ' '");
    const allowed =
      "CI GIT_PAGER GIT_TERMINAL_PROMPT HOME LANG LOGNAME NODE_ENV NO_COLOR PAGER PATH PWD SHELL SHLVL TERM TMPDIR TZ USER _".split(" ");
    expect(
      out
        .trim()
        .split(" ")
        .filter((word) => !allowed.includes(word)),
    ).toEqual([]);
  });

  test("every layer is there by itself, also where another one would hold", async () => {
    const names = ["user", "pid", "ipc", "uts", "net", "mnt", "cgroup"];
    const read = `for n in ${names.join(" ")}; do readlink /proc/self/ns/$n; done; cut -d' ' -f6 /proc/self/stat; hostname; grep -E '^(CapBnd|CapPrm|CapInh|CapAmb|NoNewPrivs|Seccomp):' /proc/self/status`;
    const lines = (await inside(me.workspace(), me, read)).out.split("\n");
    const shared = names.filter((name, i) => lines[i] === readlinkSync(`/proc/self/ns/${name}`));
    expect(shared).toEqual([]);
    const [session, host, ...status] = lines.slice(names.length);
    // 0: led by a process outside of the namespace, on whose terminal it could type.
    expect(Number(session)).toBeGreaterThan(0);
    expect(host).toBe("sandbox");
    const none = "0000000000000000";
    expect(Object.fromEntries(status.filter(Boolean).map((line) => line.split(":\t")))).toEqual({
      CapInh: none,
      CapPrm: none,
      CapBnd: none,
      CapAmb: none,
      NoNewPrivs: "1",
      Seccomp: "2",
    });
  });

  test("nothing of the policy can be read inside: arguments, descriptors", async () => {
    const { out } = await inside(me.workspace(), me, "tr '\\0' ' ' </proc/1/cmdline; ls -l /proc/1/fd /proc/self/fd");
    expect(out).not.toContain("--ro-bind");
    expect(out).not.toMatch(/-> (?!\/dev\/null|socket:|pipe:|anon_inode:\[eventfd\]|\/proc\/)/);
  });

  test("git cannot be pointed elsewhere: what is new in .git is noticed", async () => {
    const { beforeCommand, changesSince } = await import("../../src/host/protected/after-command.ts");
    const cwd = me.workspace();
    const before = beforeCommand({ write: [cwd] });
    const commands =
      "echo ../evil > .git/commondir; mkdir .vscode; touch .envrc; git init -q sub; echo x >> f; git add f; git commit -qm y";
    await inside(cwd, me, commands);
    expect((await changesSince(before)).map(({ path, how }) => `${path.slice(cwd.length + 1)} ${how}`).sort()).toEqual([
      ".envrc appeared",
      ".git/commondir appeared",
      ".vscode appeared",
      "sub/.git appeared",
    ]);
  });

  test("no setuid or setgid file is left, however it is made", async () => {
    const cwd = me.workspace();
    const tries = [
      "cp /bin/true b; chmod 4755 b; chmod 2755 b; chmod u+s b; chmod g+s b; install -m 6755 /bin/true i",
      "cp /bin/su s; cp -p /bin/su sp; cp -a /bin/su sa; mkdir -m 2755 d; mkdir d2; chmod g+s d2",
      "umask 0; perl -e 'use Fcntl; sysopen(my $a, q(o), O_CREAT|O_WRONLY, 06755); chmod 06755, q(b); open(my $f, q(<), q(b)); chmod 04755, $f'",
      ...(has(PYTHON)
        ? [
            `${PYTHON} -c 'import os; os.open("p", os.O_CREAT|os.O_WRONLY, 0o4755)'`,
            `${PYTHON} -c 'import os; os.mknod("m", 0o104755)'`,
            `${PYTHON} -c 'import os; os.chmod("b", 0o4755, dir_fd=os.open(".", 0))'`,
            // fchmodat2, openat2 (its mode lies behind a pointer), and O_TMPFILE given a name.
            `${PYTHON} -c 'import ctypes; ctypes.CDLL(None).syscall(452, -100, b"b", 0o4755, 0)'`,
            `${PYTHON} -c 'import ctypes,struct; ctypes.CDLL(None).syscall(437, -100, b"o2", struct.pack("QQQ", 0o101, 0o4755, 0), 24)'`,
            `${PYTHON} -c 'import ctypes,os; f=os.open(".", os.O_TMPFILE|os.O_WRONLY, 0o4755); ctypes.CDLL(None).linkat(-100, b"/proc/self/fd/%d" % f, -100, b"t", 0x400)'`,
          ]
        : []),
    ];
    const { out } = await inside(cwd, me, `${tries.join("\n")}\necho end`);
    expect(out).toMatch(/^end$/m);
    const marked = readdirSync(cwd, { recursive: true, encoding: "utf8" }).filter((path) => lstatSync(join(cwd, path)).mode & 0o6000);
    expect(marked).toEqual([]);
    expect(existsSync(join(cwd, "b"))).toBe(true);
  });

  test("ordinary modes work", async () => {
    const cwd = me.workspace();
    const commands = [
      "cp /bin/true b && chmod 755 b && chmod u+w,g-w b && cp -p b c && cp -a b d && install -m 755 b e",
      "mkdir -m 1777 sticky && mkdir -p x/y && chmod 700 x && touch x/f && tar cf t.tar x b && rm -r x && tar xpf t.tar && test -x b",
      "git init -q new && git -C new -c user.name=n -c user.email=e@example.org commit -q --allow-empty -m x",
      ...(has(PYTHON) ? [`${PYTHON} -c 'import shutil,tempfile; shutil.copy2("b","g"); tempfile.TemporaryFile(dir=".").write(b"x")'`] : []),
    ];
    const did = await inside(cwd, me, commands.join(" && "));
    expect([did.exitCode, did.out]).toEqual([0, ""]);
  });

  test("a repository in the workspace keeps its hooks and settings, and takes commits", async () => {
    const cwd = me.workspace();
    execFileSync("cp", ["-a", me.template, join(cwd, "sub")]);
    const { out } = await inside(
      cwd,
      me,
      `printf x > sub/.git/hooks/pre-commit && echo ESCAPED; git -C sub config core.fsmonitor 'touch x' && echo ESCAPED
      mv sub/.git sub/old && echo ESCAPED; cd sub && echo y >> f && git commit -qam y && git checkout -qb other && git log --oneline | wc -l`,
    );
    expect(out).not.toContain("ESCAPED");
    expect(out).toMatch(/^2$/m);
  });

  test("what cannot be held in such a repository is noticed", async () => {
    const { beforeCommand, changesSince } = await import("../../src/host/protected/after-command.ts");
    const cwd = me.workspace();
    for (const name of ["one", "two"]) execFileSync("cp", ["-a", me.template, join(cwd, name)]);
    const before = beforeCommand({ write: [cwd] });
    const open = (policy: Policy) => ({ ...policy, protect: { pinned: [], frozen: [], warnings: [] } });
    await inside(cwd, me, "echo x > one/.git/hooks/post-commit; git -C one config core.pager x; mv two gone; git init -q two", {
      change: open,
    });
    expect((await changesSince(before)).map(({ path, how }) => `${path.slice(cwd.length + 1)} ${how}`).sort()).toEqual([
      "gone/.git appeared",
      "gone/.zeph appeared",
      "gone/.zeph/config.toml appeared",
      "one/.git/config changed",
      "one/.git/hooks/post-commit appeared",
      "two/.git changed",
      "two/.zeph is gone",
    ]);
  });

  test("ordinary work is not noticed", async () => {
    const { beforeCommand, changesSince } = await import("../../src/host/protected/after-command.ts");
    const cwd = me.workspace();
    const before = beforeCommand({ write: [cwd] });
    expect((await inside(cwd, me, "echo x >> f; git commit -qam y; mkdir src; touch src/a")).exitCode).toBe(0);
    expect(await changesSince(before)).toEqual([]);
  });

  test("hooks that are a link: .git is read-only, and the target too", async () => {
    const cwd = me.workspace();
    execFileSync("rm", ["-rf", join(cwd, ".git", "hooks")]);
    execFileSync("mkdir", [join(cwd, "my-hooks")]);
    if (me.user) execFileSync("chown", [`${me.user.uid}`, join(cwd, "my-hooks")]);
    symlinkSync("../my-hooks", join(cwd, ".git", "hooks"));
    const { out } = await inside(
      cwd,
      me,
      "echo x > my-hooks/pre-commit && echo ESCAPED; rm .git/hooks && mkdir .git/hooks && echo ESCAPED; mv my-hooks x && echo ESCAPED; echo y > f && echo works",
    );
    expect(out).not.toContain("ESCAPED");
    expect(out).toContain("works");
  });

  test(".git as a file is read-only, and what it points to outside stays outside", async () => {
    const cwd = me.workspace();
    execFileSync("mv", [join(cwd, ".git"), join(me.outside, `repo-${name}`)]);
    writeFileSync(join(cwd, ".git"), `gitdir: ${me.outside}/repo-${name}\n`);
    if (me.user) execFileSync("chown", [`${me.user.uid}`, join(cwd, ".git")]);
    const { out } = await inside(
      cwd,
      me,
      `echo x > .git && echo ESCAPED; mv .git y && echo ESCAPED; ls ${me.outside} && echo ESCAPED; true`,
    );
    expect(out).not.toContain("ESCAPED");
    expect(readFileSync(join(cwd, ".git"), "utf8")).toContain("gitdir:");
  });
});

describe.runIf(available)("a descriptor this process was started with", () => {
  const me = who(isRoot ? "root" : "user");
  afterAll(() => me.remove());

  test.each([
    ["the launcher", {}, "nothing"],
    ["Node", { stdin: "" }, "/dev/null"],
  ])("does not reach a command that %s starts", async (_by, more, found) => {
    const look = "cat /proc/self/fd/40/secret; readlink /proc/self/fd/40 || echo nothing";
    const file = await program(`const r = await inside(${JSON.stringify(look)}, ${JSON.stringify(more)}); process.exit(r.ran ? 0 : 1);`);
    // Node closes the low ones itself, as far as they are in one row.
    const { stdout, status } = spawnSync(
      "/bin/bash",
      ["-c", 'exec 40<"$0"; exec "$1" "$2" "$3"', me.outside, process.execPath, file, me.workspace()],
      { encoding: "utf8" },
    );
    expect(status).toBe(0);
    expect(stdout).not.toContain("CANARY");
    // The complaint of cat may come before it or after it.
    expect(stdout.trimEnd().split("\n")).toContain(found);
  });
});
