import { type ChildProcess, spawn } from "node:child_process";
import { createSocket } from "node:dgram";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { attempt } from "../../src/text/attempt.ts";
import type { Targets } from "./escapes.ts";
import { PYTHON, type Who } from "./support.ts";

/** Services, a process and files of the machine, for commands to aim at. Only loopback. */
export interface Planted extends Targets {
  /** What is wrong on the machine now; empty when every target is as it was. */
  damage(): string[];
  remove(): Promise<void>;
}

export const SMALL = 64 * 2 ** 20;

export async function plantTargets(owner: Who): Promise<Planted> {
  const tag = `${owner.name}-${process.pid}`;
  const abstract = `zeph-abs-${tag}`;
  const sock = join(owner.outside, "svc.sock");
  const servers = [tell("CANARY-TCP4\n"), tell("CANARY-TCP6\n"), tell("CANARY-UDS\n")];
  const [four, six, local] = servers as [Server, Server, Server];
  await listening(four, { port: 0, host: "127.0.0.1" });
  await listening(six, { port: 0, host: "::1" });
  await listening(local, { path: sock });
  chmodSync(sock, 0o777);
  const udp = createSocket("udp4");
  let datagrams = 0;
  udp.on("message", () => datagrams++);
  await new Promise<void>((done) => udp.bind(0, "127.0.0.1", done));
  const ids = owner.user ? { uid: owner.user.uid, gid: owner.user.gid } : {};
  const victim = spawn("/bin/sleep", ["3600"], { stdio: "ignore", env: { SECRET: "CANARY-ENV" }, ...ids });
  const listener = await abstractListener(abstract);
  return {
    home: owner.home,
    outside: owner.outside,
    pid: victim.pid!,
    port4: (four.address() as { port: number }).port,
    port6: (six.address() as { port: number }).port,
    portUdp: udp.address().port,
    abstract,
    tag,
    small: SMALL,
    damage: () => [
      ...(victim.exitCode === null && victim.signalCode === null ? [] : ["a process of the machine was killed"]),
      ...(existsSync(`/tmp/zeph-esc-${tag}`) ? ["a file in /tmp of the machine"] : []),
      ...(readdirSync(owner.outside).join() === "secret,svc.sock,tree" ? [] : [`files outside: ${readdirSync(owner.outside)}`]),
      ...(existsSync(join(owner.outside, "tree", "file")) ? [] : ["a tree outside was removed"]),
      ...(datagrams === 0 ? [] : ["a datagram arrived"]),
      ...(running(`zeph-later-${tag}`).length === 0 ? [] : ["a process lives on"]),
    ],
    remove: async () => {
      victim.kill("SIGKILL");
      listener?.kill("SIGKILL");
      endAll(`zeph-later-${tag}`);
      rmSync(`/tmp/zeph-esc-${tag}`, { force: true });
      udp.close();
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

/** Processes whose command line has this word in it. */
export const running = (word: string): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && commandLine(pid).includes(word));

/** The launchers of a process: their command line says no more than that. */
export const launchersOf = (parent: number): number[] =>
  running("\0serve\0").filter((pid) => new RegExp(`\\) \\S ${parent} `).test(statText(pid)));

const statText = (pid: number) => attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1"), "");

/** One of them may take the others along. */
export function endAll(word: string): void {
  for (const pid of running(word)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // Gone already.
    }
  }
}

const commandLine = (pid: number): string => attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "");

const tell = (words: string) => createServer((socket) => socket.on("error", () => {}).end(words));
const listening = (server: Server, where: object) => new Promise<void>((done) => server.listen(where, done));

/** Node cannot make one. */
async function abstractListener(name: string): Promise<ChildProcess | null> {
  if (!existsSync(PYTHON)) return null;
  const code = `import socket\ns=socket.socket(socket.AF_UNIX);s.bind("\\0${name}");s.listen(5);print("up",flush=True)\nwhile 1:\n c,_=s.accept()\n try: c.send(b"CANARY-ABS")\n except OSError: pass\n c.close()`;
  const child = spawn(PYTHON, ["-c", code], { stdio: ["ignore", "pipe", "ignore"] });
  await new Promise((done) => child.stdout.once("data", done));
  return child;
}
