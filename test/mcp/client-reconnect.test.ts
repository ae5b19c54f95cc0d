import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { stopClock } from "../stopped-clock.ts";
import { httpServer, listening, olderHandler, said } from "./client-http-support.ts";
import { bench, diary, hostile } from "./client-support.ts";

// Real programs on a machine that may be busy.
const ECHO = "mcp__bad__echo";
const hello = { text: "hello" };

/** Tools that were agreed to, of a server that has since broken. */
async function agreed(name: string) {
  const store = openStore("memory");
  const server = hostile("fine");
  await (await bench([server], { pins: store.pins })).clients.close();
  const [old] = await store.pins.servers();
  const broken = hostile(name);
  // The same program with another argument is somebody else; what was agreed to is carried over by hand.
  const { serverIdentity } = await import("../../src/mcp/client/trust/definitions.ts");
  await store.pins.put(serverIdentity(broken), await store.pins.of(old!));
  return bench([broken], { pins: store.pins });
}

describe("reconnecting", () => {
  it("a server that was killed between two calls is started again, and nobody notices", async () => {
    const book = diary();
    const { call, programs, clients } = await bench([hostile("fine", { file: book.file })]);
    await call(ECHO, hello);
    programs.children[0]!.kill("SIGKILL");
    await expect.poll(() => clients.states()[0]!.state).toBe("waiting");
    expect(clients.states()[0]!.why).toContain("SIGKILL");
    expect((await call(ECHO, hello)).text).toBe("you said hello");
    expect(clients.states()[0]!.state).toBe("connected");
    expect(book.count("start")).toBe(2);
    expect(programs.alive()).toBe(1);
  });

  it("one that does not start: a clear error, and the next call waits before it tries again", async () => {
    stopClock();
    const { failure, clients, programs } = await agreed("exits at once");
    const error = await failure(ECHO, hello);
    expect(error).toMatchObject({ category: "network_error", message: expect.stringContaining("not carried out") });
    expect(clients.states()[0]!.state).toBe("failed");
    const begun = performance.now();
    const before = programs.children.length;
    const next = failure(ECHO, hello);
    // It waits by a timer, which cannot end before a look at every turn of the event loop has seen it.
    while (clients.states()[0]!.state !== "waiting") await new Promise(setImmediate);
    expect(programs.children).toHaveLength(before);
    await next;
    expect(performance.now() - begun).toBeGreaterThan(400);
    expect(programs.children.length).toBeGreaterThan(before);
  });

  it("waiting can be cancelled, and the person need not wait", async () => {
    stopClock();
    const { failure, clients, programs } = await agreed("exits at once");
    await failure(ECHO, hello);
    const stop = new AbortController();
    const waiting = failure(ECHO, hello, { signal: stop.signal });
    stop.abort();
    expect(await waiting).toMatchObject({ category: "cancelled" });
    const before = programs.children.length;
    await clients.connect("bad");
    expect(programs.children.length).toBeGreaterThan(before);
  });

  it("closing while it connects leaves nothing behind", async () => {
    const { clients, programs, failure } = await agreed("hangs on initialize");
    const call = failure(ECHO, hello);
    await expect.poll(() => programs.alive()).toBe(1);
    await clients.close();
    await expect.poll(() => programs.alive()).toBe(0);
    await call;
  });

  it("a session that is forgotten while many calls are under way costs none of them", async () => {
    const handle = olderHandler((id, _request, response) =>
      setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(said(id, "there")), 20),
    );
    const { url, seen } = await listening(handle);
    const { call } = await bench([httpServer(url)]);
    handle.session = "two";
    const outputs = await Promise.all(Array.from({ length: 10 }, () => call("mcp__far__echo", hello)));
    expect(outputs.every(({ text }) => text === "there")).toBe(true);
    expect(seen.filter(({ text }) => text.includes('"initialize"'))).toHaveLength(2);
  });
});

it("nothing of the protocol is read before there is somebody to talk to", () => {
  const folder = new URL("../../src/mcp/client/", import.meta.url);
  const files = readdirSync(folder).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  expect(files).toContain("clients.ts");
  for (const file of files) {
    const eager = readFileSync(new URL(file, folder), "utf8").match(
      /^import (?!type)[^;]* from "(?:@modelcontextprotocol|ajv|re2js)[^"]*"/gm,
    );
    expect(eager, file).toBeNull();
  }
});
