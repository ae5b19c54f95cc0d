import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { browser } from "./walls-browse.ts";
import { rawSite, type Site } from "./walls-server.ts";

let handle: (socket: Socket) => void;
let site: Site;
beforeAll(async () => {
  site = await rawSite((socket) => socket.once("data", () => handle(socket)));
});
afterAll(() => site.close());

const CAP = 64 * 1024;
const open = (options: { config?: object; idleMs?: number } = {}) =>
  browser({
    ...options,
    config: { max_body_bytes: CAP, ...options.config },
    wires: { lookup: async () => ["8.8.8.8"], dial: (to) => site.dial(to) },
  });
const head = (...lines: string[]) => ["HTTP/1.1 200 OK", "content-type: text/plain", ...lines, "", ""].join("\r\n");
const sends = (...parts: (string | Uint8Array)[]) => {
  handle = (socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  };
};
const closed = async () => {
  for (let i = 0; i < 100 && site.open() > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  return site.open();
};
/** Writes until the other side has had enough. */
const endless = (socket: Socket, chunk: Uint8Array) => {
  let written = 0;
  const more = () => {
    while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
  };
  socket.on("drain", more);
  more();
  return () => written;
};

describe("a body", () => {
  it("of exactly the cap is whole, of one byte more is cut", async () => {
    sends(head(`content-length: ${CAP}`), "x".repeat(CAP));
    expect(await open().page("https://a.test/")).toMatchObject({ truncated: false, text: "x".repeat(CAP) });
    sends(head(`content-length: ${CAP + 1}`), "x".repeat(CAP + 1));
    expect(await open().page("https://a.test/")).toMatchObject({ truncated: true, text: "x".repeat(CAP) });
    expect(await closed()).toBe(0);
  });
  it.each([
    ["by chunks", "transfer-encoding: chunked", "3\r\nabc\r\n2;note=1\r\nde\r\n0\r\n\r\n"],
    ["by the end of the connection", "connection: close", "abcde"],
    ["by its length", "content-length: 5", "abcde"],
  ])("that ends %s is read", async (_name, line, body) => {
    sends(head(line), body);
    expect(await open().page("https://a.test/")).toMatchObject({ truncated: false, text: "abcde" });
  });
  it("is unpacked", async () => {
    const text = "grüße ".repeat(500);
    const codings = [
      ["gzip", gzipSync(text)],
      ["x-gzip", gzipSync(text)],
      ["GZIP", gzipSync(text)],
      ["deflate", deflateSync(text)],
      ["deflate", deflateRawSync(text)],
      ["br", brotliCompressSync(text)],
      ["identity", Buffer.from(text)],
    ] as const;
    for (const [coding, bytes] of codings) {
      sends(head(`content-length: ${bytes.length}`, `content-encoding: ${coding}`), bytes);
      expect(await open().page("https://a.test/")).toMatchObject({ text, truncated: false });
    }
    sends(head("content-length: 0", "content-encoding: gzip"));
    expect(await open().page("https://a.test/")).toMatchObject({ text: "", truncated: false });
  });
  it.each(["zstd", "gzip, gzip", "constructor", "compress"])("packed with %s is refused", async (coding) => {
    sends(head("content-length: 2", `content-encoding: ${coding}`), "ab");
    expect(await open().failure("https://a.test/")).toMatchObject({
      category: "permanent_failure",
      message: expect.stringContaining("not asked for"),
    });
  });
  it("that is no gzip is damaged", async () => {
    sends(head("content-length: 20", "content-encoding: gzip"), "this is not packed..");
    expect(await open().failure("https://a.test/")).toMatchObject({ category: "network_error", message: "a.test sent a damaged page." });
    sends(head("content-length: 20", "content-encoding: br"), Buffer.alloc(20, 255));
    expect(await open().failure("https://a.test/")).toMatchObject({ category: "network_error" });
  });
  it.each([
    ["gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ["deflate", deflateSync(Buffer.alloc(64 * 1024 * 1024))],
    ["br", brotliCompressSync(Buffer.alloc(64 * 1024 * 1024))],
  ])("that blows up when unpacked (%s) is cut at the cap", async (coding, bomb) => {
    expect(bomb.length).toBeLessThan(80_000);
    sends(head(`content-length: ${bomb.length}`, `content-encoding: ${coding}`), bomb);
    const page = await open().page("https://a.test/");
    expect(page.truncated).toBe(true);
    expect(page.text).toHaveLength(CAP);
  });
  it("that unpacks to nothing for ever is cut on the wire", async () => {
    const nothing = Buffer.concat(Array.from({ length: 3000 }, () => gzipSync("")));
    let written = () => 0;
    handle = (socket) => {
      socket.write(head("connection: close", "content-encoding: gzip"));
      written = endless(socket, nothing);
    };
    expect(await open().page("https://a.test/")).toMatchObject({ truncated: true, text: "" });
    expect(await closed()).toBe(0);
    expect(written()).toBeLessThan(20 * 1024 * 1024);
  });
  it("that never ends is cut, and the connection closed", async () => {
    handle = (socket) => {
      socket.write(head("content-length: 999999999999"));
      endless(socket, Buffer.alloc(64 * 1024, 120));
    };
    const by = open();
    expect(await by.page("https://a.test/")).toMatchObject({ truncated: true, text: "x".repeat(CAP) });
    expect(await closed()).toBe(0);
    expect(by.egress[0]!.bytes).toBeGreaterThanOrEqual(CAP);
    expect(by.egress[0]!.bytes).toBeLessThan(CAP + 256 * 1024);
  });
});

describe("an answer that is not whole", () => {
  it.each<[string, string[], string]>([
    ["shorter than it said", [head("content-length: 100"), "abc"], "network_error"],
    ["a chunk that is cut", [head("transfer-encoding: chunked"), "ff\r\nabc"], "network_error"],
    ["no chunk at the end", [head("transfer-encoding: chunked"), "3\r\nabc\r\n"], "network_error"],
    ["a chunk without a size", [head("transfer-encoding: chunked"), "zz\r\nabc"], "permanent_failure"],
    ["nothing at all", [], "network_error"],
    ["half a header", ["HTTP/1.1 200 OK\r\ncontent-"], "network_error"],
    ["no HTTP", ["SSH-2.0-OpenSSH_9.6\r\n"], "permanent_failure"],
    ["two lengths", [head("content-length: 3", "content-length: 4"), "abcd"], "network_error"],
    ["a length and chunks", [head("content-length: 3", "transfer-encoding: chunked"), "3\r\nabc\r\n0\r\n\r\n"], "network_error"],
    ["a header with a zero byte", [head("x-y: a\0b", "content-length: 0")], "permanent_failure"],
    ["a negative length", [head("content-length: -1")], "permanent_failure"],
    ["a switch of protocols", ["HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"], "network_error"],
    ["too many headers", [head(...Array.from({ length: 3000 }, (_, i) => `x-${i}: ${"y".repeat(50)}`)), "abc"], "permanent_failure"],
    ["one header that is too long", [head(`x: ${"y".repeat(200_000)}`), "abc"], "permanent_failure"],
  ])("%s", async (_name, parts, category) => {
    sends(...parts);
    const by = open();
    const failure = await by.failure("https://a.test/");
    expect([failure.category, failure.message]).toEqual([category, expect.stringMatching(/^a\.test /)]);
    expect(by.egress).toHaveLength(1);
    expect(await closed()).toBe(0);
  });
  it("longer than it said is read to where it said", async () => {
    sends(head("content-length: 3"), "abcdef");
    expect((await open().page("https://a.test/")).text).toBe("abc");
  });
  it("a reset is a failure of the network", async () => {
    handle = (socket) => {
      socket.write(`${head("content-length: 100")}abc`);
      setTimeout(() => socket.resetAndDestroy(), 20);
    };
    expect(await open().failure("https://a.test/")).toMatchObject({ category: "network_error" });
  });
});

describe("a server that is slow", () => {
  const drip = (text: string, ms: number) => (socket: Socket) => {
    let i = 0;
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text[i++ % text.length]!)), ms);
    socket.once("close", () => clearInterval(timer));
  };
  it("and says nothing", async () => {
    handle = () => {};
    const began = performance.now();
    const by = open({ idleMs: 150 });
    expect(await by.failure("https://a.test/")).toMatchObject({
      category: "timeout",
      message: expect.stringContaining("said nothing for 0.15 s"),
    });
    expect(performance.now() - began).toBeLessThan(1500);
    expect(await closed()).toBe(0);
    expect(by.egress).toMatchObject([{ address: "8.8.8.8" }]);
  });
  it("and stops in the middle", async () => {
    handle = (socket) => socket.write(`${head("content-length: 100")}abc`);
    const by = open({ idleMs: 150 });
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "timeout" });
    expect(by.egress).toMatchObject([{ status: 200, bytes: 3 }]);
    expect(await closed()).toBe(0);
  });
  it("and drips headers for ever", async () => {
    handle = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      drip("x-a: b\r\n", 5)(socket);
    };
    expect(await open({ idleMs: 200 }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    expect(await closed()).toBe(0);
  });
  it("and drips a body for ever: the whole has a limit too", async () => {
    handle = (socket) => {
      socket.write(head("connection: close"));
      drip("abc", 5)(socket);
    };
    const failure = await open({ config: { timeout: 0.3 } }).failure("https://a.test/");
    expect(failure).toMatchObject({ category: "timeout", message: expect.stringContaining("longer than 0.3 s") });
    expect(await closed()).toBe(0);
  });
  it("and goes on with informational answers for ever", async () => {
    handle = (socket) => drip("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", 1)(socket);
    expect(await open({ idleMs: 200 }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
  });
  it("and leaves its side half closed", async () => {
    handle = (socket) => socket.end(head("content-length: 3"));
    expect(await open().failure("https://a.test/")).toMatchObject({ category: "network_error" });
    expect(await closed()).toBe(0);
  });
  it("in DNS or in dialling is no better, and a socket that comes too late is closed", async () => {
    const never = new Promise<never>(() => {});
    const slow = (wires: object) =>
      browser({ config: { timeout: 0.1 }, wires: { lookup: async () => ["8.8.8.8"], dial: site.dial, ...wires } });
    expect(await slow({ lookup: () => never }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    expect(await slow({ dial: () => never }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    let arrive = (_socket: Socket) => {};
    const late = new Promise<Socket>((resolve) => {
      arrive = resolve;
    });
    expect(await slow({ dial: () => late }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    const socket = await site.dial({ address: "8.8.8.8", port: 443, servername: "a.test" });
    arrive(socket);
    expect(await closed()).toBe(0);
    expect(socket.destroyed).toBe(true);
  });
});

describe("cancelling", () => {
  it.each<[string, (socket: Socket) => void]>([
    ["before an answer", () => {}],
    ["in the middle of headers", (socket) => socket.write("HTTP/1.1 200 OK\r\nx-a: ")],
    ["in the middle of a body", (socket) => socket.write(`${head("content-length: 100")}abc`)],
  ])("%s ends at once", async (_name, answer) => {
    handle = answer;
    const control = new AbortController();
    const by = open();
    const failing = by.failure("https://a.test/", control.signal);
    while (site.open() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 30));
    const began = performance.now();
    control.abort();
    expect(await failing).toMatchObject({ category: "cancelled" });
    expect(performance.now() - began).toBeLessThan(100);
    expect(await closed()).toBe(0);
    expect(by.egress).toHaveLength(1);
  });
  it("before the beginning asks nobody", async () => {
    const by = browser({
      wires: {
        lookup: () => Promise.reject(new Error("asked")),
        dial: () => Promise.reject(new Error("asked")),
      },
    });
    expect(await by.failure("https://a.test/", AbortSignal.abort())).toMatchObject({ category: "cancelled" });
    expect(await by.failure("https://8.8.8.8/", AbortSignal.abort())).toMatchObject({ category: "cancelled" });
  });
});
