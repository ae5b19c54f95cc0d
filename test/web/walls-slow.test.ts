import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { browser } from "./walls-browse.ts";
import { head, rawStand } from "./walls-stands.ts";

const stand = rawStand();

describe("a server that is slow", () => {
  const drip = (text: string, ms: number) => (socket: Socket) => {
    let i = 0;
    const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(text[i++ % text.length]!)), ms);
    socket.once("close", () => clearInterval(timer));
  };
  it("and says nothing", async () => {
    stand.handle = () => {};
    const began = performance.now();
    const by = stand.open({ idleMs: 3000 });
    expect(await by.failure("https://a.test/")).toMatchObject({
      category: "timeout",
      message: expect.stringContaining("said nothing for 3 s"),
    });
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(await stand.closed()).toBe(0);
    expect(by.egress).toMatchObject([{ address: "8.8.8.8" }]);
  });
  it("and stops in the middle", async () => {
    stand.handle = (socket) => socket.write(`${head("content-length: 100")}abc`);
    const by = stand.open({ idleMs: 3000 });
    expect(await by.failure("https://a.test/")).toMatchObject({ category: "timeout" });
    expect(by.egress).toMatchObject([{ status: 200, bytes: 3 }]);
    expect(await stand.closed()).toBe(0);
  });
  it("but steady is waited for", async () => {
    stand.handle = async (socket) => {
      for (const part of [head("content-length: 3"), "a", "b", "c"]) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        socket.write(part);
      }
    };
    expect((await stand.open({ idleMs: 3500 }).page("https://a.test/")).text).toBe("abc");
  });
  it("and drips headers for ever", async () => {
    stand.handle = (socket) => {
      socket.write("HTTP/1.1 200 OK\r\n");
      drip("x-a: b\r\n", 5)(socket);
    };
    expect(await stand.open({ idleMs: 200 }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    expect(await stand.closed()).toBe(0);
  });
  it("and drips a body for ever: the whole has a limit too", async () => {
    stand.handle = (socket) => {
      socket.write(head("connection: close"));
      drip("abc", 5)(socket);
    };
    const failure = await stand.open({ config: { timeout: 0.3 } }).failure("https://a.test/");
    expect(failure).toMatchObject({ category: "timeout", message: expect.stringContaining("longer than 0.3 s") });
    expect(await stand.closed()).toBe(0);
  });
  it("and goes on with informational answers for ever", async () => {
    stand.handle = (socket) => drip("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", 1)(socket);
    expect(await stand.open({ idleMs: 200 }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
  });
  it("and leaves its side half closed", async () => {
    stand.handle = (socket) => socket.end(head("content-length: 3"));
    expect(await stand.open().failure("https://a.test/")).toMatchObject({ category: "network_error" });
    expect(await stand.closed()).toBe(0);
  });
  it("in DNS or in dialling is no better, and a socket that comes too late is closed", async () => {
    const never = new Promise<never>(() => {});
    const slow = (wires: object) =>
      browser({ config: { timeout: 0.1 }, wires: { lookup: async () => ["8.8.8.8"], dial: stand.site.dial, ...wires } });
    expect(await slow({ lookup: () => never }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    expect(await slow({ dial: () => never }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    let arrive = (_socket: Socket) => {};
    const late = new Promise<Socket>((resolve) => {
      arrive = resolve;
    });
    expect(await slow({ dial: () => late }).failure("https://a.test/")).toMatchObject({ category: "timeout" });
    const socket = await stand.site.dial({ address: "8.8.8.8", port: 443, servername: "a.test" });
    arrive(socket);
    expect(await stand.closed()).toBe(0);
    expect(socket.destroyed).toBe(true);
  });
});

describe("cancelling", () => {
  it.each<[string, (socket: Socket) => void]>([
    ["before an answer", () => {}],
    ["in the middle of headers", (socket) => socket.write("HTTP/1.1 200 OK\r\nx-a: ")],
    ["in the middle of a body", (socket) => socket.write(`${head("content-length: 100")}abc`)],
  ])("%s ends at once", async (_name, answer) => {
    stand.handle = answer;
    const control = new AbortController();
    const by = stand.open();
    const failing = by.failure("https://a.test/", control.signal);
    while (stand.site.open() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 30));
    const began = performance.now();
    control.abort();
    expect(await failing).toMatchObject({ category: "cancelled" });
    expect(performance.now() - began).toBeLessThan(5000);
    expect(await stand.closed()).toBe(0);
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
