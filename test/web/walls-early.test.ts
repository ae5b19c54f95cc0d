import { once } from "node:events";
import { type AddressInfo, type Socket, connect as tcp } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTlsDial } from "../../src/host/web/wires.ts";
import { browser } from "./walls-browse.ts";
import { ownAuthority, rawSite } from "./walls-server.ts";
import { head, rawStand } from "./walls-stands.ts";

const { ca, key, cert } = ownAuthority();
const PAGE = "https://a.test/";
const lookup = async () => ["8.8.8.8"];
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The first test of this file, because what is loaded once stays. */
it("nothing is loaded between the dialling and the asking", async () => {
  const site = await rawSite((socket) => socket.once("data", () => socket.end(`${head("content-length: 2")}ok`)));
  let ticks = 0;
  let isWaiting = false;
  const by = browser({
    wires: {
      lookup,
      dial: async () => {
        const socket = tcp({ host: "127.0.0.1", port: site.port });
        await once(socket, "connect");
        const write = socket.write;
        isWaiting = true;
        const tick = () => {
          ticks++;
          if (isWaiting) setImmediate(tick);
        };
        tick();
        socket.write = ((...args: Parameters<typeof write>) => {
          isWaiting = false;
          return Reflect.apply(write, socket, args);
        }) as typeof write;
        return socket;
      },
    },
  });
  expect((await by.page(PAGE)).text).toBe("ok");
  expect(ticks).toBeLessThan(5);
  await site.close();
});

describe("a TLS server that does not wait to be asked", () => {
  let greet = (_socket: TLSSocket) => {};
  const server = createServer({ key, cert }, (socket) => {
    socket.on("error", () => {});
    socket.resume();
    greet(socket);
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const signal = new AbortController().signal;
  const near = createTlsDial({ ca, whyNot: () => null });
  const dial = () => near({ address: "127.0.0.1", port: (server.address() as AddressInfo).port, servername: "a.test" }, signal);
  const open = (moment = 0) =>
    browser({
      config: { timeout: 30 },
      wires: {
        lookup,
        dial: async () => {
          const socket = await dial();
          if (moment > 0) await later(moment);
          return socket;
        },
      },
    });

  it.each([
    ["hangs up", (socket: TLSSocket) => socket.end(), 0],
    ["is gone", (socket: TLSSocket) => socket.destroy(), 0],
    ["hung up before the socket was handed over", (socket: TLSSocket) => socket.end(), 50],
    ["was gone before the socket was handed over", (socket: TLSSocket) => socket.destroy(), 50],
  ])("and %s is a failure of the network, at once and without work", async (_name, act, moment) => {
    greet = act;
    const began = performance.now();
    const busy = process.cpuUsage();
    const by = open(moment);
    expect(await by.failure(PAGE)).toMatchObject({ category: "network_error", message: expect.stringContaining("a.test closed") });
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(process.cpuUsage(busy).user).toBeLessThan(1_000_000);
    expect(by.egress).toHaveLength(1);
  });
  it.each([0, 50])("and says no before it hangs up is heard, %i ms later too", async (moment) => {
    greet = (socket) => socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    const by = open(moment);
    expect(await by.failure(PAGE)).toMatchObject({ category: "invalid_parameters", message: expect.stringContaining("answered 400") });
    expect(by.egress).toMatchObject([{ status: 400 }]);
  });
});

it.each([
  ["said its last", "end", (_socket: Socket) => {}],
  ["was closed", "connect", (socket: Socket) => void socket.destroy()],
])("a socket that %s before it was handed over is not waited for", async (_name, moment, act) => {
  const site = await rawSite((socket) => void (moment === "end" && socket.end()));
  const dial = async () => {
    const socket = tcp({ host: "127.0.0.1", port: site.port, allowHalfOpen: true });
    await once(socket, moment);
    act(socket);
    return socket;
  };
  const by = browser({ config: { timeout: 30 }, wires: { lookup, dial } });
  expect(await by.failure(PAGE)).toMatchObject({ category: "network_error" });
  await site.close();
});

describe("informational answers", () => {
  const stand = rawStand();
  const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
  const OK = `${head("content-length: 29")}HTTP/1.1 100 Continue\r\n\r\nend!`;
  it.each([
    ["100", CONTINUE],
    ["100 twice", CONTINUE + CONTINUE],
    ["100 with headers", "HTTP/1.1 100\r\nx-a: b\r\nx-c: d\r\n\r\n"],
    ["102, 100 and 103", `HTTP/1.1 102 Processing\r\n\r\n${CONTINUE}HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n`],
    ["100 and empty lines", `\r\n${CONTINUE}\r\n`],
  ])("%s before the page is skipped, in one piece and byte by byte", async (_name, before) => {
    const whole = before + OK;
    stand.sends(whole);
    expect((await stand.open().page(PAGE)).text).toBe(`${CONTINUE}end!`);
    stand.handle = async (socket) => {
      socket.setNoDelay(true);
      for (const byte of whole) {
        socket.write(byte);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const by = stand.open();
    expect((await by.page(PAGE)).text).toBe(`${CONTINUE}end!`);
    expect(by.egress).toMatchObject([{ status: 200 }]);
  });
  it("without a page are none", async () => {
    stand.sends(CONTINUE);
    expect(await stand.open().failure(PAGE)).toMatchObject({ category: "network_error" });
  });
  it("another protocol is no page", async () => {
    stand.sends(`HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n${OK}`);
    expect(await stand.open().failure(PAGE)).toMatchObject({ category: "network_error" });
  });
});

it("many pages may hang on one signal", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on("warning", warned);
  const site = await rawSite((socket) => socket.once("data", () => socket.end(`${head("content-length: 2")}ok`)));
  const by = browser({ wires: { lookup, dial: site.dial } });
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 30 }, () => by.page(PAGE, signal)));
  await later(10);
  process.off("warning", warned);
  await site.close();
  expect(warnings).toEqual([]);
});
