// The yardstick: a loop with one tool, bash, as a small agent has it. The end of a long output is kept, and a file with all of it is named.
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

const USAGE = `usage: ANTHROPIC_BASE_URL=http://127.0.0.1:8917/v1 node lab/model/bare.mjs "<what to do>"

Works on a task in the current folder with one tool, bash. There are no walls: the commands run as you.`;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: "boolean" } } });
if (values.help || positionals.length !== 1) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const MOST_LINES = 2000;
const MOST_BYTES = 50_000;
const SYSTEM = `You are a coding assistant. You solve the user's task in a project by running commands: look around, read and change files, run tests.
- Use bash for everything (ls, grep, cat, sed, heredocs).
- Be brief, and name the files you speak of.
Current folder: ${process.cwd()}`;
const TOOLS = [
  {
    name: "bash",
    description: `Runs a bash command in the current folder and returns stdout and stderr. Of a long output the last ${MOST_LINES} lines or ${MOST_BYTES / 1000} kB are shown, and the file with all of it is named. The timeout in seconds is optional; without it there is none.`,
    input_schema: { type: "object", properties: { command: { type: "string" }, timeout: { type: "number" } }, required: ["command"] },
  },
];

const messages = [{ role: "user", content: positionals[0] }];
for (;;) {
  const { content } = await ask();
  messages.push({ role: "assistant", content });
  const calls = content.filter(({ type }) => type === "tool_use");
  for (const { text } of content.filter(({ type }) => type === "text")) console.log(text);
  if (calls.length === 0) break;
  const results = [];
  for (const { id, input } of calls) results.push({ type: "tool_result", tool_use_id: id, content: await runCommand(input) });
  messages.push({ role: "user", content: results });
}

async function ask() {
  const body = JSON.stringify({ model: "claude-sonnet-5-5", max_tokens: 8192, system: SYSTEM, tools: TOOLS, messages });
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return await response.json();
}

async function runCommand({ command, timeout }) {
  const child = spawn("bash", ["-c", command], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeout === undefined ? undefined : timeout * 1000,
  });
  const chunks = [];
  child.stdout.on("data", (chunk) => chunks.push(chunk));
  child.stderr.on("data", (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve) => child.on("close", resolve));
  const shown = endOf(Buffer.concat(chunks).toString());
  if (code === 0) return shown || "(no output)";
  return `${shown}\n\nexit code ${code}`;
}

function endOf(text) {
  let end = text.split("\n").slice(-MOST_LINES).join("\n");
  if (end.length > MOST_BYTES) end = end.slice(end.indexOf("\n", end.length - MOST_BYTES) + 1);
  if (end.length === text.length) return text;
  const file = path.join(mkdtempSync(path.join(tmpdir(), "bare-")), "output.txt");
  writeFileSync(file, text);
  return `${end}\n\n[the end of the output; all of it is in ${file}]`;
}
