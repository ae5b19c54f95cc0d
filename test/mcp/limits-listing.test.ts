import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../../src/mcp/client/trust/definitions.ts";
import { bench, serverConfig } from "./client-support.ts";

// Real programs on a machine that may be busy.
const server = (mode: string, more: Record<string, unknown> = {}) =>
  serverConfig({
    name: "big",
    command: process.execPath,
    args: [fileURLToPath(new URL("./limits-server.mjs", import.meta.url)), mode],
    timeout_secs: 30,
    ...more,
  });

describe("what is listed", () => {
  it("is counted however deep it is, and what is too much is left out", async () => {
    const { names, warnings, clients, programs } = await bench([server("lists without end")]);
    expect(names()).toEqual([]);
    expect(warnings.join()).toContain("larger than 10 MB");
    expect(clients.states()[0]).toMatchObject({
      state: "connected",
      tools: expect.arrayContaining([expect.objectContaining({ tool: "t1", state: "refused" })]),
    });
    expect(clients.states()[0]!.tools.length).toBeLessThan(6);
    expect(programs.alive()).toBe(1);
  });

  it("and would be costly to check is refused, and the others are there at once", async () => {
    const begun = performance.now();
    const { names, clients } = await bench([server("costs much")]);
    expect(performance.now() - begun).toBeLessThan(30_000);
    expect(names()).toEqual(["mcp__big__cheap"]);
    expect(clients.states()[0]!.tools).toMatchObject([
      { tool: "cheap", state: "offered" },
      { tool: "costly", state: "refused", why: expect.stringContaining("has a list of more than") },
    ]);
  });

  it("and is too large is refused with a word, and not kept", async () => {
    const { names, clients, warnings } = await bench([server("says too much")]);
    expect(names()).toEqual(["mcp__big__cheap"]);
    expect(clients.states()[0]!.tools).toMatchObject([
      { tool: "cheap", state: "offered" },
      { tool: "wordy", state: "refused", why: "its description is larger than 64 kB" },
      { tool: "padded", state: "refused", why: "its definition is larger than 256 kB" },
    ]);
    expect(warnings.join("\n")).toContain('The tool "wordy" of the MCP server "big" is refused: its description is larger than 64 kB.');
    expect(clients.drift("big").map(({ tool }) => tool)).toEqual([]);
  });

  it("and makes no sense is found out when it is called: nothing is sent, and it is no longer offered", async () => {
    const { names, failure, clients } = await bench([server("makes no sense")]);
    expect(names()).toEqual(["mcp__big__cheap", "mcp__big__senseless"]);
    expect(await failure("mcp__big__senseless", { a: 1 })).toMatchObject({
      category: "permanent_failure",
      message: expect.stringContaining("was not called: its inputSchema cannot be used"),
    });
    expect(names()).toEqual(["mcp__big__cheap"]);
    expect(clients.states()[0]!.tools).toMatchObject([
      { tool: "cheap" },
      { tool: "dangling", state: "refused", why: expect.stringContaining("not there") },
      { tool: "senseless", state: "refused" },
      { tool: "untyped", state: "refused", why: expect.stringContaining("not a JSON Schema") },
    ]);
  });

  it("and answers by a schema that is costly is not held against it", async () => {
    const { call } = await bench([server("answers by a costly schema")]);
    const begun = performance.now();
    expect((await call("mcp__big__tell")).text).not.toContain("not as the server's schema says");
    expect(performance.now() - begun).toBeLessThan(15_000);
  });

  it.each(["sum\u200b", "\u2063sum", "su\u202em", "sum ", "su\nm", "su\u0007m", "a  b"])(
    "under a name that is not what it looks like is refused: %j",
    (name) => {
      const { known, broken } = definitionsOf([{ name, inputSchema: { type: "object" } }]);
      expect([...known.keys()]).toEqual([]);
      expect(broken).toMatchObject([{ why: expect.stringContaining("in its name") }]);
    },
  );

  it("with a number that cannot be written down is refused, so that no two look alike", () => {
    const { known, broken } = definitionsOf([JSON.parse('{"name":"a","x":{"y":[1e400]}}'), JSON.parse('{"name":"b","x":{"y":[null]}}')]);
    expect([...known.keys()]).toEqual(["b"]);
    expect(broken).toMatchObject([{ tool: "a", why: expect.stringContaining("number") }]);
  });
});

describe("what a server is given in confidence", () => {
  it("does not come back in its answers, and other values do", async () => {
    const env = {
      API_TOKEN: "tk-12345",
      FOLDER: "/srv/project",
      MODE: "production",
      OTHER: "ghp_0123456789abcdefABCDEF",
      DB: "postgres://me:pass-word@db/x",
    };
    const { call } = await bench([server("tells secrets", { env })]);
    const { text, raw } = await call("mcp__big__tell");
    for (const told of [text, JSON.stringify(raw)]) {
      expect(told).toContain("API_TOKEN is ***");
      expect(told).toContain("FOLDER is /srv/project");
      expect(told).toContain("MODE is production");
      for (const secret of [env.API_TOKEN, env.OTHER, env.DB]) expect(told).not.toContain(secret);
    }
  });
});
