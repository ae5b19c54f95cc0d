import { createServer, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTlsDial, lookupHost } from "../../src/host/web/wires.ts";
import { browser, failureOf } from "./walls-browse.ts";
import { httpsSite, ownAuthority, type Site } from "./walls-server.ts";

const authority = ownAuthority();
let site: Site;
beforeAll(async () => {
  site = await httpsSite(authority, (req, res) => void res.end(`${(req.socket as TLSSocket).servername}`));
});
afterAll(() => site.close());

const signal = new AbortController().signal;
const to = (servername: string, address = "127.0.0.1") => ({ address, port: site.port, servername });
/** The walls look away, so that there is something to dial on this machine. */
const near = createTlsDial({ ca: authority.ca, whyNot: () => null });

describe("our own dialler", () => {
  it("does TLS with the name that was asked for, and with the address when there is no name", async () => {
    const named = (await near(to("shop.test"), signal)) as TLSSocket;
    expect(named).toMatchObject({ authorized: true, servername: "shop.test", alpnProtocol: "http/1.1", remoteAddress: "127.0.0.1" });
    named.destroy();
    const bare = (await near(to("127.0.0.1"), signal)) as TLSSocket;
    expect(bare).toMatchObject({ authorized: true });
    expect(bare).not.toHaveProperty("servername", "127.0.0.1");
    bare.destroy();
  });
  it("is what a page comes over", async () => {
    const by = browser({ wires: { lookup: async () => ["8.8.8.8"], dial: ({ servername }) => near(to(servername), signal) } });
    expect((await by.page("https://a.test/")).text).toBe("a.test");
  });
  it.each(["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "localhost"])(
    "opens no socket to %s",
    async (address) => {
      const before = site.open();
      const failure = await failureOf(createTlsDial({ ca: authority.ca })(to("shop.test", address), signal));
      expect(failure.category).toBe("policy_blocked");
      expect(site.open()).toBe(before);
    },
  );
  it("hangs up when the far end is another address than the one that was dialled", async () => {
    // 0.0.0.0 is this machine, and the system says so only once it is connected.
    const failure = await failureOf(near(to("shop.test", "0.0.0.0"), signal));
    expect(failure).toMatchObject({ category: "policy_blocked", message: expect.stringContaining("another address") });
  });
  it.each([
    ["an authority nobody trusts", () => createTlsDial({ whyNot: () => null })(to("shop.test"), signal), "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["a certificate for another name", () => near(to("other.test"), signal), "ERR_TLS_CERT_ALTNAME_INVALID"],
  ])("refuses %s, whatever the environment says", async (_name, dial, code) => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    try {
      await expect(dial()).rejects.toMatchObject({ code });
    } finally {
      vi.unstubAllEnvs();
    }
  });
  it("says what is wrong with a certificate", async () => {
    const by = browser({ wires: { lookup: async () => ["8.8.8.8"], dial: ({ servername }) => near(to(servername), signal) } });
    expect(await by.failure("https://x.test/")).toMatchObject({
      category: "network_error",
      message: "x.test could not be reached (its certificate is for another name).",
    });
  });
  it("knows no proxy", async () => {
    for (const name of ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "HTTP_PROXY"]) vi.stubEnv(name, "http://127.0.0.1:9");
    vi.stubEnv("NODE_USE_ENV_PROXY", "1");
    try {
      const by = browser({ wires: { lookup: async () => ["8.8.8.8"], dial: ({ servername }) => near(to(servername), signal) } });
      expect((await by.page("https://b.test/")).text).toBe("b.test");
    } finally {
      vi.unstubAllEnvs();
    }
  });
  it("is stopped at once", async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => void sockets.push(socket.on("error", () => {})));
    await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve));
    const { port } = mute.address() as { port: number };
    const control = new AbortController();
    const dialling = near({ address: "127.0.0.1", port, servername: "shop.test" }, control.signal);
    dialling.catch(() => {});
    while (sockets.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    control.abort(new Error("stopped"));
    await expect(dialling).rejects.toThrow("stopped");
    await new Promise<void>((resolve) => sockets[0]!.once("close", () => resolve()).resume());
    await new Promise((resolve) => mute.close(resolve));
  });
});

it("the system's answers are all there is to check", async () => {
  expect(await lookupHost("localhost", signal)).toContain("127.0.0.1");
  const by = browser({ wires: { dial: () => Promise.reject(new Error("dialled")) } });
  expect(await by.failure("https://localhost.localdomain.example.invalid/")).toMatchObject({
    category: "network_error",
    message: expect.stringMatching(/could not be looked up \((there is no such name|the name server did not answer)/),
  });
});

it("a crowd of names waits its turn, and one that gave up is not looked up", async () => {
  const gone = AbortSignal.abort(new Error("gave up"));
  const all = await Promise.allSettled([
    ...Array.from({ length: 20 }, () => lookupHost("localhost", signal)),
    lookupHost("localhost", gone),
  ]);
  expect(all.map(({ status }) => status)).toEqual([...new Array(20).fill("fulfilled"), "rejected"]);
});

it("a wall that speaks while dialling ends the hop, and the log says so", async () => {
  const tried: string[] = [];
  const by = browser({
    wires: {
      lookup: async () => ["8.8.8.8", "1.1.1.1"],
      dial: ({ address, servername }) => {
        tried.push(address);
        return near(to(servername, "0.0.0.0"), signal);
      },
    },
  });
  expect(await by.failure("https://a.test/")).toMatchObject({ category: "policy_blocked" });
  expect(tried).toEqual(["8.8.8.8"]);
  expect(by.egress).toMatchObject([{ address: "8.8.8.8", blocked: expect.stringContaining("another address") }]);
});
