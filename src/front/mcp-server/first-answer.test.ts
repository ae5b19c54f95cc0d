import { PassThrough } from "node:stream";
import { InMemoryTransport, LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { version } from "../../files/version.ts";
import { answerFirst } from "./first-answer.ts";
import { GREETED_REVISIONS, INSTRUCTIONS } from "./greeting.ts";
import { equipOwnTexts } from "./own-texts.ts";
import { openMcpSession } from "./session.ts";

const initialize = (more: object = {}, params: object = {}) =>
  `${JSON.stringify({
    jsonrpc: "2.0",
    id: 7,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" }, ...params },
    ...more,
  })}\n`;

async function first(argv: readonly string[], said: string, end = false) {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  if (said !== "") stdin.write(said);
  if (end) stdin.end();
  const answered = await answerFirst(argv, version(), { stdin, stdout });
  return { answered, stdin, out: (stdout.read() as Buffer | null)?.toString() ?? "" };
}

describe("the first answer", () => {
  it("is word for word what the server answers, to every revision", async () => {
    expect(GREETED_REVISIONS).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
    expect(GREETED_REVISIONS[0]).toBe(LATEST_PROTOCOL_VERSION);
    for (const protocolVersion of [...GREETED_REVISIONS, "2026-07-28", "1999-01-01"]) {
      const said = initialize({}, { protocolVersion });
      const { out } = await first(["mcp"], said);
      const session = openMcpSession({
        open: () => Promise.reject(new Error("not asked")),
        instructions: INSTRUCTIONS,
        equip: equipOwnTexts,
        warn() {},
      });
      const [client, wire] = InMemoryTransport.createLinkedPair();
      const answer = new Promise((resolve) => {
        client.onmessage = resolve;
      });
      await session.server("legacy").connect(wire);
      await client.start();
      await client.send(JSON.parse(said));
      expect(JSON.parse(out)).toEqual(await answer);
      await session.close();
    }
  });

  it("leaves everything that was said where it was, also when the client has left already", async () => {
    for (const end of [false, true]) {
      const said = `${initialize()}${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n{"half`;
      const { answered, stdin } = await first(["mcp"], said, end);
      expect(answered).toEqual({ id: 7 });
      if (!end) stdin.end();
      let read = "";
      for await (const piece of stdin) read += piece;
      expect(read).toBe(said);
    }
  });

  it("is given to `zeph mcp` on pipes alone", async () => {
    for (const argv of [
      ["mcp"],
      ["--config", "mcp", "--set", "a=b", "--cwd=x", "mcp", "--later"],
      ["mcp", "--workspace", "/a", "--workspace=/b", "--asked-by-client"],
    ])
      expect([argv, (await first(argv, initialize())).answered]).toEqual([argv, { id: 7 }]);
    for (const argv of [["mcp", "list"], ["mcp", "--http"], ["mcp", "--bogus"], ["mcp", "--help"], ["--config", "mcp"], ["run", "mcp"], []])
      expect([argv, (await first(argv, initialize())).out]).toEqual([argv, ""]);
  });

  it("is not given to a person at a terminal", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.write(initialize());
    expect(await answerFirst(["mcp"], "1", { stdin, stdout: new PassThrough() })).toBeNull();
  });

  it("waits for nobody, and leaves whatever is unusual to the server", async () => {
    for (const said of [
      "",
      "garbage\n",
      '{"jsonrpc":"2.0","id":1',
      "[]\n",
      initialize({ id: null }),
      initialize({ id: 1.5 }),
      initialize({ method: "ping" }),
      initialize({ jsonrpc: "1.0" }),
      initialize({}, { protocolVersion: 3 }),
      initialize({}, { capabilities: "all" }),
      // The server refuses these, or may: it would have been said that they were taken.
      initialize({ extra: 1 }),
      initialize({}, { capabilities: { elicitation: {}, roots: [] } }),
      initialize({}, { capabilities: { roots: { listChanged: "yes" } } }),
      initialize({}, { clientInfo: { name: "x", version: "1", icons: 7 } }),
      initialize({}, { clientInfo: { name: "x" } }),
      initialize({}, { padding: "x".repeat(70_000) }),
    ])
      expect([said.slice(0, 80), await first(["mcp"], said).then(({ answered, out }) => [answered, out])]).toEqual([
        said.slice(0, 80),
        [null, ""],
      ]);
  });
});
