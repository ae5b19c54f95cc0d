import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { isPeerBelowAgent } from "../../files/agent-process.ts";
import { refusePeer } from "./refuse-peer.ts";

afterEach(() => void vi.unstubAllEnvs());

/** The two ends of a connection within this process. */
async function connected(): Promise<{ readonly here: Socket; readonly there: Socket; close(): void }> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { readonly port: number };
  const there = connect(port, "127.0.0.1");
  const [here] = (await once(server, "connection")) as [Socket];
  return {
    here,
    there,
    close() {
      here.destroy();
      there.destroy();
      server.close();
    },
  };
}

const LOG = join(import.meta.dirname, "no-log", "audit.jsonl");

it("a program of the same user may post, and one that nobody can name may not", async () => {
  const { here, close } = await connected();
  try {
    expect(refusePeer(here, LOG)).toBe(null);
    if (process.platform === "linux")
      expect(refusePeer({ localPort: here.localPort, remotePort: 1, remoteAddress: "127.0.0.1" }, LOG)).toBe(
        "another user of this machine sent it",
      );
  } finally {
    close();
  }
});

it.skipIf(process.platform !== "linux")("a program of another user may not post, unless that user called sudo", async () => {
  const { here, close } = await connected();
  const user = process.getuid!();
  try {
    // To whoever runs as somebody else, this process is another user's.
    vi.spyOn(process, "getuid").mockReturnValue(user + 1);
    expect(refusePeer(here, LOG)).toBe("another user of this machine sent it");
    vi.stubEnv("SUDO_UID", String(user));
    expect(refusePeer(here, LOG)).toBe("another user of this machine sent it");
    vi.spyOn(process, "getuid").mockReturnValue(0);
    expect(refusePeer(here, LOG)).toBe(null);
  } finally {
    vi.restoreAllMocks();
    close();
  }
});

const isRoot = process.getuid?.() === 0;
const CALLER = 'require("node:net").connect(Number(process.argv[1]), "127.0.0.1").on("close", () => process.exit())';

/** A connection that a process holds which this one started, as a browser is started. */
async function connectedChild(): Promise<Socket> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as { readonly port: number };
  const child = spawn(process.execPath, ["-e", CALLER, String(port)], { stdio: "ignore" });
  const [here] = (await once(server, "connection")) as [Socket];
  onTestFinished(async () => {
    const end = once(child, "exit");
    here.destroy();
    server.close();
    await end;
  });
  return here;
}

/** An audit log that this process has open, as an agent has, and a reader. */
function openLog(): string {
  const folder = mkdtempSync(join(tmpdir(), "zeph-peer-"));
  const log = join(folder, "audit.jsonl");
  const fd = openSync(log, "w");
  onTestFinished(() => {
    closeSync(fd);
    rmSync(folder, { recursive: true, force: true });
  });
  return log;
}

/** As a user without rights, who cannot see what other processes have open. */
function withoutRights<T>(look: () => T): T {
  const { seteuid } = process;
  seteuid!(65_534);
  try {
    return look();
  } finally {
    seteuid!(0);
  }
}

describe.skipIf(process.platform !== "linux")("a program that this process started", () => {
  it("may post while this process reads the log: it is the browser of who watches", async () => {
    const here = await connectedChild();
    const log = openLog();
    expect(refusePeer(here, log)).toBe(null);
    expect(isPeerBelowAgent(here, log)).toBe(true);
  });

  it.runIf(isRoot)("may not post where nobody can see that it sent it", async () => {
    const here = await connectedChild();
    expect(withoutRights(() => refusePeer(here, LOG))).toBe("the program that sent it hides, or has ended");
  });

  it.runIf(isRoot)("is known to be an agent's, also where it hides what it has open", async () => {
    const here = await connectedChild();
    const log = openLog();
    expect(withoutRights(() => isPeerBelowAgent(here, log))).toBe(true);
  });
});
