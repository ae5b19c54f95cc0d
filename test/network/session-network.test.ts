import { execFile, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openSessionNetwork, type SessionNetwork, type SessionNetworkOptions } from "../../src/host/network/session-network.ts";
import { launch } from "../../src/host/sandbox/launch.ts";
import { runLaunch } from "../../src/host/sandbox/run.ts";
import { available, isRoot, policyIn, wallsFor, who } from "../sandbox/support.ts";
import { program } from "../sandbox/weak.ts";
import { carrying, survivors } from "../stress/survivors.ts";

const me = who(isRoot ? "root" : "user");
afterAll(() => me.remove());

function opened(options: SessionNetworkOptions = {}): SessionNetwork {
  const network = openSessionNetwork(options);
  onTestFinished(() => network.close());
  return network;
}

/** One command in that network, as the shell runs it. */
async function inNetwork(network: SessionNetwork, command: string, signal?: AbortSignal) {
  const ran = await inNetworkOr(network, command, signal);
  expect(ran.setupError).toBeUndefined();
  return ran;
}

async function inNetworkOr(network: SessionNetwork, command: string, signal?: AbortSignal) {
  const policy = policyIn(me.workspace(), me);
  const sandbox = await wallsFor(policy, me);
  const place = await network.join(sandbox, policy);
  expect(network.problem()).toBeNull();
  let out = "";
  const line = launch(sandbox, policy, ["/bin/bash", "--noprofile", "--norc", "-c", command], { join: place!.line });
  const ran = await runLaunch(line, { timeoutMs: 30_000, onOutput: (chunk) => (out += chunk), ...(signal && { signal }) });
  place!.leave();
  return { ...ran, out };
}

/** The process that keeps the network a place leads to. */
const holderOf = async (network: SessionNetwork): Promise<number> => {
  const policy = policyIn(me.workspace(), me);
  const place = await network.join(await wallsFor(policy, me), policy);
  place!.leave();
  return Number(place!.line.args[1]);
};

const isRunning = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

/** Node cannot make sockets with abstract names. */
const ABSTRACT_CODE = (name: string) =>
  `use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); bind(S, pack("S a*", AF_UNIX, "\\0${name}")) or die $!; listen(S, 5); $| = 1; print "up\\n"; while (accept(C, S)) { syswrite(C, "spoken\\n"); close C }`;
const ABSTRACT_SERVER = (name: string) => `perl -e '${ABSTRACT_CODE(name)}'`;
const ABSTRACT = (name: string) =>
  `perl -e 'use Socket; socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, pack("S a*", AF_UNIX, "\\0${name}")) and print <S>'`;
const SERVER = (port: number) =>
  `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => ${port}, Listen => 5, ReuseAddr => 1) or die "no: $!"; $| = 1; print "up\n"; while ($c = $s->accept) { print $c "served\n"; close $c }'`;
const ask = (port: number) => `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;

describe.runIf(available)("The network of a session", () => {
  test("lets a command reach what an earlier one serves in the background, and has nothing but lo", async () => {
    const network = opened();
    const stop = new AbortController();
    const served = inNetwork(network, SERVER(8123), stop.signal);
    await expect.poll(async () => (await inNetwork(network, ask(8123))).out).toBe("served\n");
    const { out } = await inNetwork(
      network,
      "cut -d: -f1 /proc/net/dev | tail -n +3; tail -n +2 /proc/net/route; readlink /proc/self/ns/net",
    );
    const [device, space] = out.trim().split("\n");
    expect(device!.trim()).toBe("lo");
    expect(space).not.toBe(readlinkSync("/proc/self/ns/net"));
    stop.abort();
    await served;
  });

  test("is another one than that of a second session, which reaches nothing of it by port or by name", async () => {
    const [first, second] = [opened(), opened()];
    const stop = new AbortController();
    const both = `${SERVER(8124)} & ${ABSTRACT_SERVER("zeph-between")} & wait`;
    const served = inNetwork(first, both, stop.signal);
    await expect.poll(async () => (await inNetwork(first, `${ask(8124)}; ${ABSTRACT("zeph-between")}`)).out).toBe("served\nspoken\n");
    const { out } = await inNetwork(second, `${ask(8124)}; ${ABSTRACT("zeph-between")}; echo end`);
    expect(out).not.toMatch(/served|spoken/);
    expect(out).toMatch(/^end$/m);
    stop.abort();
    await served;
  });

  test("does not lead to the machine: neither its localhost nor its abstract sockets", async () => {
    const server = createServer((socket) => socket.end("served\n"));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as { port: number };
    const child = spawn("/usr/bin/perl", ["-e", ABSTRACT_CODE(`zeph-machine-${process.pid}`)], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await new Promise((done) => child.stdout.once("data", done));
    const tries = `${ask(port)}; ${ABSTRACT(`zeph-machine-${process.pid}`)}; echo end`;
    expect((await promisify(execFile)("/bin/bash", ["-c", tries])).stdout).toBe("served\nspoken\nend\n");
    const { out } = await inNetwork(opened(), tries);
    expect(out).not.toMatch(/served|spoken/);
    expect(out).toMatch(/^end$/m);
  });

  test("gives a command no capability and no way to another namespace", async () => {
    const calls = { setns: process.arch === "arm64" ? 268 : 308, unshare: process.arch === "arm64" ? 97 : 272 };
    const { out } = await inNetwork(
      opened(),
      `grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | cut -f2 | sort -u
      perl -e 'open(my $n, "<", "/proc/1/ns/net"); print syscall(${calls.setns}, fileno($n), 0) == 0 ? "ESCAPED\n" : "no $!\n"; print syscall(${calls.unshare}, 0x10000000) == 0 ? "ESCAPED\n" : "no $!\n"'
      echo 1 > /proc/sys/net/ipv4/ip_forward && echo ESCAPED`,
    );
    expect(out).toMatch(/^0000000000000000\nno Operation not permitted\nno Operation not permitted\n/);
    expect(out).not.toContain("ESCAPED");
  });

  test("is kept by a process that sees its own program, has no rights, and no open folder", async () => {
    const pid = await holderOf(opened());
    expect(readFileSync(`/proc/${pid}/comm`, "utf8")).toBe("zeph-net\n");
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    expect(status.match(/^Cap(?:Inh|Prm|Eff|Bnd|Amb):\t0+$/gm)).toHaveLength(5);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    expect(status).toMatch(/^Seccomp:\t2$/m);
    expect(Number(/^VmRSS:\s+(\d+)/m.exec(status)![1])).toBeLessThan(2048);
    expect(readdirSync(`/proc/${pid}/root`)).toEqual(["zeph-net"]);
    // It says that it is ready, and closes what it said it on.
    await vi.waitFor(() => expect(readdirSync(`/proc/${pid}/fd`)).not.toContain("1"), 25_000);
    for (const fd of readdirSync(`/proc/${pid}/fd`))
      expect(readlinkSync(`/proc/${pid}/fd/${fd}`)).toMatch(/^(?:pipe:|socket:|anon_inode:|\/dev\/null$)/);
  });
});

describe.runIf(available)("When whoever keeps the network dies", () => {
  test("a command that was about to join starts nothing, and the next one gets a new network", async () => {
    const network = opened();
    const cwd = me.workspace();
    const policy = policyIn(cwd, me);
    const sandbox = await wallsFor(policy, me);
    const place = (await network.join(sandbox, policy))!;
    const pid = Number(place.line.args[1]);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isRunning(pid)).toBe(false);
    const late = launch(sandbox, policy, ["/bin/bash", "-c", "touch started"], { join: place.line });
    const ran = await runLaunch(late, { timeoutMs: 30_000, onOutput: () => {} });
    expect(ran).toMatchObject({ ran: false, setupError: expect.stringMatching(/^zeph-net: the session's network is gone/) });
    expect(existsSync(join(cwd, "started"))).toBe(false);
    place.leave();
    await expect.poll(async () => (await inNetworkOr(network, "echo again")).out).toBe("again\n");
    expect(await holderOf(network)).not.toBe(pid);
  });

  test.each(["another process", "the holder of another session", "ourselves"])(
    "its number given to %s is not enough to be joined",
    async (whose) => {
      const network = opened();
      const policy = policyIn(me.workspace(), me);
      const sandbox = await wallsFor(policy, me);
      const place = (await network.join(sandbox, policy))!;
      const other = spawn("/bin/sleep", ["60"], { stdio: "ignore" });
      onTestFinished(() => void other.kill("SIGKILL"));
      const pids = { "another process": other.pid!, "the holder of another session": await holderOf(opened()), ourselves: process.pid };
      const [word, , ...marks] = place.line.args;
      const steered = { ...place.line, args: [word!, String(pids[whose as keyof typeof pids]), ...marks] };
      const ran = await runLaunch(launch(sandbox, policy, ["/bin/true"], { join: steered }), { timeoutMs: 30_000, onOutput: () => {} });
      expect(ran).toMatchObject({ ran: false, setupError: expect.stringMatching(/^zeph-net: .*is another's$/) });
      place.leave();
    },
  );

  test("the machine's own network is not joined, whatever numbers are told", async () => {
    const network = opened();
    const policy = policyIn(me.workspace(), me);
    const sandbox = await wallsFor(policy, me);
    const { line, leave } = (await network.join(sandbox, policy))!;
    const inode = (name: string) => String(statSync(`/proc/self/ns/${name}`).ino);
    for (const args of [
      ["join", String(process.pid), inode("user"), inode("net")],
      ["join", line.args[1]!, line.args[2]!, inode("net")],
      ["join", line.args[1]!, "-1", line.args[3]!],
      ["join", "0", line.args[2]!, line.args[3]!],
    ]) {
      const ran = await runLaunch(launch(sandbox, policy, ["/bin/true"], { join: { ...line, args } }), {
        timeoutMs: 30_000,
        onOutput: () => {},
      });
      expect(ran.ran).toBe(false);
      expect(ran.setupError).toMatch(/^zeph-net: /);
    }
    leave();
  });
});

describe.runIf(available)("A network that nobody needs", () => {
  test("ends when nobody has been in it for a while, not while somebody is, and at the end of the session", async () => {
    const network = opened({ idleMs: 50 });
    const policy = policyIn(me.workspace(), me);
    const place = await network.join(await wallsFor(policy, me), policy);
    const pid = Number(place!.line.args[1]);
    expect((await inNetwork(network, "echo in")).out).toBe("in\n");
    await new Promise((done) => setTimeout(done, 300));
    expect(isRunning(pid)).toBe(true);
    place!.leave();
    await expect.poll(() => isRunning(pid)).toBe(false);
    const next = await holderOf(network);
    expect(next).not.toBe(pid);
    await network.close();
    expect(isRunning(next)).toBe(false);
    expect(await network.join(await wallsFor(policyIn(me.workspace(), me), me), policyIn(me.workspace(), me))).toBeNull();
  });

  test("is not made where commands may use the machine's network, and where its program is not the one that was shipped", async () => {
    const open = policyIn(me.workspace(), me, { config: { allow_network: true } });
    expect(await opened().join(await wallsFor(open, me), open)).toBeNull();
    const policy = policyIn(me.workspace(), me);
    const network = opened({ shipped: () => ({ why: "it is another file" }) });
    expect([await network.join(await wallsFor(policy, me), policy), network.problem()]).toEqual([null, "it is another file"]);
  });

  test("dies with the process that opened it, killed at whatever moment", async () => {
    const place = mkdtempSync(join(tmpdir(), "zeph-network-"));
    onTestFinished(() => rmSync(place, { recursive: true, force: true }));
    // Its place is how it is known among those of others.
    for (const name of ["zeph-net", "zeph-run"])
      copyFileSync(join(import.meta.dirname, `../../vendor/${name}-linux-${process.arch}`), join(place, name));
    // What a killed process leaves is for its next start, and here there is none.
    const TMPDIR = mkdtempSync(join(tmpdir(), "zeph-killed-"));
    onTestFinished(() => rmSync(TMPDIR, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
    const file = await program(`
      const { openSessionNetwork } = await import("../network/session-network.ts");
      const network = openSessionNetwork({ shipped: ({ name }) => ({ path: ${JSON.stringify(place)} + "/" + name }) });
      const place = await network.join(sandbox, policy);
      console.log(place.line.args[1]);
      setInterval(() => {}, 1000);`);
    for (let round = 0; round < 6; round++) {
      const child = spawn(process.execPath, [file, me.workspace()], {
        stdio: ["ignore", "pipe", "inherit"],
        env: { ...process.env, TMPDIR },
      });
      // In later rounds in the middle of its start.
      if (round < 2) await new Promise((done) => child.stdout.once("data", done));
      else await expect.poll(() => carrying(place).length > 0, { interval: round }).toBe(true);
      child.kill("SIGKILL");
      expect(await survivors(place)).toEqual([]);
    }
  });
});
