import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
import { HABITS, habitLines } from "./client-own-tools.ts";
import { CLIENTS, snippetFor } from "./snippets.ts";

describe.each(CLIENTS)("%s", (client) => {
  const { stdio, http } = snippetFor(client, { workspace: "/a folder/it's", url: "http://127.0.0.1:1/mcp", token: "secret-token" });

  it("is given what it can read", () => {
    for (const text of [stdio, http]) {
      if (text?.startsWith("{")) expect(() => JSON.parse(text)).not.toThrow();
      if (client === "codex") expect(parse(text!)).toHaveProperty("mcp_servers.zeph");
    }
  });

  it("is told the command and the folder, or the address and the token", () => {
    expect(stdio).toContain("zeph");
    expect(stdio).toMatch(/a folder\/it('|'\\'')s/);
    if (http === null) return;
    expect(http).toContain("http://127.0.0.1:1/mcp");
    expect(http).toMatch(/Bearer secret-token|ZEPH_MCP_TOKEN/);
  });
});

it.each(CLIENTS)("%s was tried in the version that the real clients are tested in, or in none", (client) => {
  const pinned = readFileSync(join(import.meta.dirname, "../../../lab/neighbours/clients.mjs"), "utf8");
  const name = client === "claude-code" ? "claude" : client;
  const { tried, off } = HABITS[client];
  expect(tried).toBe(new RegExp(`^ {2}${name}: .* version: "([0-9.]+)"`, "m").exec(pinned)?.[1] ?? null);
  if (tried !== null) expect(off).not.toBeNull();
});

it("docs/mcp-server.md shows all of them", () => {
  const file = join(import.meta.dirname, "../../../docs/mcp-server.md");
  const parts = CLIENTS.map((client) => {
    const { client: name, file: where, stdio, http } = snippetFor(client);
    const { off } = HABITS[client];
    const [tried, asks, own] = habitLines(client, name);
    const block = (text: string) => `\`\`\`${languageOf(text)}\n${text}\n\`\`\`\n`;
    const over = http === null ? "" : `\nOver HTTP:\n\n${block(http)}`;
    const ownTools = off === null ? "" : `\n${block(off.text)}`;
    return `### ${name}\n\n${tried} \`zeph mcp snippet ${client}\`, for ${where}:\n\n${block(stdio)}${over}\n${asks}\n\n${own}\n${ownTools}\n`;
  });
  const made = readFileSync(file, "utf8").replace(
    /(<!-- snippets -->\n)[\s\S]*?(<!-- end -->)/,
    (_, start, end) => `${start}${parts.join("")}${end}`,
  );
  if (process.env.UPDATE) writeFileSync(file, made);
  expect(readFileSync(file, "utf8")).toBe(made);
});

const languageOf = (text: string): string => {
  if (text.startsWith("{")) return "json";
  if (/^(?:# .*\n)?\[/.test(text)) return "toml";
  return text.startsWith("extensions:") ? "yaml" : "sh";
};
