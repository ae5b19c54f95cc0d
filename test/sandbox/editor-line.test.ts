import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createInlineLine } from "../../src/host/sandbox/backends/inline.ts";
import { landlockWalls } from "../../src/host/sandbox/backends/landlock.ts";
import { archOf } from "../../src/host/sandbox/backends/syscalls.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import type { Policy } from "../../src/host/sandbox/policy.ts";
import { probe } from "../../src/host/sandbox/probe.ts";
import type { Sandbox } from "../../src/host/sandbox/sandbox.ts";
import { fakeTerminal } from "./editor-fake.ts";
import { available, EVERYBODY, has, inside, isRoot, policyIn, type Who, wallsFor, who } from "./support.ts";

const PERL = "/usr/bin/perl";
const arch = archOf(process.arch);
const SECOND: Sandbox | null =
  process.platform === "linux" && has(PERL) && arch !== null
    ? { backend: "landlock", landlock: { perl: PERL, abi: 7 }, arch, prlimit: null, walls: landlockWalls(null, "closed", "Test.") }
    : null;
const works = async () => {
  const me = who(isRoot ? "root" : "user");
  const { ran } = await inside(me.workspace(), me, "true", { sandbox: SECOND! });
  me.remove();
  return ran;
};
const landlock = SECOND && (await works()) ? SECOND : null;
if (!landlock) console.log("SKIPPED: this kernel has no Landlock, or there is no perl.");

let lines = 0;

/** One line, started by somebody with a secret in the environment. */
async function started(me: Who, sandbox: Sandbox | null, command: string, config = {}) {
  const cwd = me.workspace();
  const policy = policyIn(cwd, me, { config });
  const found = sandbox ?? (await wallsFor(policy, me));
  const folder = join(me.base, `private-${lines++}`);
  const line = createInlineLine(
    launch(found, policy, ["/bin/bash", "--noprofile", "--norc", "-c", command], { starter: "other" }),
    folder,
    {
      fd: 9,
      most: 100,
    },
  );
  // What the same user would have made.
  if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, folder]);
  const terminal = fakeTerminal({ env: { EDITOR_TOKEN: "CANARY-EDITOR" }, ...(me.user && { uid: me.user.uid }) });
  const end = await terminal.run(
    { callId: "1", argv: line.argv, cwd, env: {}, timeoutMs: 10_000, outputBytes: 100_000 },
    new AbortController().signal,
  );
  const side = line.side().toString();
  const status = line.status();
  const kept = Math.max(...readdirSync(folder, { recursive: true }).map((name) => statSync(join(folder, String(name))).size));
  line.remove();
  return { ...end, side, status, kept, left: readdirSync(folder) };
}

const attacks = (me: Who): readonly (readonly [string, string])[] => [
  ["a file outside", `cat ${me.outside}/secret`],
  ["a key", `cat ${me.home}/.ssh/id_test`],
  ["writing outside", `echo x > ${me.outside}/pwn && echo CANARY`],
  ["the editor's environment", "env; cat /proc/1/environ | tr '\\0' '\\n'"],
  ["another process", `kill -0 ${process.pid} && echo CANARY`],
  ["a namespace", "unshare -U true && echo CANARY"],
  [
    "sockets of the machine",
    `perl -MSocket -e 'socket(S,AF_INET,SOCK_STREAM,0) and connect(S,pack_sockaddr_in(1,inet_aton("127.0.0.1"))); print "CANARY" if $!{ETIMEDOUT}'`,
  ],
];

describe.runIf(available).each(EVERYBODY)("the line as %s", (name) => {
  const me = who(name);
  afterAll(() => me.remove());

  test("holds, tells its state and leaves nothing", async () => {
    for (const [what, command] of attacks(me)) {
      const did = await started(me, null, `${command}; echo word >&9; exit 3`);
      expect(did.output, what).not.toContain("CANARY");
      expect([did.exitCode, did.side, did.status, did.left], did.output).toEqual([3, "word\n", "ran", []]);
    }
  });

  test("cannot fill the disk through what it tells", async () => {
    const did = await started(me, null, "head -c 20000000 /dev/zero >&9; echo $?; exit 3");
    expect([did.exitCode, did.output, did.side.length]).toEqual([3, "0\n", 101]);
    expect(did.kept).toBeLessThan(100_000);
  });

  test("is held by the filter, and starts nothing without it", async () => {
    expect((await started(me, null, "grep ^Seccomp: /proc/self/status")).output).toBe("Seccomp:\t2\n");
    expect((await started(me, null, "cat /proc/1/environ 2>/dev/null | wc -c")).output).toBe("0\n");
    const policy = policyIn(me.workspace(), me);
    const found = await wallsFor(policy, me);
    const folder = join(me.base, "gone");
    const line = createInlineLine(launch(found, policy, ["/bin/echo", "CANARY"], { starter: "other" }), folder, null);
    line.remove();
    const never = new AbortController().signal;
    const end = await fakeTerminal().run({ callId: "1", argv: line.argv, cwd: "/", env: {}, timeoutMs: 60_000, outputBytes: 1000 }, never);
    expect([end.exitCode, line.status()]).toEqual([125, "not started"]);
    expect(end.output).not.toContain("CANARY\n");
  });

  test("says that it did not start when the walls cannot be built", async () => {
    const policy = policyIn(me.workspace(), me);
    const found = await wallsFor(policy, me);
    const folder = join(me.base, "broken");
    const line = createInlineLine(launch(found, { ...policy, cwd: "/no/such/folder" }, ["/bin/true"], { starter: "other" }), folder, null);
    if (me.user) execFileSync("chown", ["-R", `${me.user.uid}:${me.user.gid}`, folder]);
    const terminal = fakeTerminal(me.user ? { uid: me.user.uid } : {});
    const end = await terminal.run(
      { callId: "1", argv: line.argv, cwd: "/", env: {}, timeoutMs: 60_000, outputBytes: 1000 },
      new AbortController().signal,
    );
    expect([end.exitCode, line.status()]).toEqual(
      found.backend === "bubblewrap" && found.bwrap === null ? [126, "changed"] : [1, "set up"],
    );
    line.remove();
  });
});

describe.runIf(landlock).each(EVERYBODY)("the second tier's line as %s", (name) => {
  const me = who(name);
  afterAll(() => me.remove());

  test("holds, tells its state and leaves nothing", async () => {
    for (const [what, command] of attacks(me)) {
      const did = await started(me, landlock, `${command}; echo word >&9; exit 3`);
      expect(did.output, what).not.toContain("CANARY");
      expect([did.exitCode, did.side, did.status, did.left], did.output).toEqual([3, "word\n", "ran", []]);
    }
    expect((await started(me, landlock, "grep ^Seccomp: /proc/self/status")).output).toBe("Seccomp:\t2\n");
  });
});

describe.runIf(landlock)("what a turn exports", () => {
  const me = who(isRoot ? "root" : "user");
  afterAll(() => me.remove());

  test("does not reach the program that builds the second tier's walls", async () => {
    const evil = join(me.template, "evil");
    mkdirSync(evil);
    writeFileSync(join(evil, "Fcntl.pm"), `package Fcntl; print STDOUT "CANARY-BEFORE-WALLS\\n"; 1;`);
    for (const env of [{ PERL5LIB: evil }, { PERL5OPT: `-I${evil} -MFcntl` }]) {
      const did = await inside(me.workspace(), me, "echo $PERL5LIB$PERL5OPT", {
        sandbox: landlock!,
        config: { allow_read: [evil] },
        change: (policy) => ({ ...policy, env: { ...policy.env, ...env } }),
      });
      expect(did.out).not.toContain("CANARY");
      expect(did.out).toContain(evil);
    }
  });

  test.runIf(available)("nor the one that closes the machine's sockets where the network is open", async () => {
    const config = { allow_network: true };
    const cwd = me.workspace();
    mkdirSync(join(cwd, "evil"), { recursive: true });
    writeFileSync(join(cwd, "evil", "Fcntl.pm"), `package Fcntl; print STDOUT "CANARY-BEFORE-WALLS\\n"; 1;`);
    const change = (policy: Policy) => ({ ...policy, env: { ...policy.env, PERL5LIB: join(cwd, "evil") } });
    const { walls } = await probe({ policy: policyIn(cwd, me, { config }) });
    expect(walls.layers).toContain("landlock");
    const did = await inside(cwd, me, "echo $PERL5LIB; env | grep -c ZEPH_", { config, change });
    expect(did.out).toBe(`${join(cwd, "evil")}\n0\n`);
  });
});
