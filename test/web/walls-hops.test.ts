import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { browser, failureOf, permitFor } from "./walls-browse.ts";
import { httpsSite, ownAuthority, type Site } from "./walls-server.ts";

type Handler = Parameters<typeof httpsSite>[1];
const PUBLIC = "93.184.215.14";
const authority = ownAuthority();
let handle: Handler = (_req, res) => res.end();
let site: Site;
beforeAll(async () => {
  site = await httpsSite(authority, (req, res) => handle(req, res));
});
afterAll(() => site.close());
afterEach(() => site.dialled.splice(0));

const open = (options: Omit<Parameters<typeof browser>[0], "wires"> & { lookup?: (name: string) => Promise<string[]> } = {}) => {
  const { lookup = async () => [PUBLIC], ...rest } = options;
  const looked: string[] = [];
  const by = browser({
    ...rest,
    wires: {
      dial: site.dial,
      lookup: (name) => {
        looked.push(name);
        return lookup(name);
      },
    },
  });
  return { ...by, looked };
};

describe("one page", () => {
  it("comes over TLS with the right name, and says where it was", async () => {
    handle = (req, res) => {
      res.setHeader("content-type", "Text/HTML; charset=UTF-8");
      res.end(`${req.method} ${req.url} ${req.headers.host}`);
    };
    const by = open();
    expect(await by.page("https://Shop.TEST./a?b=c#d")).toEqual({
      url: "https://shop.test/a?b=c",
      status: 200,
      type: "text/html",
      truncated: false,
      cached: false,
      title: null,
      text: "GET /a?b=c shop.test",
    });
    expect(site.dialled).toEqual([{ address: PUBLIC, port: 443, servername: "shop.test" }]);
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
    handle = (req, res) => {
      seen.push(req.headers);
      if (req.url === "/") res.writeHead(302, { location: "/two", "set-cookie": "id=1" });
      res.end("x");
    };
    await open().page("https://a.test/");
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
    handle = (req, res) => void res.end(req.headers.host);
    const raw = await import("./walls-server.ts");
    const plain = await raw.rawSite((socket) => socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")));
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

describe("redirects", () => {
  const chain = (...to: string[]): Handler => {
    let n = 0;
    return (_req, res) => {
      const location = to[n++];
      if (location !== undefined) res.writeHead(302, { location });
      res.end("end");
    };
  };
  it("are followed three times, each with a lookup and a socket of its own", async () => {
    handle = chain("https://b.test/", "//c.test/x", "y?z=1");
    const by = open();
    expect(await by.page("https://a.test/")).toMatchObject({ url: "https://c.test/y?z=1", text: "end" });
    expect(by.looked).toEqual(["a.test", "b.test", "c.test", "c.test"]);
    expect(by.egress.map(({ hop, status, host }) => [hop, status, host])).toEqual([
      [0, 302, "a.test"],
      [1, 302, "b.test"],
      [2, 302, "c.test"],
      [3, 200, "c.test"],
    ]);
  });
  it("a fourth is the end, and nobody looks where it leads", async () => {
    handle = chain("https://b.test/", "https://c.test/", "https://d.test/", "https://e.test/");
    const by = open();
    expect(await by.failure("https://a.test/")).toMatchObject({
      category: "permanent_failure",
      message: expect.stringContaining("more than 3 times"),
    });
    expect(by.looked).not.toContain("e.test");
  });
  it("to itself ends too", async () => {
    handle = (_req, res) => void res.writeHead(301, { location: "/" }).end();
    expect(await open().failure("https://a.test/")).toMatchObject({ category: "permanent_failure" });
    expect(site.dialled).toHaveLength(4);
  });
  it.each([[""], [undefined]])("with location %j is no page", async (location) => {
    handle = (_req, res) => void res.writeHead(302, location === undefined ? {} : { location }).end();
    expect(await open().failure("https://a.test/")).toMatchObject({
      category: "permanent_failure",
      message: expect.stringContaining("without saying where"),
    });
  });
  it.each([
    ["http://b.test/", "scheme"],
    ["file:///etc/passwd", "scheme"],
    ["https://user:pw@b.test/", "userinfo"],
    ["https://b.test:8443/", "port"],
    ["https://localhost/", "private_name"],
    ["https://0x7f.1/", "private_address"],
    ["https://[::ffff:8.8.8.8]/", "private_address"],
    ["https://%5B::1]/", "url"],
    ["https://evil.test/", "denied_domains"],
  ])("to %s are refused, and the log says why", async (location, rule) => {
    handle = chain(location);
    const by = open({ config: { denied_domains: ["evil.test"] } });
    expect(await by.failure("https://a.test/")).toMatchObject({
      category: "policy_blocked",
      message: expect.stringMatching(/^The page redirects/),
    });
    expect(by.looked).toEqual(["a.test"]);
    expect(site.dialled).toHaveLength(1);
    expect(by.egress).toHaveLength(2);
    expect(by.egress[1]).toMatchObject({ hop: 1, blocked: expect.stringMatching(new RegExp(`^${rule}: `)) });
    expect(by.egress[1]).not.toHaveProperty("address");
    expect(JSON.stringify(by.egress)).not.toContain("pw");
  });
  it("are not read from other answers", async () => {
    handle = (_req, res) => void res.writeHead(200, { location: "https://127.0.0.1/", refresh: "0;url=https://127.0.0.1/" }).end("ok");
    expect(await open().page("https://a.test/")).toMatchObject({ text: "ok", status: 200 });
  });
});

describe("names", () => {
  it("one private answer among public ones refuses the hop, and the asker does not learn it", async () => {
    const by = open({ lookup: async () => [PUBLIC, "1.1.1.1", "10.1.2.3"] });
    const { category, message } = await by.failure("https://a.test/");
    expect(category).toBe("policy_blocked");
    expect(message).toBe("a.test stands for a private address. Only public addresses are asked.");
    expect(by.egress).toMatchObject([{ blocked: expect.stringContaining("10.1.2.3") }]);
    expect(site.dialled).toEqual([]);
  });
  it("are looked up once a hop: an answer that changes afterwards changes nothing", async () => {
    handle = (_req, res) => void res.end("ok");
    const answers = [[PUBLIC], ["127.0.0.1"]];
    const by = open({ lookup: async () => answers.shift() ?? ["127.0.0.1"] });
    expect((await by.page("https://a.test/")).text).toBe("ok");
    expect(by.looked).toHaveLength(1);
    expect(site.dialled.map(({ address }) => address)).toEqual([PUBLIC]);
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "policy_blocked" });
    expect(site.dialled).toHaveLength(1);
  });
  it("with several addresses are tried in turn", async () => {
    handle = (_req, res) => void res.end("ok");
    const tried: string[] = [];
    const by = browser({
      wires: {
        lookup: async () => ["1.1.1.1", "8.8.8.8"],
        dial: (to) => {
          tried.push(to.address);
          return to.address === "1.1.1.1" ? Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" })) : site.dial(to);
        },
      },
    });
    expect((await by.page("https://a.test/")).text).toBe("ok");
    expect(tried).toEqual(["1.1.1.1", "8.8.8.8"]);
    expect(by.egress).toMatchObject([{ address: "8.8.8.8" }]);
  });
  it.each<[string, () => Promise<any>]>([
    ["no answer", async () => []],
    ["no list", async () => "1.1.1.1"],
    ["a failure", () => Promise.reject(Object.assign(new Error("x"), { code: "ENOTFOUND" }))],
    [
      "a throw",
      () => {
        throw new Error("x");
      },
    ],
  ])("%s is a failure of the network", async (_name, lookup) => {
    const by = open({ lookup });
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "network_error", message: expect.stringContaining("a.test") });
    expect(by.egress).toMatchObject([{ hop: 0 }]);
    expect(by.egress[0]).not.toHaveProperty("blocked");
    expect(site.dialled).toEqual([]);
  });
  it.each<[string, unknown]>([
    ["garbage", "93.184.215"],
    ["a zone", "2606:4700::1%eth0"],
    ["an octal", "093.184.215.14"],
    ["a number", 134744072],
    ["nothing", null],
  ])("%s as an answer is refused", async (_name, answer) => {
    const by = open({ lookup: async () => [answer as string] });
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "policy_blocked" });
    expect(site.dialled).toEqual([]);
  });
  it("a dialler that fails, or gives no socket, is a failure of the network", async () => {
    for (const dial of [() => Promise.reject(new Error("x")), async () => undefined, async () => ({ on: 1 })]) {
      const by = browser({ wires: { lookup: async () => [PUBLIC], dial } });
      expect(await by.failure("https://a.test/")).toMatchObject({ category: "network_error" });
    }
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
    handle = (_req, res) => void res.writeHead(status, { "content-type": "text/html" }).end();
    const by = open();
    const failure = await by.failure("https://a.test/x?token=abc");
    expect(failure.category).toBe(category);
    expect(failure.message).toContain(`https://a.test/x?token=*** answered ${status}. `);
    expect(by.egress).toMatchObject([{ status }]);
  });
  it("a server that says when to come back is listened to", async () => {
    handle = (_req, res) => void res.writeHead(429, { "retry-after": "7" }).end();
    expect(await open().failure("https://a.test/")).toMatchObject({ retryAfterMs: 7000 });
    handle = (_req, res) => void res.writeHead(503, { "retry-after": new Date(Date.now() + 60_000).toUTCString() }).end();
    expect((await open().failure("https://a.test/")).retryAfterMs).toBeGreaterThan(50_000);
    handle = (_req, res) => void res.writeHead(503, { "retry-after": "soon" }).end();
    expect((await open().failure("https://a.test/")).retryAfterMs).toBeUndefined();
  });
  it("no content is an empty page", async () => {
    handle = (_req, res) => void res.writeHead(204).end();
    expect(await open().page("https://a.test/")).toMatchObject({ status: 204, text: "", type: "" });
  });
});

describe("the log", () => {
  it("never holds what a URL carries to be let in", async () => {
    handle = (_req, res) => void res.end("ok");
    const by = open();
    await by.page("https://a.test/?q=cats&api_key=k1&%74oken=k2&X-Amz-Signature=k3&next=https%3A%2F%2Fb%2F%3Fcode%3Dk4;sessionid=k5");
    await by.failure("https://me:k6@a.test/");
    expect(by.egress[0]!.url).toBe("https://a.test/?q=cats&api_key=***&%74oken=***&X-Amz-Signature=***&next=***;sessionid=***");
    expect(by.egress[1]!.url).toBe("https://a.test/");
    expect(JSON.stringify(by.egress)).not.toMatch(/k\d/);
  });
  it("what cannot be logged has not happened", async () => {
    handle = (_req, res) => void res.end("ok");
    const by = open({ onEgress: () => Promise.reject(new Error("The disk is full.")) });
    await expect(by.page("https://a.test/")).rejects.toThrow("The disk is full.");
  });
  it("a call cannot ask for another page than it was judged with", async () => {
    const { web, turn } = open();
    const signal = new AbortController().signal;
    const asked = web.page(await permitFor("https://a.test/"), "https://b.test/", "text", { signal, turn });
    expect(await failureOf(asked)).toMatchObject({ category: "policy_blocked" });
    expect(site.dialled).toEqual([]);
  });
});
