import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { bubblewrapArgs } from "../../src/host/sandbox/backends/bubblewrap.ts";
import { BWRAP } from "./bwrap.ts";
import { available, canMount, has, inside, isRoot, PYTHON, policyIn, who } from "./support.ts";
import { plantTargets } from "./targets.ts";
import { weakly } from "./weak.ts";

/**
 * The same attacks on weaker lines, where they must work: a suite that cannot make an attack succeed proves nothing when it fails.
 * Beside each, the attack on the real line.
 */
describe.runIf(available)("on a weaker line", async () => {
  if (!available) return;
  const me = who(isRoot ? "root" : "user");
  const targets = await plantTargets(me);
  afterAll(async () => {
    await targets.remove();
    me.remove();
  });
  const bash = (command: string) => ["--", "/bin/bash", "--noprofile", "--norc", "-c", command];
  const everything = ["--ro-bind", "/", "/"];
  const python = (code: string) => `${PYTHON} -c '${code}'`;
  const abstract = python(`import socket\ns=socket.socket(socket.AF_UNIX)\ns.connect("\\0${targets.abstract}")\nprint("ESCAPED")`);
  const tcp = `cat </dev/tcp/127.0.0.1/${targets.port4} | grep -q CANARY && echo ESCAPED`;
  const pattern = `v=$(cat /proc/sys/kernel/core_pattern); printf %s "$v" > /proc/sys/kernel/core_pattern && echo ESCAPED`;
  const remount = `mount -o remount,rw,bind / && echo x > ${targets.outside}/pwn && rm ${targets.outside}/pwn && echo ESCAPED`;
  const confined = [...everything, "--unshare-user", "--unshare-pid", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"];
  const real = (command: string, config = {}) => inside(me.workspace(), me, command, { config }).then(({ out }) => out);

  test.runIf(canMount).each([
    ["no user namespace, capabilities kept", [...everything, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"]],
    ["capabilities kept in a user namespace", [...everything, "--unshare-all"]],
  ])("%s: the root is made writable", async (_name, line) => {
    expect(await weakly([...line, ...bash(remount)])).toContain("ESCAPED");
    expect(await real(remount)).not.toContain("ESCAPED");
  });

  test.runIf(isRoot)("/proc left writable: a kernel setting is written", async () => {
    expect(await weakly([...confined, ...bash(pattern)])).toContain("ESCAPED");
    expect(await weakly([...confined, "--remount-ro", "/proc", ...bash(pattern)])).not.toContain("ESCAPED");
    expect(await real(pattern)).not.toContain("ESCAPED");
  });

  test("the environment cleared inside only: the first process still shows it", async () => {
    const read = "tr '\\0' '\\n' </proc/1/environ | grep -q CANARY && echo ESCAPED";
    expect(await weakly([...confined, "--clearenv", ...bash(read)], { env: { KEY: "CANARY" } })).toContain("ESCAPED");
    expect(await real(read)).not.toContain("ESCAPED");
  });

  test(".git not pinned: it is swapped", async () => {
    const cwd = me.workspace();
    const git = join(cwd, ".git");
    const swap = "mv .git .git-old && mkdir -p .git/hooks && echo x > .git/hooks/pre-commit && echo ESCAPED";
    const line = [
      ...everything,
      "--unshare-user",
      "--dev",
      "/dev",
      "--bind",
      cwd,
      cwd,
      "--ro-bind",
      `${git}/hooks`,
      `${git}/hooks`,
      "--chdir",
      cwd,
    ];
    // An ordinary user other than the owner could not write in any case; here the one who runs is the owner.
    expect(await weakly([...line, ...bash(swap)])).toContain("ESCAPED");
    expect(existsSync(`${git}/hooks/pre-commit`)).toBe(true);
    expect(await real(swap)).not.toContain("ESCAPED");
  });

  test.runIf(has(PYTHON))("the network shared: an abstract socket is reached, unless Landlock is there", async () => {
    expect(await weakly([...confined, ...bash(abstract)])).toContain("ESCAPED");
    const did = await inside(me.workspace(), me, abstract, { config: { allow_network: true } });
    expect(did.out).not.toContain("ESCAPED");
    expect(did.out).toMatch(/PermissionError|Operation not permitted/);
  });

  test("the network shared: services of the machine are reached, as that setting says", async () => {
    expect(await real(tcp, { allow_network: true })).toContain("ESCAPED");
    expect(await real(tcp)).not.toContain("ESCAPED");
  });

  test.runIf(has(PYTHON)).each([
    ["vsock", `import socket\nsocket.socket(40,1)\nprint("ESCAPED")`, ["--unshare-net"]],
    ["a user namespace", `import ctypes\nprint("ESCAPED" if ctypes.CDLL(None).unshare(0x10000000)==0 else "no")`, ["--unshare-net"]],
  ])("no filter: %s", async (_name, code, line) => {
    expect(await weakly([...confined, ...line, ...bash(python(code))])).toContain("ESCAPED");
    expect(await real(python(code))).not.toContain("ESCAPED");
  });

  test("no filter, but the real mounts: a setuid file is left", async () => {
    const cwd = me.workspace();
    const mark = "cp /bin/true b && chmod 4755 b && echo ESCAPED";
    expect(await weakly([...bubblewrapArgs(policyIn(cwd, me)), ...bash(mark)])).toContain("ESCAPED");
    expect(statSync(join(cwd, "b")).mode & 0o7777).toBe(0o4755);
    expect(await real(mark)).toMatch(/Operation not permitted/);
  });

  test.runIf(has(PYTHON))("no filter, but the real mounts: user namespaces are used up, and only by that option", async () => {
    const line = bubblewrapArgs(policyIn(me.workspace(), me));
    const unshare = python('import ctypes\nprint("ESCAPED" if ctypes.CDLL(None).unshare(0x10000000)==0 else "no")');
    expect(await weakly([...line.filter((option) => option !== "--disable-userns"), ...bash(unshare)])).toContain("ESCAPED");
    expect(await weakly([...line, ...bash(unshare)])).toBe("no\n");
  });

  test("an open descriptor passed on: a folder outside is read through it", async () => {
    const folder = openSync(targets.outside, "r");
    try {
      const out = await weakly([...confined, "--tmpfs", "/tmp", ...bash("cat /proc/self/fd/3/secret")], { extra: [folder] });
      expect(out).toContain("CANARY-HOST");
    } finally {
      closeSync(folder);
    }
  });

  test("a protected file that does not exist: an empty one is left behind", async () => {
    const cwd = me.workspace();
    await weakly([...everything, "--unshare-user", "--bind", cwd, cwd, "--ro-bind", "/dev/null", join(cwd, ".envrc"), ...bash("true")]);
    expect(existsSync(join(cwd, ".envrc"))).toBe(true);
    const fresh = me.workspace();
    await inside(fresh, me, "true");
    expect(existsSync(join(fresh, ".envrc"))).toBe(false);
  });

  const tiocsti = has("/proc/sys/dev/tty/legacy_tiocsti") && readFileSync("/proc/sys/dev/tty/legacy_tiocsti", "utf8").trim() === "1";
  test.runIf(has(PYTHON) && tiocsti)("on a terminal, no new session and no filter: a line is typed into it", () => {
    const line = [BWRAP, ...confined, ...bash(python('import fcntl\nfor c in b"id": fcntl.ioctl(0,0x5412,bytes([c]))\nprint("ESCAPED")'))];
    // A terminal of our own, whose other end nobody reads from.
    const code = `import os,pty,sys\npid,fd=pty.fork()\nif pid==0: os.execv(sys.argv[1],sys.argv[1:])\nout=b""\ntry:\n  while 1:\n    b=os.read(fd,4096)\n    if not b: break\n    out+=b\nexcept OSError: pass\nos.waitpid(pid,0)\nprint(out.decode())`;
    const { stdout } = spawnSync(PYTHON, ["-c", code, ...line], { encoding: "utf8", timeout: 10_000 });
    expect(stdout).toContain("ESCAPED");
  });
});
