import { describe, expect, it } from "vitest";
import type { ClientName } from "./client.ts";
import { HOOK_CLIENTS } from "./find-client.ts";

const judged = (client: ClientName, tool: string, args: Readonly<Record<string, unknown>>) =>
  HOOK_CLIENTS[client].tools[tool]!.judged(args);
const look = (path: string, pattern: string) => ({ tool: "find_path", args: { path, pattern } });
const grep = (args: object) => ({ tool: "grep", args: { pattern: "x", ...args } });
const fetch = (url: string) => ({ tool: "fetch", args: { url } });

describe("What a client's tool is judged as", () => {
  it.each<[ClientName, string, Record<string, unknown>, readonly object[]]>([
    ["gemini", "list_directory", {}, [{ tool: "list_directory", args: { path: "." } }]],
    ["gemini", "list_directory", { dir_path: "/etc" }, [{ tool: "list_directory", args: { path: "/etc" } }]],
    ["claude", "Glob", { pattern: "**/*.ts" }, [look(".", "**/*.ts")]],
    ["claude", "Glob", { pattern: "*.ts", path: "src" }, [look("src", "*.ts")]],
    ["claude", "Glob", { pattern: "../../.ssh/*", path: "src" }, [look("../.ssh", "../../.ssh/*")]],
    ["claude", "Glob", { pattern: "/etc/pass*", path: "src" }, [look("/etc", "/etc/pass*")]],
    ["claude", "Glob", { pattern: "/*", path: "src" }, [look("/", "/*")]],
    ["claude", "Glob", { pattern: "/etc/passwd" }, [look("/etc", "/etc/passwd")]],
    ["copilot", "glob", { pattern: "*", paths: ["a", "b"] }, [look("a", "*"), look("b", "*")]],
    ["copilot", "grep", { pattern: "x", paths: ["a", "/b"] }, [grep({ path: "a" }), grep({ path: "/b" })]],
    ["copilot", "rg", { pattern: "x", paths: "/b" }, [grep({ path: "/b" })]],
    ["copilot", "rg", { pattern: "x" }, [grep({})]],
    ["opencode", "webfetch", { url: "https://a.test/x" }, [fetch("https://a.test/x")]],
    [
      "gemini",
      "web_fetch",
      { prompt: "compare https://a.test/x and (http://b.test), then https://a.test/x" },
      [fetch("https://a.test/x"), fetch("http://b.test")],
    ],
    [
      "claude",
      "MultiEdit",
      {
        file_path: "a",
        edits: [
          { old_string: "1", new_string: "2", replace_all: true },
          { old_string: "3", new_string: "4" },
        ],
      },
      [
        { tool: "edit", args: { path: "a", old_string: "1", new_string: "2" } },
        { tool: "edit", args: { path: "a", old_string: "3", new_string: "4" } },
      ],
    ],
  ])("%s %s %j", (client, tool, args, calls) => expect(judged(client, tool, args)).toEqual({ calls }));

  it.each<[ClientName, string, Record<string, unknown>]>([
    ["copilot", "grep", { pattern: "x", paths: [] }],
    ["copilot", "grep", { pattern: "x", paths: ["a", 1] }],
    ["copilot", "glob", { pattern: "x", paths: { a: 1 } }],
    ["gemini", "web_fetch", { prompt: "ftp://a.test" }],
    ["gemini", "web_fetch", { prompt: Array.from({ length: 21 }, (_, n) => `https://${n}.test`).join(" ") }],
    ["claude", "MultiEdit", { file_path: "a", edits: [] }],
    ["claude", "MultiEdit", { file_path: "a", edits: [{ new_string: "2" }] }],
    ["claude", "MultiEdit", { file_path: "a", edits: [{ old_string: "1", new_string: 2 }] }],
  ])("%s %s %j is odd, and no call is made of it", (client, tool, args) =>
    expect(judged(client, tool, args)).toEqual({ calls: [], odd: expect.any(String) }),
  );
});
