import { Agent, createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Model } from "../../src/core/ports/model.ts";
import { SSE, STREAMS } from "./raw.ts";
import { ask, hear, hearFailure, openWire, textOf } from "./talk.ts";

let server: Server | undefined;
afterEach(() => server?.close().closeAllConnections());

/** Requests by their connections: `1 1 2` are two on the first and one on the second. */
async function serve(say: (response: ServerResponse, request: IncomingMessage, count: number) => void) {
  const sockets: Socket[] = [];
  const seen: number[] = [];
  server = createServer((request, response) => {
    if (!sockets.includes(request.socket)) sockets.push(request.socket.on("error", () => {}));
    seen.push(sockets.indexOf(request.socket) + 1);
    say(response, request, seen.length);
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, seen: () => seen.join(" ") };
}
/** Hears an answer and waits until its connection is free again: what is behind its end is read in the background. */
async function hearAll(model: Model, text: string): Promise<string> {
  const keep = vi.spyOn(Agent.prototype, "keepSocketAlive");
  const isKept = new Promise<void>((resolve) => {
    keep.mockImplementation(function (this: Agent, socket) {
      keep.mockRestore();
      setImmediate(resolve);
      // Its declaration says it returns nothing; Node looks at what it returns.
      return this.keepSocketAlive(socket);
    });
  });
  const heard = textOf(await hear(model, ask(text)));
  await isKept;
  return heard;
}
const answer = (response: ServerResponse, request: IncomingMessage) =>
  void request.resume().on("end", () => response.writeHead(200, SSE).end(STREAMS.anthropic));

describe("A connection that was kept", () => {
  it("is used again by the next request.", async () => {
    const { url, seen } = await serve(answer);
    const model = openWire("anthropic", url);
    for (const text of ["one", "two", "three"]) expect(await hearAll(model, text)).toBe("Grüße");
    expect(seen()).toBe("1 1 1");
  });

  it.each([
    ["a short request", "two"],
    ["a request that is still being sent", "x".repeat(8_000_000)],
  ])("and is closed under %s is replaced once, and nobody notices.", async (_what, text) => {
    const { url, seen } = await serve((response, request, count) => (count === 2 ? request.socket.destroy() : answer(response, request)));
    const model = openWire("anthropic", url);
    await hearAll(model, "one");
    expect(textOf(await hear(model, ask(text)))).toBe("Grüße");
    expect(seen()).toBe("1 1 2");
  });

  it("is not replaced a second time: a server that closes every connection is told of.", async () => {
    const { url, seen } = await serve((response, request, count) => (count > 1 ? request.socket.destroy() : answer(response, request)));
    const model = openWire("anthropic", url);
    await hearAll(model, "one");
    expect((await hearFailure(model, ask("two"))).error.fault).toBe("unreachable");
    expect(seen()).toBe("1 1 2");
  });

  it("and is cut after an answer has begun is not asked again, because the answer may have been acted upon.", async () => {
    const { url, seen } = await serve((response, request, count) => {
      if (count === 1) answer(response, request);
      else response.writeHead(200, SSE).write(STREAMS.anthropic.slice(0, 400), () => request.socket.destroy());
    });
    const model = openWire("anthropic", url);
    await hearAll(model, "one");
    expect((await hearFailure(model, ask("two"))).error).toMatchObject({ name: "ModelError" });
    expect(seen()).toBe("1 1");
  });
});

it("A new connection that is closed without a word is not tried again here: the table of faults decides.", async () => {
  const { url, seen } = await serve((_response, request) => request.socket.destroy());
  expect((await hearFailure(openWire("anthropic", url))).error.fault).toBe("unreachable");
  expect(seen()).toBe("1");
});
