import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { killNow } from "../../files/process.ts";
import { startProgram } from "../../files/programs.ts";
import { attempt } from "../../text/attempt.ts";
import { createTemporary } from "../temporary.ts";
import type { OtherUser } from "./user.ts";

/** Things on the machine that a command must not reach. Open to everyone by file mode, so that only walls can stop it. */
export interface Fixture {
  readonly folder: string;
  readonly key: string;
  readonly home: string;
  readonly port: number;
  /** A process of ours, with `word` in its name and its environment. */
  readonly pid: number;
  readonly word: string;
  wasWritten(): boolean;
  isAlive(): boolean;
  /** How many processes of an attempt are still there. They are ended. */
  survivors(): number;
  remove(): Promise<void>;
}

export async function plantFixture({ home, user }: { home: string; user?: OtherUser | undefined }): Promise<Fixture> {
  const planted = createTemporary({ kind: "doctor" });
  const folder = planted.path;
  chmodSync(folder, 0o777);
  const key = join(folder, ".ssh", "id_canary");
  mkdirSync(join(folder, ".ssh"));
  writeFileSync(key, "canary\n");
  const server = createServer((socket) => socket.end());
  const port = await new Promise<number>((resolve, reject) => {
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
  });
  const word = `zeph-canary-${process.pid}-${Date.now().toString(36)}`;
  // It waits for words of ours that never come, and ends when we do, however that happens.
  const target = startProgram("/bin/cat", [], {
    argv0: word,
    env: { ZEPH_CANARY: word },
    stdio: ["pipe", "ignore", "ignore"],
    ...(user && { uid: user.uid, gid: user.gid }),
  });
  target.on("error", () => {});
  return {
    folder,
    key,
    home,
    port,
    pid: target.pid ?? 0,
    word,
    wasWritten: () => existsSync(join(folder, "written")),
    isAlive: () => target.exitCode === null && target.signalCode === null && existsSync(`/proc/${target.pid}/exe`),
    survivors: () => endAll(`${word}-later`),
    remove: async () => {
      target.kill("SIGKILL");
      endAll(`${word}-later`);
      await new Promise((resolve) => server.close(resolve));
      planted.remove();
    },
  };
}

function endAll(name: string): number {
  const found = processes().filter((pid) => commandLine(pid).includes(name));
  for (const pid of found) killNow(pid);
  return found.length;
}

const processes = (): number[] => attempt(() => readdirSync("/proc").map(Number).filter(Number.isInteger), []);

const commandLine = (pid: number): string => attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"), "");
