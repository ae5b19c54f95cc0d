import { createServer } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { ServedProgram } from "../../src/core/ports/served.ts";
import { openCommandEgress } from "../../src/host/egress/command-egress.ts";
import type { ConnectionEnd } from "../../src/host/egress/connection.ts";
import { sandboxConfig } from "../../src/host/sandbox/config.ts";
import { openServedPrograms } from "../../src/host/serving/served-programs.ts";
import { createStartProgram } from "../../src/host/serving/walls.ts";
import { mcpConfig } from "../../src/mcp/config.ts";
import { available, who } from "../sandbox/support.ts";
import { listening, PUBLIC } from "./stand-in.ts";

let port = 0;
const server = createServer((_, response) => response.end("a page\n"));
beforeAll(async () => {
  port = await listening(server);
});
afterAll(() => void server.close());

/** What a program prints that may reach these names. */
async function printed(script: string, network: ServedProgram["network"]) {
  const me = who("root");
  const lines: ConnectionEnd[] = [];
  const programs = openServedPrograms(
    createStartProgram({
      sandbox: sandboxConfig().parse({}),
      setting: { cwd: me.workspace(), home: me.home, own: [], keys: [], allowedPaths: [], env: process.env },
      openNames: (allow) =>
        openCommandEgress({
          rules: () => ({ allow, deny: ["denied.example"] }),
          ask: null,
          registries: async () => [],
          audit: (line) => void lines.push(line),
          wires: { lookup: async () => [PUBLIC], dial: () => connect({ port, host: "127.0.0.1", allowHalfOpen: true }) },
          home: me.home,
          workspaces: () => [],
        }),
    }),
  );
  onTestFinished(async () => {
    await programs.close();
    me.remove();
  });
  const served = await programs.serve({ argv: ["/bin/bash", "--norc", "-c", script], env: {}, network });
  let text = "";
  served.onOutput = (chunk) => {
    text += Buffer.from(chunk).toString("utf8");
  };
  await served.ended;
  return { text, lines };
}

describe.runIf(available)("A program that is served with a list of names", () => {
  it("reaches these, and is refused every other one without a question", async () => {
    const wishes = ["a.example", "b.a.example", "c.example", "denied.example"].map((name) => `curl -sS http://${name}/; echo`);
    const { text, lines } = await printed(wishes.join(";"), ["a.example", "*.a.example", "denied.example"]);
    expect(text.match(/a page|Closed by Zeph: [^.]+\.example/g)).toEqual([
      "a page",
      "a page",
      "Closed by Zeph: c.example",
      "Closed by Zeph: denied.example",
    ]);
    expect(lines.map(({ host, verdict }) => [host, verdict])).toEqual([
      ["a.example", "ok"],
      ["b.a.example", "ok"],
      ["c.example", "refused"],
      ["denied.example", "refused"],
    ]);
  });

  it("has no proxy and no network with none", async () => {
    expect((await printed("env | grep -ci proxy; curl -sS http://a.example/ 2>&1", "closed")).text).toMatch(/^0\n.*Could not resolve/s);
  });
});

describe("network of an MCP server", () => {
  const parsed = (network: unknown) => mcpConfig().safeParse({ servers: [{ name: "a", command: "x", network }] }).success;
  it.each([true, false, ["a.example"], ["*.a.example", "@registries"]])("may be %j", (network) => {
    expect(parsed(network)).toBe(true);
  });
  it.each([[[]], [["localhost"]], [["127.0.0.1"]], [["https://a.example"]], ["a.example"], [["*"]], [["a.example:80"]]])(
    "may not be %j",
    (network) => {
      expect(parsed(network)).toBe(false);
    },
  );
});
