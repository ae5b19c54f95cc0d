import { describe, expect, it } from "vitest";
import type { Elicit } from "../../src/core/ports/elicitation.ts";
import type { Progress } from "../../src/core/tool.ts";
import { connectTo } from "../../src/mcp/client/connection/connection.ts";
import { openStore } from "../../src/store/open.ts";
import { bench, good, plainServe } from "./client-support.ts";

// Real programs on a machine that may be busy.
describe("a server that behaves", () => {
  it("is met, listed, offered under its name, and called", async () => {
    const { clients, names, call, warnings } = await bench([good()]);
    expect(clients.states()[0]).toMatchObject({
      name: "good",
      kind: "stdio",
      state: "connected",
      server: "good 1.2.3",
      protocol: "2026-07-28",
    });
    expect(names()).toEqual(["mcp__good__add", "mcp__good__blocks", "mcp__good__greet", "mcp__good__slow"]);
    const output = await call("mcp__good__add", { a: 2, b: 3 });
    expect(output.raw).toEqual({ sum: 5 });
    expect(JSON.parse(output.text)).toEqual({ sum: 5 });
    expect(warnings).toEqual([]);
  });

  it("speaks the newest revision alone", async () => {
    const { clients, call } = await bench([good({}, "modern only")]);
    expect(clients.states()[0]!.protocol).toBe("2026-07-28");
    expect((await call("mcp__good__add", { a: 1, b: 1 })).raw).toEqual({ sum: 2 });
  });

  it("is not started before its tools are called, once they were agreed to", async () => {
    const { pins, close } = openStore("memory");
    const first = await bench([good()], { pins });
    await first.clients.close();
    const { names, programs, call, clients } = await bench([good()], { pins });
    expect(names()).toContain("mcp__good__add");
    expect(programs.children).toHaveLength(0);
    expect(clients.states()[0]!.state).toBe("idle");
    expect((await call("mcp__good__add", { a: 1, b: 2 })).raw).toEqual({ sum: 3 });
    expect(programs.children).toHaveLength(1);
    await close();
  });

  it("tells from arguments that do not fit", async () => {
    const { failure } = await bench([good()]);
    expect(await failure("mcp__good__add", { a: "x", b: 1 })).toMatchObject({ category: "type_mismatch" });
    expect((await failure("mcp__good__add", { a: 1 })).message).toContain('"b" is missing');
    expect(await failure("mcp__good__add", { a: 1 })).toMatchObject({ category: "invalid_parameters" });
  });

  it("answers with blocks of all kinds, and bytes that are nothing reach nobody", async () => {
    const { call } = await bench([good()]);
    const { text, media } = await call("mcp__good__blocks");
    expect(media).toBeUndefined();
    expect(text.split("\n")).toEqual([
      "some text",
      "[image: image/png, 3 kB, not sent: it is not image/png, or is broken]",
      "[audio: audio/wav, 3 kB, not sent: it is not audio/wav, or is broken]",
      "a.txt <file:///a.txt> (text/plain)",
      "<file:///b.txt>",
      "inside b",
      "[resource <file:///c.bin>: application/octet-stream, 3 B, not shown]",
    ]);
  });

  it("tells how far it has come, and gets more time by it", async () => {
    const told: Progress[] = [];
    const { call } = await bench([good({ timeout_secs: 8 })]);
    expect((await call("mcp__good__slow", { ms: 1000 }, { tell: (progress) => told.push(progress) })).text).toBe("done");
    expect(told.length).toBeGreaterThan(2);
    expect(told[0]).toMatchObject({ done: 1, total: 10 });
  });

  it("is told when a call is cancelled", async () => {
    const { failure, programs } = await bench([good()]);
    const stop = new AbortController();
    let said = "";
    programs.children[0]!.stderr.on("data", (chunk) => {
      said += chunk;
    });
    const tell = () => stop.abort();
    expect(await failure("mcp__good__slow", { ms: 1000 }, { signal: stop.signal, tell })).toMatchObject({ category: "cancelled" });
    await expect.poll(() => said).toContain("cancelled");
  });

  it.each([{ legacy: false }, { legacy: true }])("asks the person in between ($legacy)", async ({ legacy }) => {
    const asked: unknown[] = [];
    const elicit: Elicit = async (question) => {
      asked.push(question);
      return { action: "accept", content: { name: "Ann" } };
    };
    const connection = await connectTo(good(), { serve: plainServe().serve, elicit, roots: [], warn: () => {}, legacy });
    expect(connection.protocol).toBe(legacy ? "2025-11-25" : "2026-07-28");
    expect(await connection.callTool("greet", {})).toMatchObject({ content: [{ text: "hello Ann" }] });
    expect(asked).toEqual([
      { kind: "form", from: "good", message: "Who are you?", fields: [{ name: "name", type: "text", required: true }] },
    ]);
    await connection.close();
  });

  it("tells at most ten times a second", async () => {
    const told: Progress[] = [];
    const { call } = await bench([good()]);
    const begun = performance.now();
    await call("mcp__good__slow", { ms: 20 }, { tell: (progress) => told.push(progress) });
    const most = Math.floor((performance.now() - begun) / 100) + 1;
    expect(told.length).toBeGreaterThan(0);
    expect(told.length).toBeLessThanOrEqual(most);
  });

  it("runs many calls at once in one process", async () => {
    const { call, programs } = await bench([good()]);
    const sums = await Promise.all(Array.from({ length: 50 }, (_, n) => call("mcp__good__add", { a: n, b: n })));
    expect(sums.map(({ raw }) => (raw as { sum: number }).sum)).toEqual(Array.from({ length: 50 }, (_, n) => 2 * n));
    expect(programs.children).toHaveLength(1);
  });

  it("comes and goes with its tools", async () => {
    const { clients, names, programs } = await bench([]);
    expect(await clients.add(good())).toMatchObject({ state: "connected" });
    expect(names()).toContain("mcp__good__add");
    await expect(clients.add(good({ name: "Good" }))).rejects.toThrow("already");
    expect(await clients.remove("good")).toBe(true);
    expect(names()).toEqual([]);
    expect(programs.alive()).toBe(0);
    expect(await clients.remove("good")).toBe(false);
  });

  it("shows only what the configuration lists", async () => {
    const { names, clients } = await bench([good({ tools: ["ad*", "slow"] })]);
    expect(names()).toEqual(["mcp__good__add", "mcp__good__slow"]);
    expect(clients.states()[0]!.tools.map(({ tool, state }) => `${tool} ${state}`)).toContain("blocks left out");
  });
});
