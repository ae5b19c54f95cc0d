import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { box } from "../e2e/zeph.ts";

const CLIENTS = ["claude-code", "codex", "gemini", "qwen", "opencode", "copilot", "claude-desktop", "cursor", "vscode", "zed", "goose"];
const GOLDEN = join(import.meta.dirname, "golden", "snippets.txt");

it("`zeph mcp snippet` prints for each client what to write where, and what was tried", async () => {
  const { run } = box();
  let shown = "";
  for (const client of CLIENTS)
    for (const words of [[], ["--http"], ["--own-tools-off"], ["--asked-by-client", "--workspace", "/a folder"]]) {
      const { code, stdout, stderr } = await run(["mcp", "snippet", client, ...words]);
      shown += `$ zeph mcp snippet ${[client, ...words].join(" ")} → ${code}\n--- stdout\n${stdout}--- stderr\n${stderr}\n`;
    }
  if (process.env.UPDATE) writeFileSync(GOLDEN, shown);
  expect(shown).toBe(readFileSync(GOLDEN, "utf8"));
});

it("`zeph mcp snippet` says which clients there are, and what does not go together", async () => {
  const { run } = box();
  for (const [words, said] of [
    [[], /Say for which client: claude-code, codex, .*copilot/],
    [["cdex"], /There is no snippet for "cdex"\. Did you mean "?codex"?\?/],
    [["codex", "--http", "--asked-by-client"], /zeph mcp --http --asked-by-client/],
    [["cursor", "--own-tools-off"], /No setting is known here/],
  ] as const) {
    const { code, stdout, stderr } = await run(["mcp", "snippet", ...words]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.replace(/\s+/g, " ")).toMatch(said);
  }
});
