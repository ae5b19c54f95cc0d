import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { type CachedPage, createPageCache } from "../../src/host/web/page-cache.ts";
import { browser } from "./walls-browse.ts";

let handle: (req: IncomingMessage, res: ServerResponse) => void;
const asked: [string | undefined, string | undefined, string | undefined, string | undefined][] = [];
const server = createServer((req, res) => {
  asked.push([req.headers.host, req.url, req.headers["if-none-match"], req.headers["if-modified-since"]]);
  handle(req, res);
});
beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
afterEach(() => {
  asked.splice(0);
  vi.useRealTimers();
});

const dial = async () => connect((server.address() as AddressInfo).port, "127.0.0.1");
const open = (ttlSecs: number, { enabled = true, lookup = async (_name: string) => ["8.8.8.8"], config = {} } = {}) =>
  browser({ config, cache: { enabled, ttlSecs }, wires: { lookup, dial } });
const URL1 = "https://a.test/x";
/** Only the date: real sockets need real timers. */
const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

it("a young page is given again without a request, whatever its fragment", async () => {
  handle = (_req, res) => void res.end("one");
  const by = open(60);
  expect(await by.page(URL1)).toMatchObject({ text: "one", cached: false });
  expect(await by.page(`${URL1}#part`)).toMatchObject({ text: "one", cached: true, status: 200 });
  expect(asked).toHaveLength(1);
  expect(by.egress).toHaveLength(1);
});
it("an old one is asked for again with what the server gave to ask with", async () => {
  handle = (req, res) => {
    if (req.headers["if-none-match"] === '"v1"') return void res.writeHead(304).end();
    res.writeHead(200, { etag: '"v1"', "last-modified": "Tue, 01 Sep 2026 00:00:00 GMT", "content-type": "text/plain" }).end("one");
  };
  const by = open(60);
  await by.page(URL1);
  later(61_000);
  expect(await by.page(URL1)).toMatchObject({ text: "one", cached: true, status: 200, type: "text/plain", url: URL1 });
  expect(asked[1]).toEqual(["a.test", "/x", '"v1"', "Tue, 01 Sep 2026 00:00:00 GMT"]);
  // A 304 without validators keeps the old ones, and makes the page young again.
  expect(await by.page(URL1)).toMatchObject({ cached: true });
  expect(asked).toHaveLength(2);
  later(61_000);
  expect(await by.page(URL1)).toMatchObject({ cached: true });
  expect(asked[2]).toEqual(asked[1]);
  expect(by.egress.map(({ status }) => status)).toEqual([200, 304, 304]);
});
it("a page that changed replaces the old one", async () => {
  let version = 1;
  handle = (_req, res) => void res.writeHead(200, { etag: `"v${version}"` }).end(`text ${version}`);
  const by = open(60);
  await by.page(URL1);
  version = 2;
  later(61_000);
  expect(await by.page(URL1)).toMatchObject({ text: "text 2", cached: false });
  expect(await by.page(URL1)).toMatchObject({ text: "text 2", cached: true });
});
it("zero seconds means for ever", async () => {
  handle = (_req, res) => void res.end("one");
  const by = open(0);
  await by.page(URL1);
  later(1e10);
  expect(await by.page(URL1)).toMatchObject({ cached: true });
});
it.each([
  ["switched off", { enabled: false }, {}],
  ["a page that may not be kept", {}, { "cache-control": "private, no-store" }],
  ["a page that wants to be asked for", {}, { "cache-control": "no-cache" }],
  ["a page that is old at once", {}, { "cache-control": "public,max-age=0" }],
  ["a page that is old at once, in quotes", {}, { "cache-control": 'Max-Age="00"' }],
  ["a page that must be checked", {}, { "cache-control": "max-age=600, must-revalidate" }],
  ["a page that varies with everything", {}, { vary: "accept, *" }],
])("%s is asked for every time", async (_name, options, headers) => {
  handle = (_req, res) => void res.writeHead(200, headers).end("one");
  const by = open(60, options);
  await by.page(URL1);
  expect(await by.page(URL1)).toMatchObject({ cached: false });
  expect(asked).toHaveLength(2);
});
it("a page with an age or a few variants is kept", async () => {
  handle = (_req, res) => void res.writeHead(200, { "cache-control": "max-age=01, x-max-age=0", vary: "accept-encoding" }).end("one");
  const by = open(60);
  await by.page(URL1);
  expect(await by.page(URL1)).toMatchObject({ cached: true });
  expect(asked).toHaveLength(1);
});
it("a page that wants to be asked for still does when it did not change", async () => {
  handle = (req, res) => {
    if (req.headers["if-none-match"] !== undefined) return void res.writeHead(304).end();
    res.writeHead(200, { etag: '"v1"', "cache-control": "no-cache" }).end("one");
  };
  const by = open(60);
  for (let i = 0; i < 3; i++) expect((await by.page(URL1)).text).toBe("one");
  expect(asked).toHaveLength(3);
});
it("a page found behind a redirect is not given again once the redirect may not be followed", async () => {
  handle = (req, res) => void (req.url === "/x" ? res.writeHead(302, { location: "https://b.test/y" }).end() : res.end("one"));
  let refusal: { rule: string; why: string } | null = null;
  const by = browser({
    cache: { enabled: true, ttlSecs: 60 },
    wires: { lookup: async () => ["8.8.8.8"], dial },
    mayFollow: async () => refusal,
  });
  await by.page(URL1);
  expect(await by.page(URL1)).toMatchObject({ cached: true });
  refusal = { rule: "deny b.test", why: "You said so." };
  expect(await by.failure(URL1)).toMatchObject({ category: "policy_blocked" });
  expect(asked.filter(([host]) => host === "b.test")).toHaveLength(1);
});
it("asking again goes through every wall", async () => {
  handle = (_req, res) => void res.writeHead(200, { etag: '"v1"' }).end("one");
  let address = "8.8.8.8";
  const by = open(60, { lookup: async () => [address] });
  await by.page(URL1);
  later(61_000);
  address = "10.0.0.1";
  expect(await by.failure(URL1)).toMatchObject({ category: "policy_blocked" });
  expect(asked).toHaveLength(1);
});
it("what one server gave to ask with is told to no other", async () => {
  let home = "https://b.test/x";
  handle = (req, res) => {
    if (req.headers.host === "a.test") return void res.writeHead(302, { location: home }).end();
    res.writeHead(200, { etag: '"b"' }).end(String(req.headers.host));
  };
  const by = open(60);
  expect(await by.page(URL1)).toMatchObject({ url: "https://b.test/x" });
  later(61_000);
  home = "https://c.test/x";
  expect(await by.page(URL1)).toMatchObject({ url: "https://c.test/x", text: "c.test", cached: false });
  later(122_000);
  await by.page(URL1);
  expect(asked.map(([host, , etag]) => [host, etag])).toEqual([
    ["a.test", undefined],
    ["b.test", undefined],
    ["a.test", undefined],
    ["c.test", undefined],
    ["a.test", undefined],
    ["c.test", '"b"'],
  ]);
});
it("a failure is never kept", async () => {
  handle = (_req, res) => void res.writeHead(500).end();
  const by = open(60);
  await by.failure(URL1);
  await by.failure(URL1);
  expect(asked).toHaveLength(2);
});
it("memory has an end: what was used longest ago goes first", () => {
  const page = (size: number): CachedPage => ({
    url: URL1,
    status: 200,
    type: "",
    charset: null,
    truncated: false,
    bytes: new Uint8Array(size),
    conditions: {},
    mustAsk: false,
  });
  const cache = createPageCache({ enabled: true, ttlSecs: 0 }, Date.now, { bytes: 100, pages: 5 });
  for (const name of ["a", "b", "c", "d"]) cache.put(name, page(25));
  cache.get("a");
  cache.put("e", page(20));
  expect(["a", "b", "c", "d", "e"].filter((name) => cache.get(name))).toEqual(["a", "c", "d", "e"]);
  cache.put("big", page(26));
  expect(cache.get("big")).toBeNull();
  for (const name of ["1", "2", "3", "4", "5", "6"]) cache.put(name, page(1));
  expect(["1", "2", "3", "4", "5", "6"].filter((name) => cache.get(name))).toEqual(["2", "3", "4", "5", "6"]);
  cache.put("2", page(2));
  cache.drop("2");
  cache.drop("2");
  for (const name of ["f", "g", "h", "i"]) cache.put(name, page(25));
  expect(["f", "g", "h", "i"].filter((name) => cache.get(name))).toHaveLength(4);
});
