import { describe, expect, it } from "vitest";
import { browser, failureOf, permitFor } from "./walls-browse.ts";
import { rawSite } from "./walls-server.ts";
import { httpsStand, PUBLIC } from "./walls-stands.ts";

const stand = httpsStand();

describe("one page", () => {
  it("comes over TLS with the right name, and says where it was", async () => {
    stand.handle = (req, res) => {
      res.setHeader("content-type", "Text/HTML; charset=UTF-8");
      res.end(`${req.method} ${req.url} ${req.headers.host}`);
    };
    const by = stand.open();
    expect(await by.page("https://Shop.TEST./a?b=c#d")).toEqual({
      url: "https://shop.test/a?b=c",
      status: 200,
      type: "text/html",
      truncated: false,
      cached: false,
      title: null,
      text: "GET /a?b=c shop.test",
    });
    expect(stand.site.dialled).toEqual([{ address: PUBLIC, port: 443, servername: "shop.test" }]);
    expect(by.looked).toEqual(["shop.test"]);
    expect(by.egress).toEqual([
      {
        url: "https://shop.test./a?b=c",
        host: "shop.test",
        address: PUBLIC,
        hop: 0,
        status: 200,
        bytes: 20,
        durationMs: expect.any(Number),
      },
    ]);
  });
});

describe("what is sent", () => {
  it("says nothing about the person: no cookie, no credential, no referrer, and the connection ends", async () => {
    const seen: unknown[] = [];
    stand.handle = (req, res) => {
      seen.push(req.headers);
      if (req.url === "/") res.writeHead(302, { location: "/two", "set-cookie": "id=1" });
      res.end("x");
    };
    await stand.open().page("https://a.test/");
    const sent = {
      host: "a.test",
      connection: "close",
      "user-agent": "Zeph/0.1",
      accept: expect.any(String),
      "accept-encoding": "gzip, deflate, br",
    };
    expect(seen).toEqual([sent, sent]);
  });
  it("asks for an address without looking it up", async () => {
    stand.handle = (req, res) => void res.end(req.headers.host);
    const plain = await rawSite((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")));
    const by = browser({ wires: { lookup: () => Promise.reject(new Error("asked")), dial: plain.dial } });
    expect((await by.page("https://0x08080808/")).text).toBe("ok");
    expect((await by.page("https://[2606:4700:0:0::1111]/")).text).toBe("ok");
    expect(plain.dialled).toEqual([
      { address: "8.8.8.8", port: 443, servername: "8.8.8.8" },
      { address: "2606:4700::1111", port: 443, servername: "2606:4700::1111" },
    ]);
    await plain.close();
  });
});

describe("statuses", () => {
  it.each([
    [400, "invalid_parameters"],
    [422, "invalid_parameters"],
    [401, "policy_blocked"],
    [403, "policy_blocked"],
    [404, "permanent_failure"],
    [410, "permanent_failure"],
    [418, "permanent_failure"],
    [300, "permanent_failure"],
    [304, "permanent_failure"],
    [429, "rate_limited"],
    [500, "server_error"],
    [503, "server_error"],
    [599, "server_error"],
    [600, "permanent_failure"],
  ])("%i is %s", async (status, category) => {
    stand.handle = (_req, res) => void res.writeHead(status, { "content-type": "text/html" }).end();
    const by = stand.open();
    const failure = await by.failure("https://a.test/x?token=abc");
    expect(failure.category).toBe(category);
    expect(failure.message).toContain(`https://a.test/x?token=*** answered ${status}. `);
    expect(by.egress).toMatchObject([{ status }]);
  });
  it("a server that says when to come back is listened to", async () => {
    stand.handle = (_req, res) => void res.writeHead(429, { "retry-after": "7" }).end();
    expect(await stand.open().failure("https://a.test/")).toMatchObject({ retryAfterMs: 7000 });
    stand.handle = (_req, res) => void res.writeHead(503, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).end();
    expect((await stand.open().failure("https://a.test/")).retryAfterMs).toBeGreaterThan(50_000);
    stand.handle = (_req, res) => void res.writeHead(503, { "retry-after": "soon" }).end();
    expect((await stand.open().failure("https://a.test/")).retryAfterMs).toBeUndefined();
  });
  it("no content is an empty page", async () => {
    stand.handle = (_req, res) => void res.writeHead(204).end();
    expect(await stand.open().page("https://a.test/")).toMatchObject({ status: 204, text: "", type: "" });
  });
});

describe("the log", () => {
  it("never holds what a URL carries to be let in", async () => {
    stand.handle = (_req, res) => void res.end("ok");
    const by = stand.open();
    await by.page("https://a.test/?q=cats&api_key=k1&%74oken=k2&X-Amz-Signature=k3&next=https%3A%2F%2Fb%2F%3Fcode%3Dk4;sessionid=k5");
    await by.failure("https://me:k6@a.test/");
    expect(by.egress[0]!.url).toBe("https://a.test/?q=cats&api_key=***&%74oken=***&X-Amz-Signature=***&next=***;sessionid=***");
    expect(by.egress[1]!.url).toBe("https://a.test/");
    expect(JSON.stringify(by.egress)).not.toMatch(/k\d/);
  });
  it("what cannot be logged has not happened", async () => {
    stand.handle = (_req, res) => void res.end("ok");
    const by = stand.open({ onEgress: () => Promise.reject(new Error("The disk is full.")) });
    await expect(by.page("https://a.test/")).rejects.toThrow("The disk is full.");
  });
  it("a call cannot ask for another page than it was judged with", async () => {
    const { web, turn } = stand.open();
    const signal = new AbortController().signal;
    const asked = web.page(await permitFor("https://a.test/"), "https://b.test/", "text", { signal, turn });
    expect(await failureOf(asked)).toMatchObject({ category: "policy_blocked" });
    expect(stand.site.dialled).toEqual([]);
  });
});
