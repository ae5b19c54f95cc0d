import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Wires } from "../../src/core/ports/web.ts";
import { browser } from "./walls-browse.ts";
import { head, rawStand } from "./walls-stands.ts";

const stand = rawStand();
const to = "https://a.test/";
const refusing = (code: string): Partial<Wires> => ({
  lookup: async () => ["8.8.8.8"],
  dial: async () => Promise.reject(Object.assign(new Error(`connect ${code}`), { code })),
});

/** What was told of the only request. */
async function toldOf(by: ReturnType<typeof browser>, signal?: AbortSignal) {
  await by.failure(to, signal);
  expect(by.egress).toHaveLength(1);
  return by.egress[0]!;
}

describe("a request that failed is never told as one that was sent", () => {
  it.each<readonly [string, Partial<Wires>]>([
    ["the name is not known", { lookup: async () => Promise.reject(new Error("ENOTFOUND")) }],
    ["the name has no address", { lookup: async () => [] }],
    ["nobody listens", refusing("ECONNREFUSED")],
    ["the certificate is wrong", refusing("CERT_HAS_EXPIRED")],
    ["the network is gone", refusing("ENETUNREACH")],
  ])("where %s", async (_, wires) => {
    const told = await toldOf(browser({ wires }));
    expect(told).toMatchObject({ failed: expect.stringContaining("a.test") });
    expect(told).not.toHaveProperty("status");
  });

  it.each<readonly [string, (socket: Socket) => void]>([
    ["closes at once", (socket) => void socket.end()],
    ["resets at once", (socket) => void socket.resetAndDestroy()],
    ["answers with something else", (socket) => void socket.end("SSH-2.0-OpenSSH_9.2\r\n")],
    ["ends in the middle of a page", (socket) => void socket.end(`${head("content-length: 100")}abc`)],
    ["sends a page that cannot be unpacked", (socket) => void socket.end(`${head("content-encoding: gzip", "content-length: 3")}abc`)],
    ["says nothing", () => {}],
    ["stops in the middle of a page", (socket) => void socket.write(`${head("content-length: 100")}abc`)],
  ])("where the server %s", async (_, handle) => {
    stand.handle = handle;
    expect(await toldOf(stand.open({ idleMs: 400 }))).toMatchObject({ failed: expect.any(String) });
  });

  it("where the person stops it, before and in the middle of the answer", async () => {
    expect(await toldOf(stand.open(), AbortSignal.abort(new Error("stopped")))).toMatchObject({ failed: expect.any(String) });
    const stop = new AbortController();
    stand.handle = (socket) => void socket.write(`${head("content-length: 100")}abc`, () => stop.abort(new Error("stopped")));
    expect(await toldOf(stand.open(), stop.signal)).toMatchObject({ failed: expect.any(String) });
  });

  it("where a page leads to an address that is not allowed: the first was sent, the second held back", async () => {
    stand.handle = (socket) => void socket.end("HTTP/1.1 302 Found\r\nlocation: https://10.0.0.1/\r\ncontent-length: 0\r\n\r\n");
    const by = stand.open();
    await by.failure(to);
    expect(by.egress).toMatchObject([
      { hop: 0, status: 302 },
      { hop: 1, blocked: expect.stringContaining("private_address") },
    ]);
    expect(by.egress[0]).not.toHaveProperty("failed");
    expect(by.egress[1]).not.toHaveProperty("status");
  });
});
