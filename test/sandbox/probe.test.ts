import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { noteCommandFolders } from "../../src/files/command-folders.ts";
import { type ProbeOptions, probe, searchPath } from "../../src/host/sandbox/probe.ts";
import { reasonFor } from "../../src/host/sandbox/reasons.ts";
import { type FindShipped, findShipped } from "../../src/host/sandbox/shipped.ts";
import { parentOf } from "../../src/text/path.ts";
import { BWRAP } from "./bwrap.ts";
import { available, BWRAPS, isRoot, policyIn, type Who, who } from "./support.ts";

const me: Who = who(isRoot ? "root" : "user");
afterAll(() => me.remove());
const HELP = `[ "$1" = --help ] && exec ${BWRAP} --help\n`;

/** A program called bwrap that does something else. Far from the workspace, where a real one would be. */
function fake(script: string, place = mkdtempSync(join(tmpdir(), "zeph-fake-"))): string {
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const file = join(place, "bwrap");
  writeFileSync(file, `#!/bin/bash\n${script}\n`);
  chmodSync(file, 0o755);
  chmodSync(place, 0o755);
  return file;
}
/** An installation without programs of its own. */
const nothingShipped: FindShipped = () => ({ why: "it was left out" });
const openToAll = (file: string): string => {
  chmodSync(file, 0o777);
  return file;
};
const asked = (search: readonly string[], more: Partial<ProbeOptions> = {}) =>
  probe({ policy: policyIn(me.workspace(), me), search, builders: BWRAPS, perl: "/nowhere/perl", shipped: nothingShipped, ...more });
const reason = async (search: readonly string[], more: Partial<ProbeOptions> = {}) => {
  const { backend, walls } = await asked(search, more);
  expect([backend, walls.backend, walls.layers]).toEqual(["none", "none", []]);
  return walls.reason;
};

describe.runIf(process.platform === "linux")("without a working bwrap the reason is told", () => {
  test("missing", async () =>
    expect(await reason(["/nowhere/bwrap"])).toMatch(
      /^Shell sandbox unavailable: bubblewrap is not installed.*apt-get install bubblewrap/,
    ));

  test("missing, and no other was shipped: that is told too", async () =>
    expect(await reason(["/nowhere/bwrap"])).toMatch(/The bwrap that Zeph brings along is not used: it was left out\.$/));

  test.runIf(available).each([
    ["is missing", () => "/nowhere/bwrap"],
    ["is too old", () => fake(`${BWRAP} --help 2>&1 | grep -vE -- '--(json-status-fd|cap-drop)'`)],
    ["can be changed by everybody", () => openToAll(fake(""))],
    ["is no bwrap at all", () => fake("exit 3")],
  ])("and the machine's own %s: the shipped one is tried, and its walls hold", async (_what, path) => {
    const found = await probe({ policy: policyIn(me.workspace(), me), search: [path()], builders: BWRAPS });
    expect(found.walls).toMatchObject({
      backend: "bubblewrap",
      builder: "shipped",
      layers: expect.arrayContaining(["namespaces", "seccomp"]),
    });
  });

  test.runIf(available).each([
    ["0.11.0", "shipped"],
    ["0.12.0", "system"],
    ["1.0.0", "system"],
  ])("a bubblewrap of the machine with version %s: the %s one builds", async (version, builder) => {
    const versioned = fake(`[ "$1" = --version ] && { echo 'bubblewrap ${version}'; exit; }; exec env -i ${BWRAP} "$@"`);
    const found = await probe({ policy: policyIn(me.workspace(), me), search: [versioned], builders: BWRAPS });
    expect(found.walls).toMatchObject({ backend: "bubblewrap", builder });
  });

  test.runIf(available)("a system that forbids namespaces is not asked a second time with another bwrap", async () => {
    const denied = fake(`${HELP}echo 'bwrap: No permissions to create new namespace' >&2; exit 1`);
    const shipped = () => expect.unreachable();
    expect(await reason([denied], { shipped, facts: () => null })).toMatch(/forbidden on this machine/);
  });

  test("AppArmor forbids it to the shipped one: the system's own is the way out", async () => {
    const denied = fake(`${HELP}echo 'bwrap: setting up uid map: Permission denied' >&2; exit 1`);
    expect(await reason(["/nowhere/bwrap"], { shipped: () => ({ path: denied }) })).toMatch(
      /AppArmor forbids user namespaces to the bwrap that Zeph brings along.*apt-get install bubblewrap` is enough on Ubuntu 24\.04/,
    );
  });

  test("too old: an option we need is not listed", async () => {
    const old = fake(`${BWRAP} --help 2>&1 | grep -vE -- '--(json-status-fd|cap-drop)'`);
    expect(await reason([old])).toMatch(/too old: it does not know --json-status-fd, --cap-drop/);
  });

  test.runIf(available)("too old: an option we can do without is left out", async () => {
    const old = fake(
      `if [ "$1" = --help ]; then ${BWRAP} --help 2>&1 | grep -vE -- '--(disable-userns|size)'; else exec env -i ${BWRAP} "$@"; fi`,
    );
    const found = await asked([old]);
    expect(found.backend).toBe("bubblewrap");
    expect(found.backend === "bubblewrap" && [...found.options]).not.toContain("--size");
  });

  test.runIf(available)("user namespaces forbidden, by whom the machine says", async () => {
    const denied = fake(
      `${HELP}echo 'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.' >&2; exit 1`,
    );
    expect(await reason([denied], { facts: (path) => (path.endsWith("max_user_namespaces") ? "0" : null) })).toMatch(
      /sysctl user.max_user_namespaces/,
    );
    expect(await reason([denied], { facts: (path) => (path === "/.dockerenv" ? "" : null) })).toMatch(/Docker's seccomp profile/);
    expect(await reason([denied], { facts: () => null })).toMatch(/forbidden on this machine/);
  });

  test.runIf(available)("hanging: it takes the time limit and not longer", async () => {
    const start = Date.now();
    expect(await reason([fake(`${HELP}exec sleep 60`)], { timeoutMs: 400 })).toMatch(/did not answer within the time limit/);
    expect(await reason([fake("exec sleep 60")], { timeoutMs: 400 })).toMatch(/did not answer within the time limit/);
    expect(Date.now() - start).toBeLessThan(30_000);
  });

  test.runIf(available)("lying: it runs the command without any walls", async () => {
    // After the second mark comes the command itself: what stands before it is found only behind walls.
    const naked = `${HELP}for mark in bwrap limits; do while [ "$1" != -- ]; do shift; done; shift; done; "$@" & echo "{ \\"child-pid\\": $! }" >&5; wait $!; echo '{ "exit-code": 0 }' >&5`;
    expect(await reason([fake(naked)], { timeoutMs: 60_000 })).toMatch(
      /does not hold: .*the system call filter is not active.*a file outside is visible/,
    );
  });

  test.runIf(available && isRoot)("lying: it names a process that is not its own, which is left alone", async () => {
    const group = () => readFileSync(`/proc/${process.ppid}/cgroup`, "utf8");
    const before = group();
    const liar = `${HELP}echo '{ "child-pid": ${process.ppid} }' >&5; sleep 1; echo '{ "exit-code": 0 }' >&5`;
    expect(await reason([fake(liar)], { timeoutMs: 60_000 })).toMatch(/does not hold|bwrap failed/);
    expect(group()).toBe(before);
  });

  test.runIf(available)("lying: it leaves out one part", async () => {
    const without = (option: string) => fake(`${HELP}exec ${BWRAP} --args 4 ${option} --json-status-fd 5 -- "\${@:$(( $# ))}"`);
    expect(await reason([without("")])).toBeDefined();
    const noFilter = fake(
      `${HELP}a=(); while [ $# -gt 0 ]; do [ "$1" = --seccomp ] && { shift 2; continue; }; [ "$1" = -- ] && break; a+=("$1"); shift; done; exec 3<&-; exec ${BWRAP} "\${a[@]}" "$@"`,
    );
    expect(await reason([noFilter], { timeoutMs: 60_000 })).toMatch(/does not hold: the system call filter is not active/);
  });

  test("saying nothing", async () => expect(await reason([fake("exit 3")])).toMatch(/--help says nothing/));

  test("one that commands can write is not used", async () => {
    const cwd = me.workspace();
    mkdirSync(join(cwd, "bin"));
    const inWorkspace = fake("", join(cwd, "bin"));
    expect(
      (await probe({ policy: policyIn(cwd, me), search: [inWorkspace], perl: "/nowhere", shipped: nothingShipped })).walls.reason,
    ).toMatch(/can be changed by commands/);
    const open = fake("");
    chmodSync(open, 0o777);
    expect(await reason([open])).toMatch(/can be changed by commands/);
  });

  test.runIf(available && isRoot)("a workspace of someone else", async () => {
    const cwd = me.workspace();
    chownSync(cwd, 61_235, 61_235);
    const { walls } = await probe({ policy: policyIn(cwd, me) });
    expect(walls.reason).toMatch(/belongs to another user.*run_as_user/);
  });
});

test.each([
  [
    "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)",
    "nested",
    /already runs inside a sandbox/,
  ],
  ["bwrap: setting up uid map: Permission denied", "namespaces", /AppArmor/],
  ["bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted", "namespaces", /AppArmor/],
  ["bwrap: Unknown option --cap-drop", "old", /does not know --cap-drop/],
  ["bwrap: Can't find source path /x y: No such file or directory", "broken", /has gone: \/x y/],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", "namespaces", /systempaths=unconfined/],
  ["something else\nmore", "broken", /bwrap failed: something else\./],
  ["", "broken", /it said nothing/],
])("%s", (words, kind, why) => expect(reasonFor(words, () => null)).toEqual({ kind, why: expect.stringMatching(why) }));

test.each([
  ["Linux version 4.4.0-19041-Microsoft (Microsoft@Microsoft.com)", /version 1 of the Windows Subsystem.*--set-version/],
  ["Linux version 5.15.90.1-microsoft-standard-WSL2 (gcc 9)", /forbidden on this machine/],
  ["Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016", /gVisor.*no Landlock.*tools\.sandbox\.fallback/],
])("a kernel that calls itself %s is told apart", (version, why) => {
  const facts = (path: string) => (path === "/proc/version" ? version : null);
  expect(reasonFor("bwrap: Creating new namespace failed: Invalid argument", facts)).toEqual({
    kind: "namespaces",
    why: expect.stringMatching(why),
  });
});

test("namespaces that are switched off are not taken for a sandbox around us", () => {
  const words = "bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)";
  const facts = (path: string) => (path === "/proc/sys/user/max_user_namespaces" ? "0" : null);
  expect(reasonFor(words, facts)).toEqual({ kind: "namespaces", why: expect.stringMatching(/sysctl user\.max_user_namespaces/) });
});

test.runIf(available)("where Zeph's own builder cannot be used, the walls of bubblewrap say why", async () => {
  const old = join(mkdtempSync(join(tmpdir(), "zeph-old-")), "zeph-run");
  onTestFinished(() => rmSync(parentOf(old), { recursive: true, force: true }));
  const real = join(import.meta.dirname, `../../vendor/zeph-run-linux-${process.arch}`);
  const script = `[ "$1" = build ] || exec ${real} "$@"; echo 'zeph-run: mount_setattr: Function not implemented' >&2; exit 125`;
  writeFileSync(old, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const shipped: FindShipped = (query) => (query.name === "zeph-run" ? { path: old } : findShipped(query));
  const { walls } = await probe({ policy: policyIn(me.workspace(), me), shipped, builders: ["own", "system", "shipped"] });
  expect(walls).toMatchObject({ backend: "bubblewrap", builder: expect.stringMatching(/system|shipped/) });
  expect(walls.reason).toMatch(
    /^Zeph's own builder of walls, zeph-run, cannot be used: zeph-run failed: .*mount_setattr: Function not implemented/,
  );
});

test("no bwrap is looked for in a folder of PATH that commands may write", () => {
  const [open, closed] = ["open", "closed"].map((name) => mkdtempSync(join(tmpdir(), `zeph-${name}-`))) as [string, string];
  onTestFinished(() => {
    for (const folder of [open, closed]) rmSync(folder, { recursive: true, force: true });
  });
  noteCommandFolders([open]);
  vi.stubEnv("PATH", `${open}:${closed}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(searchPath()).toEqual(["/usr/bin/bwrap", "/usr/local/bin/bwrap", `${closed}/bwrap`]);
});

test.runIf(available)("asked once: the second answer is the first", async () => {
  const policy = policyIn(me.workspace(), me);
  expect(probe({ policy })).toBe(probe({ policy }));
  expect((await probe({ policy })).walls).toMatchObject({
    backend: "bubblewrap",
    network: "closed",
    layers: expect.arrayContaining(["namespaces", "seccomp"]),
  });
});
