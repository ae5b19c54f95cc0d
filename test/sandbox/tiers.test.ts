import { chownSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { landlockWalls } from "../../src/host/sandbox/backends/landlock.ts";
import { archOf } from "../../src/host/sandbox/backends/syscalls.ts";
import { checkup } from "../../src/host/sandbox/canaries.ts";
import { launch, openLaunch } from "../../src/host/sandbox/launch.ts";
import { createCage, limitsLayer } from "../../src/host/sandbox/limits.ts";
import { probe, switchedOff } from "../../src/host/sandbox/probe.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import type { LandlockOnly, Sandbox } from "../../src/host/sandbox/sandbox.ts";
import { findOtherUser, parsePasswd, scopeUser } from "../../src/host/sandbox/user.ts";
import { messageOf } from "../scratch.ts";
import { available, BWRAPS, EVERYBODY, has, inside, isRoot, NOTHING_SHIPPED, PYTHON, policyIn, who } from "./support.ts";

const PERL = "/usr/bin/perl";
const arch = archOf(process.arch);
const second = async (): Promise<LandlockOnly | null> => {
  if (process.platform !== "linux" || !has(PERL) || arch === null) return null;
  const sandbox: LandlockOnly = {
    backend: "landlock",
    landlock: { perl: PERL, abi: 7 },
    arch,
    prlimit: null,
    walls: landlockWalls(null, "closed", "Test."),
  };
  const me = who(isRoot ? "root" : "user");
  const { ran } = await inside(me.workspace(), me, "true", { sandbox });
  me.remove();
  return ran ? sandbox : null;
};
const landlock = await second();
if (!landlock) console.log("SKIPPED: this kernel has no Landlock, or there is no perl.");

describe.runIf(landlock).each(EVERYBODY)("the second tier as %s", (name) => {
  const me = who(name);
  afterAll(() => me.remove());
  const tried = (command: string, config = {}) => inside(me.workspace(), me, command, { sandbox: landlock!, config });

  test.each([
    ["a file outside is read", (o: string) => `cat ${o}/secret && echo ESCAPED`],
    ["a file outside is written", (o: string) => `echo x > ${o}/pwn && echo ESCAPED`],
    ["through a link", (o: string) => `ln -s ${o} d; cat d/secret && echo ESCAPED`],
    ["shadow", () => "cat /etc/shadow && echo ESCAPED"],
    ["the environment of the first process", () => "cat /proc/1/environ | grep -q . && echo ESCAPED"],
    ["a kernel setting", () => 'v=$(cat /proc/sys/kernel/core_pattern) && echo "$v" > /proc/sys/kernel/core_pattern && echo ESCAPED'],
    ["a process of the machine is killed", () => `kill -0 ${process.pid} && echo ESCAPED`],
    [
      "the machine's network",
      () => "perl -MSocket -e 'print socket(S,AF_INET,SOCK_STREAM,0) || socket(S,AF_UNIX,SOCK_STREAM,0) ? q(ESCAPED) : q(no)'",
    ],
    ["a user namespace", () => "unshare -U true && echo ESCAPED"],
    ["mount", () => "mount -t tmpfs none . && echo ESCAPED"],
    ["capabilities", () => `perl -ne 'print "ESCAPED" if /^CapEff:.*[1-9a-f]/' /proc/self/status`],
    ["/tmp of the machine", () => `echo x > /tmp/zeph-tier-${name} && echo ESCAPED`],
  ])("%s: no", async (_what, command) => {
    const did = await tried(command(me.outside));
    expect(did.ran, did.setupError).toBe(true);
    expect(did.out).not.toContain("ESCAPED");
  });

  test("ordinary work goes on, in a temporary home that is gone afterwards", async () => {
    const did = await tried(
      'echo y >> f && git commit -qam y && node -e "console.log(1)" && echo x > $TMPDIR/a && echo $HOME; cat <<< here',
    );
    expect(did).toMatchObject({ exitCode: 0, ran: true });
    const home = did.out.split("\n").find((line) => line.startsWith(tmpdir()))!;
    expect([home.startsWith(`${tmpdir()}/zeph-command-`), existsSync(home)]).toEqual([true, false]);
  });

  test("starts nothing in another folder than the one that was judged", async () => {
    const cwd = me.workspace();
    const start = join(cwd, "start");
    mkdirSync(start);
    const line = () => launch(landlock!, { ...policyIn(cwd, me), cwd: start }, ["/bin/echo", "RAN"], { user: me.user });
    const options = { timeoutMs: 20_000, onOutput: () => {} };
    if (me.user) chownSync(start, me.user.uid, me.user.gid);
    expect(await runLaunch(line(), options)).toMatchObject({ ran: true, exitCode: 0 });
    const late = line();
    renameSync(start, `${start}.away`);
    mkdirSync(start);
    expect(await runLaunch(late, options)).toMatchObject({ ran: false, changed: true });
  });

  test("a command that is not there never ran", async () => {
    const line = launch(landlock!, policyIn(me.workspace(), me), ["/bin/no-such-program"], { user: me.user });
    expect(await runLaunch(line, { timeoutMs: 18_000, onOutput: () => {} })).toMatchObject({
      ran: false,
      setupError: expect.stringContaining("no-such-program"),
    });
  });
});

describe.runIf(landlock && available)("when namespaces are forbidden", () => {
  test("the second tier is chosen, and says what it is not", async () => {
    const me = who(isRoot ? "root" : "user");
    const { fakeBwrap, remove } = await import("./fake.ts").then(({ denied }) => denied());
    const found: Sandbox = await probe({ policy: policyIn(me.workspace(), me), search: [fakeBwrap], builders: BWRAPS, facts: () => null });
    remove();
    me.remove();
    expect(found.walls).toMatchObject({ backend: "landlock", network: "closed", layers: expect.arrayContaining(["landlock", "seccomp"]) });
    expect(found.walls.reason).toMatch(/forbidden on this machine.*does not hide other processes.*neither protect files/);
  });
});

describe.runIf(landlock && available)("where no bwrap can be used at all", () => {
  test.each([
    ["none is there", "/nowhere/bwrap", /ubblewrap is not installed.*does not hide other processes/],
    ["another sandbox stands around us", "nested", /already runs inside a sandbox.*does not hide other processes/],
  ])("%s: the second tier is chosen all the same", async (_when, given, why) => {
    const me = who(isRoot ? "root" : "user");
    const { fakeBwrap, remove } = (await import("./fake.ts")).denied("Creating new namespace failed: nesting depth (ENOSPC)");
    const found = await probe({
      policy: policyIn(me.workspace(), me),
      search: [given === "nested" ? fakeBwrap : given],
      shipped: NOTHING_SHIPPED,
      facts: () => null,
    });
    remove();
    me.remove();
    expect(found.walls).toMatchObject({ backend: "landlock", network: "closed" });
    expect(found.walls.reason).toMatch(why);
  });
});

describe.runIf(available)("the canaries", () => {
  const me = who(isRoot ? "root" : "user");
  let leftovers: string[];
  const planted = () => readdirSync(tmpdir()).filter((name) => name.startsWith("zeph-doctor-"));
  beforeAll(() => {
    leftovers = planted();
  });
  afterAll(() => me.remove());

  test("all hold behind the walls", async () => {
    const policy = policyIn(me.workspace(), me);
    const { canaries, walls } = await checkup(await probe({ policy }), policy, { home: me.home });
    expect(canaries.filter(({ holds }) => holds !== true)).toEqual([]);
    expect(canaries).toHaveLength(12);
    expect(walls.backend).toBe("bubblewrap");
    expect(planted()).toEqual(leftovers);
  });

  test("an open network is told, with the setting that opened it", async () => {
    const policy = policyIn(me.workspace(), me, { config: { allow_network: true } });
    const { canaries, advice } = await checkup(await probe({ policy }), policy, { home: me.home });
    expect(canaries.filter(({ holds }) => holds !== true)).toEqual([
      { name: "connect to the machine's network", holds: false, detail: "open by tools.sandbox.allow_network" },
    ]);
    expect(advice.join()).toMatch(/allow_network = false/);
    // Where a cgroup counts it the layers say so; elsewhere the doctor says what is not counted.
    const { layers } = (await probe({ policy })).walls;
    expect(/memfd/.test(advice.join())).toBe(!layers.includes("memory"));
  });

  test("control: without walls every one of them sings, or could not sing anywhere", async () => {
    const { canaries, advice } = await checkup(switchedOff, policyIn(me.workspace(), me), { home: me.home });
    const quiet = canaries.filter(({ holds }) => holds !== false);
    // The watchdog ends what a command left behind, with walls or without.
    const watched = existsSync("/usr/bin/perl") ? ["live on after the command"] : [];
    const expected = ["type into the terminal (TIOCSTI)", ...(isRoot ? [] : ["write a kernel setting in /proc/sys"]), ...watched];
    expect(quiet.map(({ name, holds }) => [name, holds])).toEqual(expected.map((name) => [name, "unknown"]));
    for (const { detail } of quiet) expect(detail).toMatch(/^not possible here, with or without walls/);
    for (const { detail, holds } of canaries) if (holds === false) expect(detail).toBe("it worked");
    expect(advice[0]).toMatch(/switched off/);
  });
});

test("no sandbox: a launch is refused, and only the open one runs", async () => {
  const me = who(isRoot ? "root" : "user");
  const policy = policyIn(me.workspace(), me);
  expect(messageOf(() => launch(switchedOff, policy, ["true"]))).toMatch(/switched off/);
  let out = "";
  const line = openLaunch(switchedOff.walls, policy, ["/bin/bash", "-c", "pwd; env; (setsid sleep 20 &)"]);
  const start = Date.now();
  const did = await runLaunch(line, { timeoutMs: 18_000, onOutput: (chunk) => (out += chunk) });
  expect(did).toMatchObject({ exitCode: 0, ran: true });
  expect(out).toContain(policy.cwd);
  expect(out).not.toContain("CANARY");
  // Its pipe is held by a process that left; nobody waits for that one.
  expect(Date.now() - start).toBeLessThan(15_000);
  me.remove();
});

test.runIf(available)("a bwrap that has gone meanwhile, a missing program, an aborted start: told, and nothing is left", async () => {
  const me = who(isRoot ? "root" : "user");
  const policy = policyIn(me.workspace(), me);
  const sandbox = await probe({ policy, builders: BWRAPS });
  if (sandbox.backend !== "bubblewrap") throw new Error("there were walls a moment ago");
  const groups = () =>
    existsSync("/sys/fs/cgroup/pids") ? readdirSync("/sys/fs/cgroup/pids").filter((name) => name.startsWith(`zeph-${process.pid}-`)) : [];
  const options = { timeoutMs: 18_000, onOutput: () => {} };
  expect(await runLaunch(launch({ ...sandbox, bwrap: "/nowhere/bwrap" }, policy, ["true"]), options)).toMatchObject({
    ran: false,
    setupError: expect.stringMatching(/ENOENT|No such file/),
  });
  const missing = await runLaunch(launch(sandbox, policy, ["/no/program"]), options);
  expect(missing).toMatchObject({ ran: true, exitCode: 127 });
  const open = () => readdirSync("/proc/self/fd").length;
  const before = open();
  expect(messageOf(() => launch(sandbox, policy, ["true"], { shipped: NOTHING_SHIPPED }))).toMatch(/^zeph-run, which builds and compares/);
  expect(open()).toBe(before);
  expect(messageOf(() => launch(sandbox, { ...policy, write: [...policy.write, "/gone"] }, ["true"]))).toMatch(/^\/gone is no longer what/);
  expect(await runLaunch(launch(sandbox, policy, ["true"]), { ...options, signal: AbortSignal.abort() })).toMatchObject({
    ran: false,
    stopped: "aborted",
  });
  expect(groups()).toEqual([]);
  me.remove();
});

test.runIf(available)("a channel of one's own reaches the command", async () => {
  const me = who(isRoot ? "root" : "user");
  const policy = policyIn(me.workspace(), me);
  let side = "";
  const line = launch(await probe({ policy }), policy, ["/bin/bash", "-c", "echo there >&6"]);
  await runLaunch(line, { timeoutMs: 18_000, onOutput: () => {}, side: { fd: 6, onData: (chunk) => (side += chunk) } });
  expect(side).toBe("there\n");
  me.remove();
});

describe("another user", () => {
  const SCOPE = { enabled: true, run_as_user: "", require_capability: false, audit_all_invocations: true };
  const accounts = (name: string) => parsePasswd("root:x:0:0::/root:/bin/sh\nbuilder:x:1001:1002::/home/builder:/bin/sh\n", name);
  test("is found", () =>
    expect(findOtherUser("builder", 0, accounts, () => "CapEff:\t00000000000000c0\n")).toEqual({
      name: "builder",
      uid: 1001,
      gid: 1002,
      home: "/home/builder",
    }));
  test("is nobody else where it is the user of this process", () => {
    expect(findOtherUser("builder", 1001, accounts)).toBeNull();
    expect(findOtherUser("root", 0, accounts)).toBeNull();
    expect(scopeUser({ ...SCOPE, run_as_user: "" })).toBeUndefined();
    expect(scopeUser({ ...SCOPE, enabled: false, run_as_user: "no-such-user-here" })).toBeUndefined();
  });
  test("needs root", () => expect(messageOf(() => findOtherUser("builder", 1000, accounts))).toMatch(/needs root.*sudo zeph/));
  test("needs the rights of root, too", () => {
    const as = (effective: string) => () => findOtherUser("builder", 0, accounts, () => `Name:\tnode\nCapEff:\t${effective}\nCapBnd:\t0\n`);
    for (const without of ["000001fffeffff3f", "000001fffeffff7f", "000001fffeffffbf", "0000000000000000"])
      expect(messageOf(as(without))).toMatch(/CAP_SETUID and CAP_SETGID/);
    expect(as("00000000000000c0")()).toMatchObject({ uid: 1001 });
    expect(findOtherUser("builder", 0, accounts, () => "")).toMatchObject({ uid: 1001 });
  });
  test("must exist", () => {
    expect(messageOf(() => findOtherUser("nobody-here", 0, accounts))).toMatch(/no user "nobody-here"/);
    expect(messageOf(() => findOtherUser("--help; x", 0))).toMatch(/no user/);
  });
  test.runIf(isRoot && available)("runs the command, with no group of ours", async () => {
    const me = who("user");
    const { out } = await inside(me.workspace(), me, "touch mine; id -u; id -G; stat -c %u mine");
    expect(out.split("\n").slice(0, 3)).toEqual([`${me.user!.uid}`, `${me.user!.gid}`, `${me.user!.uid}`]);
    me.remove();
  });
});

describe("limits", () => {
  test("are named as they are", () => {
    expect(limitsLayer("/usr/bin/prlimit", { root: true, cgroup: false })).toEqual(["rlimit-only"]);
    expect(limitsLayer("/usr/bin/prlimit", { root: true, cgroup: true })).toEqual(["limits"]);
    expect(limitsLayer("/usr/bin/prlimit", { root: false, cgroup: false })).toEqual(["limits"]);
    expect(limitsLayer(null, { root: false, cgroup: false })).toEqual([]);
  });
  test("no cgroup where there are none, and nothing is left", () => {
    expect(createCage({ processes: 10, memoryBytes: 2 ** 30 }, [tmpdir(), "/nowhere"])).toBeNull();
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`zeph-${process.pid}-`))).toEqual([]);
    rmSync(`${tmpdir()}/zeph-none`, { force: true });
  });
  const group = createCage({ processes: 10, memoryBytes: 2 ** 30 });
  group?.remove();
  // Root is counted by its group alone: the machine's rule for processes of a user does not hold for root.
  const counted = group ? EVERYBODY : EVERYBODY.filter((name) => name !== "root");
  test.runIf(available && has(PYTHON))("processes are counted, for root by its group", async () => {
    for (const name of counted) {
      const me = who(name);
      const code =
        'import os\nn=0\ntry:\n  while n<200:\n    if os.fork()==0: os.pause() if hasattr(os,"pause") else __import__("signal").pause()\n    n+=1\nexcept OSError: pass\nprint("made",n,flush=True)\nos.kill(0,9)';
      const { out } = await inside(me.workspace(), me, `${PYTHON} -c '${code}' & wait`, { limits: { processes: 60 } });
      const made = Number(/made (\d+)/.exec(out)?.[1]);
      expect(made).toBeGreaterThan(20);
      expect(made).toBeLessThan(60);
      me.remove();
    }
  });
});
