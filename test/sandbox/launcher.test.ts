import { execFileSync, spawn } from "node:child_process";
import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { killNow } from "../../src/files/process.ts";
import { archOf } from "../../src/host/sandbox/backends/syscalls.ts";
import { startServed } from "../../src/host/sandbox/launcher/launcher.ts";
import { createFrameReader, FRAME, type ServedCommand } from "../../src/host/sandbox/launcher/wire.ts";
import { findRunner } from "../../src/host/sandbox/shipped.ts";
import { isRoot } from "./support.ts";
import { endAll, launchersOf, running } from "./targets.ts";

const here = realpathSync(mkdtempSync(join(tmpdir(), "zeph-launcher-")));
afterAll(() => {
  for (const pid of launchers()) killNow(pid);
  rmSync(here, { recursive: true, force: true });
});
const isHere = process.platform === "linux" && archOf(process.arch) !== null;
/** A copy, so that the launcher of this file is known from those of others in this process. */
const runner = isHere && findRunner({ writable: [] }) ? join(here, "zeph-run") : null;
if (runner) copyFileSync(findRunner({ writable: [] })!, runner);
const launchers = () => launchersOf(process.pid).filter((pid) => readlinkSync(`/proc/${pid}/exe`) === runner);
/** Linux on a machine that zeph-run was made for. */
const hasLauncher = runner !== null;
const SIDE = 6;

const stateOf = (pid: number) => /\) (\S) /.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
const keep = (all: Record<string | number, string>, where: string | number, text: string) => {
  all[where] = (all[where] ?? "") + text;
};

/** A command without walls, and what it wrote to which descriptor. */
function start(command: string, more: Partial<ServedCommand> = {}) {
  const wrote: Record<number, string> = { 1: "", 2: "", [SIDE]: "" };
  const line = { runner: runner!, file: "/bin/bash", args: ["-c", command], cwd: here, env: { PATH: "/usr/bin:/bin" }, feeds: [], ...more };
  const taker = (fd: number) => [fd, (chunk: Buffer) => keep(wrote, fd, chunk.toString())] as const;
  const job = startServed(line, new Map([1, 2, SIDE].map(taker)));
  return { ...job, wrote };
}
const run = async (command: string, more?: Partial<ServedCommand>) => {
  const { ended, wrote } = start(command, more);
  return { ...(await ended), wrote };
};

describe.runIf(hasLauncher)("the launcher", () => {
  test("keeps apart what commands at once write, and to which descriptor", async () => {
    const numbers = Array.from({ length: 60 }, (_, n) => n);
    const all = await Promise.all(numbers.map((n) => run(`echo out ${n}; echo err ${n} >&2; echo side ${n} >&${SIDE}; exit ${n}`)));
    for (const [n, { code, signal, wrote }] of all.entries())
      expect({ code, signal, wrote }).toEqual({
        code: n,
        signal: null,
        wrote: { 1: `out ${n}\n`, 2: `err ${n}\n`, [SIDE]: `side ${n}\n` },
      });
  });

  test("loses no byte of a loud command, and lets others through beside it", async () => {
    const loud = start("head -c 30000000 /dev/zero | tr '\\0' x; sleep 0.3; echo end");
    expect((await run("echo beside")).wrote[1]).toBe("beside\n");
    expect(await loud.ended).toEqual({ code: 0, signal: null });
    expect(loud.wrote[1]).toHaveLength(30_000_000 + "end\n".length);
  });

  test("ends one command with everything it started, also while that is loud, and no other", async () => {
    const word = `zeph-launched-${process.pid}`;
    const other = start("sleep 0.5; echo other");
    const loud = start(`(setsid bash -c 'exec -a ${word} sleep 60' &); yes ${word}`);
    await vi.waitFor(() => expect(running(word).length).toBeGreaterThan(1), 25_000);
    loud.end();
    expect((await loud.ended).signal).toBe("SIGKILL");
    expect(running(word)).toEqual([]);
    expect([await other.ended, other.wrote[1]]).toEqual([{ code: 0, signal: null }, "other\n"]);
    loud.end();
  });

  test("lets a line that was begun end before the other output comes", async () => {
    const order: string[] = [];
    const keepAll = (_fd: number) => (chunk: Buffer) => void order.push(chunk.toString());
    const line = { runner: runner!, file: "/usr/bin/perl", cwd: here, env: {}, feeds: [] };
    // The launcher is stopped while both outputs are written, as on a busy machine.
    const script = `syswrite STDERR, "begun "; select undef, undef, undef, 0.5; kill STOP => $ARGV[0]; syswrite STDOUT, "out\\n"; syswrite STDERR, "and ended\\n"; kill CONT => $ARGV[0]`;
    const args = ["-e", script, String(launchers()[0])];
    await startServed({ ...line, args }, new Map([1, 2].map((fd) => [fd, keepAll(fd)]))).ended;
    expect(order.join("")).toBe("begun and ended\nout\n");
  });

  test("ends a command also when it was stopped itself, and a new one starts the next", async () => {
    const [pid] = launchers();
    onTestFinished(() => void (launchers().includes(pid!) && killNow(pid!)));
    const one = start(`kill -STOP ${pid}; sleep 60`);
    await vi.waitFor(() => expect(launchers().map((pid) => stateOf(pid))).toEqual(["T"]), 25_000);
    one.end();
    expect((await one.ended).signal).toBe("SIGKILL");
    expect((await run("echo again")).wrote[1]).toBe("again\n");
  });

  test("tells by which signal a command ended", async () => {
    expect(await run("kill -TERM $$")).toMatchObject({ code: null, signal: "SIGTERM" });
  });

  test("gives a command its own descriptors alone, no blocked signal and no foreign variable", async () => {
    const beside = start("sleep 1");
    const { wrote } = await run("ls -l /proc/self/fd | sed 's/.* \\([0-9]* ->\\)/\\1/'; echo variables; env", {
      env: { PATH: "/usr/bin:/bin", ODD: "a\nb=ü" },
    });
    const open = wrote[1]!.match(/^\d+ -> .*$/gm)!.filter((line) => !line.includes("/proc/"));
    expect(open.map((line) => line.replace(/\[\d+\]/, ""))).toEqual(["0 -> /dev/null", "1 -> pipe:", "2 -> pipe:", `${SIDE} -> pipe:`]);
    expect(wrote[1]!.slice(wrote[1]!.indexOf("variables")).split("\n").slice(1, -1).sort()).toEqual(
      ["ODD=a", "PATH=/usr/bin:/bin", `PWD=${here}`, "SHLVL=0", "_=/usr/bin/env", "b=ü"].sort(),
    );
    const signals = await run("", { file: "/usr/bin/grep", args: ["-E", "^Sig(Blk|Ign)", "/proc/self/status"] });
    expect(signals.wrote[1]).toMatch(/^SigBlk:\s0+\nSigIgn:\s0+\n$/);
    beside.end();
    await beside.ended;
  });

  test("hands over what a command is fed", async () => {
    const long = "x".repeat(300_000);
    const feeds = [[3, Buffer.from("three")] as const, [4, Buffer.from(long)] as const];
    expect((await run("cat <&3; wc -c <&4", { feeds })).wrote[1]).toBe("three300000\n");
  });

  test("says why a command could not be started, and starts the next", async () => {
    expect((await run("echo", { cwd: join(here, "missing") })).error?.message).toBe("No such file or directory");
    expect(await run("", { file: join(here, "nothing"), args: [] })).toMatchObject({
      code: 127,
      wrote: { 2: `${here}/nothing: No such file or directory\n` },
    });
    expect((await run("pwd")).wrote[1]).toBe(`${here}\n`);
  });

  test.runIf(isRoot)("starts a command as another user, who has no group of root's", async () => {
    const before = process.getgroups!();
    onTestFinished(() => process.setgroups!(before));
    process.setgroups!([0, 4]);
    // One that has the groups of now.
    for (const pid of launchers()) process.kill(pid, "SIGKILL");
    await vi.waitFor(async () => expect((await run("echo up")).wrote[1]).toBe("up\n"), 25_000);
    const { wrote } = await run("id -u; id -g; id -G", { user: { uid: 61_234, gid: 61_235 }, cwd: "/" });
    expect(wrote[1]).toBe("61234\n61235\n61235\n");
  });

  test("takes its commands along when it dies, and a new one starts the next", async () => {
    const word = `zeph-launcher-dies-${process.pid}`;
    const one = start(`exec -a ${word} sleep 60`);
    await vi.waitFor(() => expect(running(word)).toHaveLength(1), 25_000);
    const [pid] = launchers();
    process.kill(pid!, "SIGKILL");
    expect(await one.ended).toEqual({ code: null, signal: "SIGKILL" });
    await vi.waitFor(() => expect(running(word)).toEqual([]), 25_000);
    expect((await run("echo again")).wrote[1]).toBe("again\n");
    expect(launchers()).toHaveLength(1);
    expect(launchers()).not.toContain(pid);
  });

  test("waits for nobody who kept a descriptor and got away", async () => {
    const word = `zeph-launcher-kept-${process.pid}`;
    const one = start(`echo gone; exec -a ${word} sleep 1`);
    await vi.waitFor(() => expect(running(word)).toHaveLength(1), 25_000);
    const kept = openSync(`/proc/${running(word)[0]}/fd/1`, "w");
    onTestFinished(() => closeSync(kept));
    expect([await one.ended, one.wrote[1]]).toEqual([{ code: 0, signal: null }, "gone\n"]);
  });
});

describe.runIf(hasLauncher)("a command without walls", () => {
  test("that kills its watchdog leaves nothing behind", async () => {
    const word = `zeph-launcher-orphan-${process.pid}`;
    const deep = `setsid bash -c "(setsid bash -c 'exec -a ${word} sleep 600' &); exec -a ${word} sleep 600" &`;
    onTestFinished(() => endAll(word));
    const beside = start("sleep 0.5; echo beside");
    const one = start(`${deep} until [ "$(grep -lz ${word} /proc/[0-9]*/cmdline | wc -l)" -ge 2 ]; do :; done; kill -9 $PPID; sleep 60`);
    expect((await one.ended).signal).toBe("SIGKILL");
    await vi.waitFor(() => expect(running(word)).toEqual([]), 60_000);
    expect([await beside.ended, beside.wrote[1]]).toEqual([{ code: 0, signal: null }, "beside\n"]);
  });

  test("has ended also when somebody who got away is loud", async () => {
    const word = `zeph-launcher-loud-${process.pid}`;
    const line = {
      runner: runner!,
      file: "/bin/bash",
      args: ["-c", `exec -a ${word} sleep 1`],
      cwd: here,
      env: { PATH: "/usr/bin:/bin" },
      feeds: [],
    };
    // More than a text can hold may come before it has ended.
    const one = startServed(line, new Map([[1, () => {}]]));
    await vi.waitFor(() => expect(running(word)).toHaveLength(1), 60_000);
    const kept = openSync(`/proc/${running(word)[0]}/fd/1`, "w");
    const loud = spawn("yes", [], { stdio: ["ignore", kept, "ignore"] });
    onTestFinished(() => {
      loud.kill("SIGKILL");
      closeSync(kept);
    });
    expect(await one.ended).toEqual({ code: 0, signal: null });
  });

  test("that finds no free descriptor is refused, and the others go on", async () => {
    const beside = start("sleep 1; echo beside");
    await run("true");
    const [pid] = launchers();
    execFileSync("prlimit", ["--pid", String(pid), "--nofile=34:34"]);
    const many = Array.from({ length: 12 }, () => start("sleep 0.2; echo some"));
    const ends = await Promise.all(many.map(({ ended }) => ended));
    expect(ends.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
    const refused = ends.filter(({ error }) => error !== undefined);
    expect(refused.length).toBeGreaterThan(0);
    for (const { error } of refused) expect(error?.message).toMatch(/open files|descriptors/);
    expect([await beside.ended, beside.wrote[1]]).toEqual([{ code: 0, signal: null }, "beside\n"]);
    expect(launchers()).toEqual([pid]);
    expect((await run("echo again")).wrote[1]).toBe("again\n");
    killNow(pid!);
  });
});

describe("what the launcher says", () => {
  const frame = (id: number, what: number, bytes: Buffer) => {
    const head = Buffer.alloc(12);
    for (const [n, value] of [id, what, bytes.length].entries()) head.writeUInt32LE(value, 4 * n);
    return Buffer.concat([head, bytes]);
  };
  const said = fc.array(
    fc.tuple(fc.nat(3), fc.constantFrom(1, 2, 5, FRAME.started, FRAME.ended, FRAME.failed), fc.uint8Array({ maxLength: 40 })),
    { maxLength: 12 },
  );

  test("is understood wherever it is cut", () => {
    fc.assert(
      fc.property(said, fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 40 }), (frames, cuts) => {
        const told: string[] = [];
        const outputs: Record<string, string> = {};
        const take = createFrameReader({
          onOutput: (id, fd, chunk) => keep(outputs, `${id} ${fd}`, chunk.toString("hex")),
          onTold: (id, what, bytes) => void told.push(`${id} ${what} ${bytes.toString("hex")}`),
        });
        let bytes = Buffer.concat(frames.map(([id, what, content]) => frame(id, what, Buffer.from(content))));
        for (const cut of cuts) {
          take(bytes.subarray(0, cut));
          bytes = bytes.subarray(cut);
        }
        take(bytes);
        const hex = (content: Uint8Array) => Buffer.from(content).toString("hex");
        const expected: Record<string, string> = {};
        for (const [id, what, content] of frames)
          if (what < FRAME.started && content.length > 0) keep(expected, `${id} ${what}`, hex(content));
        expect(outputs).toEqual(expected);
        expect(told).toEqual(
          frames.filter(([, what]) => what >= FRAME.started).map(([id, what, content]) => `${id} ${what} ${hex(content)}`),
        );
      }),
    );
  });
});
