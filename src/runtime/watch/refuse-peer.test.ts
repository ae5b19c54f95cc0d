import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
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
