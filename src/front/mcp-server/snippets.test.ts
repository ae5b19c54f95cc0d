import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";
import { describe, expect, it } from "vitest";
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

it("docs/mcp-server.md shows all of them", () => {
  const file = join(import.meta.dirname, "../../../docs/mcp-server.md");
  const parts = CLIENTS.map((client) => {
    const { client: name, file: where, stdio, http } = snippetFor(client);
    const block = (text: string) =>
      `\`\`\`${text.startsWith("{") ? "json" : text.includes("[mcp_servers") ? "toml" : client === "goose" ? "yaml" : "sh"}\n${text}\n\`\`\`\n`;
    return `### ${name}\n\n\`zeph mcp snippet ${client}\`, for ${where}:\n\n${block(stdio)}${http === null ? "" : `\nOver HTTP:\n\n${block(http)}`}\n`;
  });
  const made = readFileSync(file, "utf8").replace(
    /(<!-- snippets -->\n)[\s\S]*?(<!-- end -->)/,
    (_, start, end) => `${start}${parts.join("")}${end}`,
  );
  if (process.env.UPDATE) writeFileSync(file, made);
  expect(readFileSync(file, "utf8")).toBe(made);
});
