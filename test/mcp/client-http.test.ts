import { describe, expect, it } from "vitest";
import { errorBlock } from "../../src/core/error.ts";
import type { Elicit } from "../../src/core/ports/elicitation.ts";
import { connectTo } from "../../src/mcp/client/connection/connection.ts";
import { retryAfterHeader } from "../../src/mcp/client/connection/http.ts";
import { goodHandler, httpServer, listening, olderHandler, said } from "./client-http-support.ts";
import { bench } from "./client-support.ts";

// Real programs on a machine that may be busy.
const ECHO = "mcp__far__echo";
const hello = { text: "hello" };
const JSON_TYPE = { "content-type": "application/json" };
const EVENTS = { "content-type": "text/event-stream" };

describe("a server with an address", () => {
  it("is called by the newest revision, with the configured headers", async () => {
    const { url, seen } = await listening(goodHandler());
    const { clients, call } = await bench([httpServer(url, { headers: { Authorization: "Bearer hunter2hunter2" } })]);
    expect(clients.states()[0]).toMatchObject({ kind: "http", at: url, state: "connected", protocol: "2026-07-28" });
    expect((await call("mcp__far__add", { a: 2, b: 2 })).raw).toEqual({ sum: 4 });
    expect(seen.every(({ headers }) => headers.authorization === "Bearer hunter2hunter2")).toBe(true);
    expect(JSON.stringify(clients.states())).not.toContain("hunter2");
  });

  it.each([{ legacy: false }, { legacy: true }])("asks the person in between (legacy: $legacy)", async ({ legacy }) => {
    const { url } = await listening(goodHandler());
    const elicit: Elicit = async () => ({ action: "accept", content: { name: "Ann" } });
    const connection = await connectTo(httpServer(url), { serve: null as never, elicit, roots: [], warn: () => {}, legacy });
    const result = await connection.callTool("greet", {}).catch((error: Error) => error);
    // Without a session an older server has no way to ask.
    if (legacy) expect(connection.protocol).toBe("2025-11-25");
    else expect(result).toMatchObject({ content: [{ text: "hello Ann" }] });
    await connection.close();
  });

  it("is called by an older revision, and a session that was forgotten is begun again", async () => {
    const handle = olderHandler((id, _request, response) => response.writeHead(200, JSON_TYPE).end(said(id, "older")));
    const { url, seen } = await listening(handle);
    const { clients, call } = await bench([httpServer(url)]);
    expect(clients.states()[0]).toMatchObject({ state: "connected", protocol: "2025-11-25" });
    expect((await call(ECHO, hello)).text).toBe("older");
    handle.session = "two";
    expect((await call(ECHO, hello)).text).toBe("older");
    expect(seen.filter(({ text }) => text.includes('"initialize"'))).toHaveLength(2);
  });

  it("that was killed costs one clear error, and is reached again when it is back", async () => {
    const first = await listening(goodHandler());
    const { call, failure, clients } = await bench([httpServer(first.url)]);
    await call("mcp__far__add", { a: 1, b: 1 });
    await first.kill();
    const error = await failure("mcp__far__add", { a: 1, b: 1 });
    expect(error).toMatchObject({ category: "network_error", message: expect.stringContaining("not carried out") });
    expect(error.message).toContain(`ECONNREFUSED at ${new URL(first.url).origin}`);
    expect(errorBlock(error)).toContain("retryable: true");
    await listening(goodHandler(), Number(new URL(first.url).port));
    expect((await call("mcp__far__add", { a: 1, b: 1 })).raw).toEqual({ sum: 2 });
    expect(clients.states()[0]!.state).toBe("connected");
  });

  it("that breaks off in the middle of an answer: at once, outcome unknown, not sent twice", async () => {
    const handle = olderHandler((_id, _request, response) => {
      response.writeHead(200, EVENTS).write(": working\n\n");
      setTimeout(() => response.destroy(), 50);
    });
    const { url, seen } = await listening(handle);
    const { failure } = await bench([httpServer(url)]);
    const begun = performance.now();
    expect(await failure(ECHO, hello)).toMatchObject({ category: "network_error", message: expect.stringContaining("is unknown") });
    expect(performance.now() - begun).toBeLessThan(20_000);
    expect(seen.filter(({ text }) => text.includes("tools/call"))).toHaveLength(1);
  });

  it("that is asked too often: after the time it asked for", async () => {
    let tries = 0;
    const handle = olderHandler((id, _request, response) =>
      ++tries < 3
        ? response.writeHead(429, { "retry-after": "0" }).end("slow down")
        : response.writeHead(200, JSON_TYPE).end(said(id, "at last")),
    );
    const { url } = await listening(handle);
    const retry = { max_attempts: 2, base_ms: 1, max_ms: 5, budget_secs: 5 };
    const { call } = await bench([httpServer(url)], { retry });
    expect((await call(ECHO, hello)).text).toBe("at last");
    const busy = await listening(
      olderHandler((_id, _request, response) => response.writeHead(429, { "retry-after": "7" }).end("slow down")),
    );
    const { failure } = await bench([httpServer(busy.url)], { retry: { ...retry, max_attempts: 0 } });
    expect(await failure(ECHO, hello)).toMatchObject({ category: "rate_limited", retryAfterMs: 7000 });
  });

  it.each([
    [500, "server_error"],
    [503, "server_error"],
    [400, "invalid_parameters"],
    [403, "policy_blocked"],
    [401, "policy_blocked"],
    [410, "permanent_failure"],
    [504, "network_error"],
  ] as const)("that answers HTTP %d: %s, once", async (status, category) => {
    const { url, seen } = await listening(olderHandler((_id, _request, response) => response.writeHead(status).end("because")));
    const { failure } = await bench([httpServer(url)]);
    const error = await failure(ECHO, hello);
    expect(error).toMatchObject({ category });
    if (status !== 401) expect(error.message).toContain(`HTTP ${status}`);
    if (/server|network/.test(category)) expect(errorBlock(error)).toContain("retryable: true");
    expect(seen.filter(({ text }) => text.includes("tools/call"))).toHaveLength(1);
  });

  it("that wants a login says so in its state and in the error", async () => {
    const { url } = await listening((_request, response) => void response.writeHead(401, { "www-authenticate": "Bearer" }).end());
    const { clients } = await bench([httpServer(url)]);
    expect(clients.states()[0]).toMatchObject({ state: "needs login", why: expect.stringContaining("zeph mcp login far") });
  });

  it("that sends us elsewhere: nothing of ours goes there", async () => {
    const elsewhere = await listening((_request, response) => void response.writeHead(200, JSON_TYPE).end("{}"));
    const { url } = await listening((_request, response) => void response.writeHead(307, { location: elsewhere.url }).end());
    const { clients } = await bench([httpServer(url, { headers: { "X-Key": "hunter2hunter2" } })]);
    expect(clients.states()[0]!.state).toBe("failed");
    expect(elsewhere.seen).toEqual([]);
  });

  it("that sends 100 MB, as an answer or as an event: it ends at 16", async () => {
    const part = "x".repeat(1024 * 1024);
    const pour = (response: import("node:http").ServerResponse, left: number): void => {
      if (left > 0 && !response.destroyed) response.write(part, () => pour(response, left - 1));
    };
    for (const type of [JSON_TYPE, EVENTS]) {
      const handle = olderHandler((id, _request, response) => {
        response.writeHead(200, type).write(type === EVENTS ? "data: " : `{"jsonrpc":"2.0","id":${id},"result":{"content":"`);
        pour(response, 100);
      });
      const { url } = await listening(handle);
      const { failure } = await bench([httpServer(url, { timeout_secs: 120 })]);
      const before = process.memoryUsage().rss;
      const error = await failure(ECHO, hello);
      expect(error.category).toBe("network_error");
      expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024);
    }
  });

  it("whose stream is long and whose events are short is heard to the end", async () => {
    const handle = olderHandler((id, _request, response) => {
      response.writeHead(200, EVENTS);
      for (let n = 0; n < 20; n++) response.write(`: ${"x".repeat(1024 * 1024)}\r\n\r\n`);
      response.end(`data: ${said(id, "the end")}\n\n`);
    });
    const { url } = await listening(handle);
    const { call } = await bench([httpServer(url, { timeout_secs: 120 })]);
    expect((await call(ECHO, hello)).text).toBe("the end");
  });

  it("that is not there", async () => {
    const { url, kill } = await listening(goodHandler());
    await kill();
    const { clients } = await bench([httpServer(url)]);
    expect(clients.states()[0]).toMatchObject({ state: "failed", why: `ECONNREFUSED at ${new URL(url).origin}` });
  });
});

it("the client reads Retry-After in both its forms", () => {
  expect(retryAfterHeader("3")).toBe(3000);
  expect(retryAfterHeader("Wed, 21 Oct 2026 07:28:10 GMT", Date.parse("Wed, 21 Oct 2026 07:28:00 GMT"))).toBe(10_000);
  expect(retryAfterHeader("never")).toBeUndefined();
  expect(retryAfterHeader(null)).toBeUndefined();
});
