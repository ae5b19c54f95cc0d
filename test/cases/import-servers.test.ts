import { describe, expect, it } from "vitest";
import { importAll, type Scope, settingsOf } from "./import-samples.ts";

const imported = (servers: object, scope: Scope = "own") => {
  const plan = importAll([{ kind: "servers", text: JSON.stringify({ mcpServers: servers }), scope }]);
  const { mcp } = settingsOf(plan) as { mcp?: { servers: object[] } };
  return { servers: mcp?.servers ?? [], text: plan.text, entries: plan.files[0]!.entries };
};

describe("A server of another agent", () => {
  it("is written with its variables as ours", () => {
    const { servers } = imported({ db: { command: "db", args: ["--root", "${PWD}"], env: { URL: "${env:DB}", L: "${LEVEL:-info}" } } });
    expect(servers).toEqual([{ name: "db", command: "db", args: ["--root", "${WORKSPACE}"], env: { URL: "${DB}", L: "info" } }]);
  });
  it.each([
    [{ command: "x", env: { API_TOKEN: "abc123def456" } }, "abc123def456", "${API_TOKEN}"],
    [{ command: "x", env: { PLAIN: `ghp_${"aZ9kQ2mX7pL4vR8tB1nC6wY3sD5fG0hJ2kE4"}` } }, "ghp_", "${PLAIN}"],
    [{ url: "https://a.example/mcp", headers: { Authorization: "Bearer abcdef" } }, "abcdef", "Bearer ${S_TOKEN}"],
    [{ url: "https://a.example/mcp", headers: { "X-Api-Key": "abcdef" } }, "abcdef", "${S_X_API_KEY}"],
    [{ command: "x", env: { API_KEY: "${OTHER:-fallback-value}" } }, "fallback-value", "${API_KEY}"],
  ])("is written without its secret: %j", (server, secret, name) => {
    const { text, entries } = imported({ s: server });
    expect(text).not.toContain(secret);
    expect(text).toContain(name);
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(entries[0]!.fate).toMatchObject({ list: "changed", why: expect.stringContaining("is not written") });
  });
  it.each([
    [{ command: "x", args: ["--api-key", "abcdef123"] }, "a secret stands in its arguments"],
    [{ command: "x", args: ["--token=abcdef123"] }, "a secret stands in its arguments"],
    [{ url: "https://a.example/?api_key=abcdef" }, "a secret stands in its address"],
    [{ url: "https://u:p@a.example/" }, "a secret stands in its address"],
    [{ command: "x", args: ["${FILE}"] }, "an argument holds a variable"],
    [{ args: ["x"] }, "neither a command nor an address"],
    [{ command: "x", disabled: true }, "switched off"],
    ["x", "it is no server"],
  ])("is not taken: %j", (server, why) => {
    const { servers, entries } = imported({ s: server });
    expect(servers).toEqual([]);
    expect(entries[0]!.fate).toMatchObject({ list: "not taken", why: expect.stringContaining(why) });
  });
  it("is trusted by nobody because its file says so", () => {
    const { text, entries } = imported({ s: { command: "x", trust: true, autoApprove: ["a"] } });
    expect(text).not.toContain("trust");
    expect(entries.map(({ written, fate }) => [written, fate.list])).toEqual([
      ["the server s", "taken"],
      ["mcpServers.s.trust", "not taken"],
      ["mcpServers.s.autoApprove", "not taken"],
    ]);
  });
  it.each([
    ["npx", ["-y", "p"]],
    ["/usr/bin/npm", ["exec", "p"]],
    ["uvx", ["p"]],
  ])("has its package fetched before it starts, as zeph mcp add does, and that is told: %s", (command, args) => {
    const { servers, entries } = imported({ s: { command, args } });
    expect(servers).toEqual([{ name: "s", command, args, network: "install" }]);
    expect(entries[0]!.fate).toMatchObject({ list: "changed", why: expect.stringContaining('network = "install"') });
  });
  it("is given no network where it fetches nothing", () => {
    for (const [command, args] of [
      ["npm", ["start"]],
      ["docker", ["run", "x"]],
    ] as const)
      expect(imported({ s: { command, args } }).servers).toEqual([{ name: "s", command, args }]);
  });
  it("loses tools that its file leaves out", () => {
    expect(imported({ s: { command: "x", excludeTools: ["drop"] } }).text).toMatch(
      /\[tools\.scoped\]\n(?:enabled = true\n)?denied_tools = \[\n {2}"mcp__s__drop", # from/,
    );
  });
  it("of a stranger's project is not taken", () => {
    const { servers, entries } = imported({ s: { command: "x" } }, "stranger");
    expect([servers, entries[0]!.fate.list]).toEqual([[], "not taken"]);
  });
  it("does not replace one of yours", () => {
    const mine = '[[mcp.servers]]\nname = "S"\ncommand = "mine"\n';
    const plan = importAll([{ kind: "servers", text: '{"mcpServers":{"s":{"command":"x"}}}' }], mine);
    expect(plan.text).toBe(mine);
    expect(plan.files[0]!.entries[0]!.fate).toMatchObject({ list: "not taken", why: "there is a server of this name already" });
  });
});
