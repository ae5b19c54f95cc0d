// The least a loop can be: no gates, no audit, no sandbox, no limits. A bound, not a rival.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { rgPath } from "@vscode/ripgrep";

const run = promisify(execFile);
const tools = {
  read: async ({ path, offset, limit }) =>
    (await readFile(path, "utf8"))
      .split("\n")
      .slice(offset - 1, offset - 1 + limit)
      .join("\n"),
  grep: async ({ pattern, path }) => (await run(rgPath, ["-n", pattern, path]).catch((error) => error)).stdout,
  bash: async ({ command }) => (await run("bash", ["-c", command]).catch((error) => error)).stdout,
};
const messages = [{ role: "user", content: "go" }];
for (;;) {
  const response = await fetch(`${process.argv[2]}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-pid": String(process.pid) },
    body: JSON.stringify({ model: "m", max_tokens: 1000, stream: true, messages }),
  });
  const events = (await response.text())
    .split("\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)));
  const use = events.find((one) => one.content_block?.type === "tool_use")?.content_block;
  if (!use) break;
  use.input = JSON.parse(
    events
      .filter((one) => one.delta?.partial_json)
      .map((one) => one.delta.partial_json)
      .join(""),
  );
  messages.push({ role: "assistant", content: [use] });
  messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: use.id, content: await tools[use.name](use.input) }] });
}
