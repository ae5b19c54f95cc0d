import { describe, expect, it } from "vitest";
import { mcpConfig } from "./config.ts";

const parsed = (...servers: object[]) => mcpConfig().safeParse({ servers });
const problems = (...servers: object[]) => parsed(...servers).error?.issues.map(({ message }) => message) ?? [];

describe("[[mcp.servers]]", () => {
  it("is careful where nothing is said", () => {
    expect(parsed({ name: "files", command: "server" }).data?.servers).toEqual([
      {
        name: "files",
        command: "server",
        args: [],
        env: {},
        headers: {},
        trust: "provisional",
        timeout_secs: 60,
        network: false,
        allow_read: [],
        allow_write: [],
        sampling: false,
      },
    ]);
    expect(mcpConfig().parse(undefined)).toMatchObject({
      servers: [],
      sampling: { max_requests: 20, max_tokens: 100_000, max_answer_tokens: 4096, timeout_secs: 120 },
    });
  });

  it.each(["a", "github", "my-files_2", "A1"])("takes the name %s", (name) => expect(problems({ name, command: "x" })).toEqual([]));
  it.each(["", "a__b", "a b", "-a", "a_", "a/b", "ä", "x".repeat(33)])("refuses the name %j", (name) =>
    expect(problems({ name, command: "x" })).not.toEqual([]),
  );

  it.each([
    [{ name: "a" }, "give either command or url"],
    [{ name: "a", command: "x", url: "https://a.example/mcp" }, "give either command or url"],
    [{ name: "a", url: "https://a.example/mcp", args: ["x"] }, "args and env are for a command; a url takes headers"],
    [{ name: "a", url: "https://a.example/mcp", env: { X: "1" } }, "args and env are for a command; a url takes headers"],
    [{ name: "a", command: "x", headers: { X: "1" } }, "headers are for a url; a command takes args and env"],
    [{ name: "a", command: "x", client_id: "me" }, "client_id is for a url"],
    [{ name: "a", url: "https://a.example/mcp", client_secret: "s" }, "client_secret needs a client_id"],
  ])("refuses %j", (server, message) => expect(problems(server)).toContain(message));

  it.each([
    { name: "a", url: "file:///etc/passwd" },
    { name: "a", url: "javascript:alert(1)" },
    { name: "a", url: "no address" },
    { name: "a", command: "x", trust: "full" },
    { name: "a", command: "x", timeout_secs: 0 },
    { name: "a", command: "x", unknown: 1 },
  ])("refuses %j", (server) => expect(problems(server)).not.toEqual([]));

  it("has each name once, in whatever letters", () =>
    expect(problems({ name: "a", command: "x" }, { name: "A", command: "y" })).toContain('two servers are named "a"'));
});
