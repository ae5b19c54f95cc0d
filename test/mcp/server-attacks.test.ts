import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { serveOverHttp } from "../../src/runtime/serve/start.ts";
import { stopClock } from "../stopped-clock.ts";
import { connected, place, serving, TOKEN, textOf } from "./server-support.ts";

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

/** A request as it is, with nothing put right on the way. */
const sent = (url: string, { method = "POST", path = "/mcp", headers = {}, body }: Sent = {}) =>
  new Promise<{ status: number; text: string; headers: IncomingMessage["headers"] }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const usual = { "content-type": "application/json", accept: "application/json, text/event-stream", authorization: `Bearer ${TOKEN}` };
    const request = httpRequest({ hostname, port, path, method, headers: { ...usual, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (piece) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode!, text, headers: response.headers }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });

/** Bytes as they are, and how the answer to them begins. */
const raw = (port: string, text: string) =>
  new Promise<string>((resolve) => {
    const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
    socket.once("data", (piece) => {
      resolve(String(piece));
      socket.destroy();
    });
    socket.on("error", () => resolve(""));
    socket.on("close", () => resolve(""));
  });

const INITIALIZE = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
});
const LIST = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "tools/list", params: {} });

const open = async (more: object = {}) => {
  const { root, work, settings } = place();
  return { root, work, ...(await serving({ cwd: work, settings: settings(), ...more })) };
};

describe("who is let in", () => {
  it.each([undefined, "Bearer wrong-token-of-some-length", `Basic ${TOKEN}`, `Bearer ${TOKEN}x`, `Bearer ${TOKEN.slice(1)}`, "Bearer"])(
    "not %s",
    async (authorization) => {
      const { url } = await open();
      const answer = await sent(url, { body: INITIALIZE, headers: { authorization: authorization ?? "" } });
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="zeph"/);
      expect(answer.text).not.toContain(TOKEN);
    },
  );

  it.each([
    "evil.example",
    "evil.example:80",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "user@127.0.0.1",
    "localhost/x",
    "localhost:80:80",
    "[::2]",
    "2130706433",
    "0x7f.1",
    "127.1",
    "127.0.0.1.",
    "localhost.",
    "[::ffff:127.0.0.1]",
    "0",
  ])("nobody who calls this machine %s", async (name) => {
    const { url } = await open();
    for (const host of [name, `${name}:${new URL(url).port}`])
      for (const path of ["/mcp", "/health"]) expect((await sent(url, { path, body: INITIALIZE, headers: { host } })).status).toBe(403);
  });

  it("nobody who does not say to which port, or to another", async () => {
    const { url } = await open();
    const { port } = new URL(url);
    for (const host of ["localhost", "127.0.0.1", "localhost:1", `localhost:0${port}`])
      expect([host, (await sent(url, { body: INITIALIZE, headers: { host } })).status]).toEqual([host, 403]);
    for (const host of ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"])
      expect([host, (await sent(url, { body: INITIALIZE, headers: { host: `${host}:${port}` } })).status]).toEqual([host, 200]);
  });

  it.each(["Host: evil.example", "Host: 127.0.0.1", "Origin: http://evil.example", `Authorization: Bearer ${TOKEN}`])(
    "nobody who says a thing twice: %s",
    async (line) => {
      const { url } = await open();
      const { port } = new URL(url);
      const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://localhost:${port}\r\nAuthorization: Bearer ${TOKEN}`;
      const rest = `Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: ${INITIALIZE.length}`;
      expect(await raw(port, `${head}\r\n${rest}\r\n\r\n${INITIALIZE}`)).toMatch(/^HTTP\/1.1 200/);
      expect(await raw(port, `${head}\r\n${line}\r\n${rest}\r\n\r\n${INITIALIZE}`)).toMatch(/^HTTP\/1.1 400/);
    },
  );

  it.each([
    "http://evil.example",
    "null",
    "https://localhost.evil.example",
    "chrome-extension://abc",
    "chrome-extension://localhost",
    "file://",
    "http://localhost@evil.example",
    "http://localhost/",
    "http://2130706433",
    "garbage",
    "",
  ])("no page of %s", async (origin) => {
    const { url } = await open();
    const answer = await sent(url, { body: INITIALIZE, headers: { origin } });
    expect(answer.status).toBe(403);
    expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("no page of this machine that is somebody else's: another port, no port, another scheme", async () => {
    const { url } = await open();
    const { port } = new URL(url);
    const others = [
      "http://localhost:3000",
      "http://localhost",
      "http://127.0.0.1:1",
      `https://localhost:${port}`,
      `http://localhost:0${port}`,
    ];
    for (const origin of others)
      expect([origin, (await sent(url, { body: INITIALIZE, headers: { origin } })).status]).toEqual([origin, 403]);
  });

  it("its own origin, and anybody who wants to know whether it runs", async () => {
    const { url } = await open();
    const { port } = new URL(url);
    for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
      const answer = await sent(url, { body: INITIALIZE, headers: { origin: `http://${host}:${port}` } });
      expect([host, answer.status]).toEqual([host, 200]);
      expect(answer.headers["access-control-allow-origin"]).toBeUndefined();
    }
    const health = await sent(url, { method: "GET", path: "/health", headers: { authorization: "" } });
    expect([health.status, health.text]).toEqual([200, "ok\n"]);
    expect((await sent(url, { method: "OPTIONS", headers: { origin: `http://localhost:${port}` } })).status).toBe(405);
  });

  it("needs a token worth the name", async () => {
    const { work, settings } = place();
    const given = { cwd: work, settings: settings(), workspaces: [], warn() {}, host: "127.0.0.1", port: 0 };
    await expect(serveOverHttp({ ...given, token: "short" })).rejects.toThrow(/at least 16/);
    await expect(serveOverHttp({ ...given, token: "with spaces in the middle" })).rejects.toThrow(/without spaces/);
  });
});

describe("what is sent", () => {
  it.each([
    ["another path", { path: "/" }, 404],
    ["a path that only begins like ours", { path: "/mcp/../etc" }, 404],
    ["another machine in the request line", { path: "http://evil.example/mcp" }, 400],
    ["another method", { method: "PUT" }, 405],
    ["no JSON", { body: "{" }, 400],
    ["nothing", { body: "" }, 400],
    ["another type", { headers: { "content-type": "text/plain" } }, 415],
    ["too much, and says so", { body: Buffer.alloc(5 * 1024 * 1024, " ") }, 413],
    ["very much", { body: Buffer.alloc(30 * 1024 * 1024, " ") }, 413],
    ["a session nobody has", { body: LIST, headers: { "mcp-session-id": "00000000-0000-4000-8000-000000000000" } }, 404],
    ["no session", { body: LIST }, 400],
    ["a name that is no name", { path: "/mcp?session=../x", body: LIST, headers: { "mcp-protocol-version": "2026-07-28" } }, 400],
    ["a number", { body: "7" }, 400],
    ["null", { body: "null" }, 400],
    ["an empty batch", { body: "[]" }, 400],
    ["much nesting", { body: "[".repeat(100_000) + "]".repeat(100_000) }, 400],
  ] as const)("%s is refused", async (_what, what, status) => {
    const { url, sessions } = await open();
    const answer = await sent(url, { body: INITIALIZE, ...what } as Sent);
    expect(answer.status).toBe(status);
    expect(sessions()).toBe(0);
    // Whatever came, it goes on.
    expect((await sent(url, { body: INITIALIZE })).status).toBe(200);
  });

  it("a batch has an end", async () => {
    const { url } = await open();
    const { headers } = await sent(url, { body: INITIALIZE });
    const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
    const batch = (size: number) => sent(url, { body: `[${Array(size).fill(LIST).join()}]`, headers: session });
    expect(await batch(21)).toMatchObject({ status: 400, text: expect.stringContaining("at most 20") });
  });

  it("too much without saying so ends the connection", async () => {
    const { url } = await open();
    const { hostname, port } = new URL(url);
    const status = await new Promise<number>((resolve) => {
      const request = httpRequest(
        { hostname, port, path: "/mcp", method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` } },
        (response) => {
          response.resume();
          resolve(response.statusCode!);
        },
      );
      request.on("error", () => {});
      for (let n = 0; n < 6; n++) request.write(Buffer.alloc(1024 * 1024, " "));
    });
    expect(status).toBe(413);
  });

  it("header lines that are none, and headers without end, are refused before anything is read", async () => {
    const { url } = await open();
    const { port } = new URL(url);
    expect(await raw(port, "POST /mcp HTTP/1.1\r\nhost: localhost\r\nzeph-workspace: /\0etc\r\n\r\n")).toMatch(/^HTTP\/1.1 400/);
    const said = "content-type: application/json\r\ncontent-length: 999999999";
    expect(await raw(port, `POST /mcp HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: Bearer ${TOKEN}\r\n${said}\r\n\r\n`)).toMatch(
      /^HTTP\/1.1 413/,
    );
    expect(await raw(port, `GET /health HTTP/1.1\r\nhost: localhost\r\nx: ${"x".repeat(20_000)}\r\n\r\n`)).toMatch(/^HTTP\/1.1 431/);
  });
});

describe("where a session works", () => {
  it("not outside of the folders that were given, however it is written", async () => {
    const { root, work, url } = await open();
    mkdirSync(join(root, "work_evil"));
    mkdirSync(join(work, "inside"));
    symlinkSync(root, join(work, "out"));
    writeFileSync(join(work, "file"), "");
    const places = [
      root,
      `${work}/..`,
      `${work}/../work_evil`,
      `${work}_evil`,
      join(work, "out"),
      "/",
      "relative",
      "",
      join(work, "file"),
      join(work, "none"),
    ];
    for (const place of [...places, `${work}\0`, "file:///tmp", "~", `${"a/".repeat(3000)}`]) {
      const answer = await sent(url, { path: `/mcp?workspace=${encodeURIComponent(place)}`, body: INITIALIZE });
      expect([place, answer.status]).toEqual([place, 403]);
    }
    const two = `/mcp?workspace=${encodeURIComponent(work)}&workspace=${encodeURIComponent(join(work, "inside"))}`;
    expect((await sent(url, { path: two, body: INITIALIZE })).status).toBe(403);
    expect((await sent(url, { body: INITIALIZE, headers: { "zeph-workspace": root } })).status).toBe(403);
    expect((await sent(url, { body: INITIALIZE, headers: { "zeph-workspace": join(work, "inside") } })).status).toBe(200);
  });

  it("a session stays in its folder, and in it", async () => {
    const { work, url } = await open();
    mkdirSync(join(work, "a"));
    mkdirSync(join(work, "b"));
    const begun = await sent(url, { path: `/mcp?workspace=${encodeURIComponent(join(work, "a"))}`, body: INITIALIZE });
    const headers = { "mcp-session-id": String(begun.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
    const other = await sent(url, { path: `/mcp?workspace=${encodeURIComponent(join(work, "b"))}`, body: LIST, headers });
    expect(other.status).toBe(400);
    expect((await sent(url, { body: LIST, headers })).status).toBe(200);
  });

  it("what one session keeps no other reads", async () => {
    const { work, settings } = place();
    writeFileSync(join(work, "long.txt"), "a line of text\n".repeat(2000));
    const { url } = await serving({ cwd: work, settings: settings({ overflow: { threshold: 1000 } }) });
    const one = await connected(url);
    const two = await connected(url);
    const three = await connected(url, { revision: "2026-07-28", query: "?session=x" });
    const result = await one.callTool({ name: "read", arguments: { path: "long.txt" } });
    const { overflow } = result._meta!["zeph/call"] as { overflow: string };
    expect(textOf(await one.callTool({ name: "read_overflow", arguments: { id: overflow } }))).toContain("a line of text");
    for (const other of [two, three]) {
      const refused = await other.callTool({ name: "read_overflow", arguments: { id: overflow } });
      expect(refused.isError).toBe(true);
      expect(textOf(refused)).not.toContain("a line of text");
    }
  });
});

describe("how much there may be", () => {
  it("sessions: one too many waits, and DELETE makes room", async () => {
    const { url, sessions } = await open({ most: 2 });
    const [first, second] = [await sent(url, { body: INITIALIZE }), await sent(url, { body: INITIALIZE })];
    expect([first.status, second.status]).toEqual([200, 200]);
    const third = await sent(url, { body: INITIALIZE });
    expect([third.status, third.headers["retry-after"]]).toEqual([429, "60"]);
    expect(third.text).toContain("2 sessions are open, which is the limit, and none of them has been idle for 60 seconds.");
    const headers = { "mcp-session-id": String(first.headers["mcp-session-id"]), "mcp-protocol-version": "2025-11-25" };
    expect((await sent(url, { method: "DELETE", headers })).status).toBe(200);
    expect(sessions()).toBe(1);
    expect((await sent(url, { body: LIST, headers })).status).toBe(404);
    expect((await sent(url, { body: INITIALIZE })).status).toBe(200);
  });

  it("sessions: not one more when many begin at once", async () => {
    const { url, sessions } = await open({ most: 3 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => sent(url, { body: INITIALIZE })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(sessions()).toBe(3);
  });

  it("sessions: where there is no place left, the one that was idle longest gives up its own", async () => {
    const pass = stopClock();
    const { url, sessions } = await open({ most: 2, spareMs: 50 });
    const begun = async () => ({
      "mcp-session-id": String((await sent(url, { body: INITIALIZE })).headers["mcp-session-id"]),
      "mcp-protocol-version": "2025-11-25",
    });
    const [first, second] = [await begun(), await begun()];
    pass(10);
    expect((await sent(url, { body: LIST, headers: first })).status).toBe(200);
    pass(50);
    const third = await begun();
    expect(sessions()).toBe(2);
    expect((await sent(url, { body: LIST, headers: second })).status).toBe(404);
    for (const headers of [first, third]) expect((await sent(url, { body: LIST, headers })).status).toBe(200);
  });

  it("sessions: one that a client listens to keeps its place, however quiet it is", async () => {
    const { url } = await open({ most: 1, spareMs: 0 });
    const begun = await sent(url, { body: INITIALIZE });
    const headers = {
      accept: "text/event-stream",
      authorization: `Bearer ${TOKEN}`,
      "mcp-session-id": String(begun.headers["mcp-session-id"]),
    };
    const stream = await fetch(url, { headers });
    expect(stream.status).toBe(200);
    expect((await sent(url, { body: INITIALIZE })).status).toBe(429);
    await stream.body!.cancel();
    await expect.poll(async () => (await sent(url, { body: INITIALIZE })).status).toBe(200);
  });

  it("sessions: none is added where there is no memory left", async () => {
    const pass = stopClock();
    let isCrowded = false;
    const { url, sessions } = await open({ spareMs: 50, isCrowded: () => isCrowded });
    await sent(url, { body: INITIALIZE });
    isCrowded = true;
    const refused = await sent(url, { body: INITIALIZE });
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining("There is no memory left beside 1 sessions")]);
    pass(50);
    expect((await sent(url, { body: INITIALIZE })).status).toBe(200);
    expect(sessions()).toBe(1);
  });

  it("a session nobody uses ends", async () => {
    const pass = stopClock();
    const { url, sessions } = await open({ idleMs: 100 });
    const { headers } = await sent(url, { body: INITIALIZE });
    expect(sessions()).toBe(1);
    pass(100);
    await expect.poll(sessions).toBe(0);
    const gone = await sent(url, { body: LIST, headers: { "mcp-session-id": String(headers["mcp-session-id"]) } });
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining("Begin a new one")]);
  });

  it("a thousand connections that say nothing do not keep anybody out", async () => {
    const { url } = await open();
    const { port } = new URL(url);
    const sockets = await Promise.all(
      Array.from(
        { length: 1000 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve, reject) => {
            const socket = connect(Number(port), "127.0.0.1", () => resolve(socket));
            socket.once("error", reject);
          }),
      ),
    );
    for (const socket of sockets) socket.on("error", () => {});
    expect((await sent(url, { body: INITIALIZE })).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it("a client that never reads its answers costs what fits into its connection", async () => {
    const { work, url } = await open();
    writeFileSync(join(work, "a.txt"), "x".repeat(40_000));
    const begun = await sent(url, { body: INITIALIZE });
    const { port } = new URL(url);
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "read", arguments: { path: "a.txt" } } });
    const head = `POST /mcp HTTP/1.1\r\nhost: localhost:${port}\r\nauthorization: Bearer ${TOKEN}\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\nmcp-session-id: ${begun.headers["mcp-session-id"]}\r\ncontent-length: ${call.length}\r\n\r\n`;
    const deaf = Array.from({ length: 20 }, () => {
      const socket = connect(Number(port), "127.0.0.1", () => socket.write((head + call).repeat(3)));
      socket.on("error", () => {});
      socket.pause();
      return socket;
    });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const other = await connected(url);
    expect(textOf(await other.callTool({ name: "read", arguments: { path: "a.txt" } }))).toContain("xxx");
    for (const socket of deaf) socket.destroy();
    expect(existsSync(join(work, "a.txt"))).toBe(true);
  });
});
