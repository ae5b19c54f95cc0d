import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CAP, head, rawStand } from "./walls-stands.ts";

const stand = rawStand();

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
    stand.sends(head(`content-length: ${CAP}`), "x".repeat(CAP));
    expect(await stand.open().page("https://a.test/")).toMatchObject({ truncated: false, text: "x".repeat(CAP) });
    stand.sends(head(`content-length: ${CAP + 1}`), "x".repeat(CAP + 1));
    expect(await stand.open().page("https://a.test/")).toMatchObject({ truncated: true, text: "x".repeat(CAP) });
    expect(await stand.closed()).toBe(0);
  });
  it.each([
    ["by chunks", "transfer-encoding: chunked", "3\r\nabc\r\n2;note=1\r\nde\r\n0\r\n\r\n"],
    ["by the end of the connection", "connection: close", "abcde"],
    ["by its length", "content-length: 5", "abcde"],
  ])("that ends %s is read", async (_name, line, body) => {
    stand.sends(head(line), body);
    expect(await stand.open().page("https://a.test/")).toMatchObject({ truncated: false, text: "abcde" });
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
      stand.sends(head(`content-length: ${bytes.length}`, `content-encoding: ${coding}`), bytes);
      expect(await stand.open().page("https://a.test/")).toMatchObject({ text, truncated: false });
    }
    stand.sends(head("content-length: 0", "content-encoding: gzip"));
    expect(await stand.open().page("https://a.test/")).toMatchObject({ text: "", truncated: false });
  });
  it.each(["zstd", "gzip, gzip", "constructor", "compress"])("packed with %s is refused", async (coding) => {
    stand.sends(head("content-length: 2", `content-encoding: ${coding}`), "ab");
    expect(await stand.open().failure("https://a.test/")).toMatchObject({
      category: "permanent_failure",
      message: expect.stringContaining("not asked for"),
    });
  });
  it("that is no gzip is damaged", async () => {
    stand.sends(head("content-length: 20", "content-encoding: gzip"), "this is not packed..");
    expect(await stand.open().failure("https://a.test/")).toMatchObject({
      category: "network_error",
      message: "a.test sent a damaged page.",
    });
    stand.sends(head("content-length: 20", "content-encoding: br"), Buffer.alloc(20, 255));
    expect(await stand.open().failure("https://a.test/")).toMatchObject({ category: "network_error" });
  });
  it.each([
    ["gzip", gzipSync(Buffer.alloc(64 * 1024 * 1024))],
    ["deflate", deflateSync(Buffer.alloc(64 * 1024 * 1024))],
    ["br", brotliCompressSync(Buffer.alloc(64 * 1024 * 1024))],
  ])("that blows up when unpacked (%s) is cut at the cap", async (coding, bomb) => {
    expect(bomb.length).toBeLessThan(80_000);
    stand.sends(head(`content-length: ${bomb.length}`, `content-encoding: ${coding}`), bomb);
    const page = await stand.open().page("https://a.test/");
    expect(page.truncated).toBe(true);
    expect(page.text).toHaveLength(CAP);
  });
  it("that unpacks to nothing for ever is cut on the wire", async () => {
    const nothing = Buffer.concat(Array.from({ length: 3000 }, () => gzipSync("")));
    let written = () => 0;
    stand.handle = (socket) => {
      socket.write(head("connection: close", "content-encoding: gzip"));
      written = endless(socket, nothing);
    };
    expect(await stand.open().page("https://a.test/")).toMatchObject({ truncated: true, text: "" });
    expect(await stand.closed()).toBe(0);
    expect(written()).toBeLessThan(20 * 1024 * 1024);
  });
  it("that never ends is cut, and the connection closed", async () => {
    stand.handle = (socket) => {
      socket.write(head("content-length: 999999999999"));
      endless(socket, Buffer.alloc(64 * 1024, 120));
    };
    const by = stand.open();
    expect(await by.page("https://a.test/")).toMatchObject({ truncated: true, text: "x".repeat(CAP) });
    expect(await stand.closed()).toBe(0);
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
    stand.sends(...parts);
    const by = stand.open();
    const failure = await by.failure("https://a.test/");
    expect([failure.category, failure.message]).toEqual([category, expect.stringMatching(/^a\.test /)]);
    expect(by.egress).toHaveLength(1);
    expect(await stand.closed()).toBe(0);
  });
  it("longer than it said is read to where it said", async () => {
    stand.sends(head("content-length: 3"), "abcdef");
    expect((await stand.open().page("https://a.test/")).text).toBe("abc");
  });
  it("a reset is a failure of the network", async () => {
    stand.handle = (socket) => {
      socket.write(`${head("content-length: 100")}abc`);
      setTimeout(() => socket.resetAndDestroy(), 20);
    };
    expect(await stand.open().failure("https://a.test/")).toMatchObject({ category: "network_error" });
  });
});
