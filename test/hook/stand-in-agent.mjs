// An agent that is small enough to read: it speaks Anthropic's messages, has one tool, and asks its hooks as Claude Code does.
// node stand-in-agent.mjs <settings> <words…>; STAND_IN_LOG gets a line for each start. Words of its own: `--deaf` asks no hook, `--stuck` never ends.
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [log, how, version, ...words] = process.argv.slice(2);
appendFileSync(log, `${JSON.stringify({ pid: process.pid, words, cwd: process.cwd(), env: process.env })}\n`);
if (words[0] === "--version") {
  console.log(`${version} (Stand-in)`);
  process.exit(0);
}
if (how === "stuck") setInterval(() => {}, 1000);
else await work();

async function work() {
  const { hooks } = JSON.parse(readFileSync(join(process.env.HOME, ".claude/settings.json"), "utf8"));
  const lines = hooks.PreToolUse.flatMap((one) => one.hooks).map(({ command }) => command);
  const messages = [{ role: "user", content: words[words.indexOf("-p") + 1] }];
  const tools = [{ name: "Bash", input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } }];
  for (;;) {
    const answer = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
      method: "POST",
      body: JSON.stringify({ model: "m", tools, messages }),
    });
    const { content } = await answer.json();
    messages.push({ role: "assistant", content });
    const call = content.find(({ type }) => type === "tool_use");
    if (!call) return;
    messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: made(call, lines) }] });
  }
}

function made({ id, input }, lines) {
  let { command } = input;
  for (const line of how === "deaf" ? [] : lines) {
    const about = {
      session_id: "s",
      transcript_path: "/x",
      cwd: process.cwd(),
      permission_mode: "bypassPermissions",
      hook_event_name: "PreToolUse",
    };
    const asked = JSON.stringify({ ...about, tool_name: "Bash", tool_input: input, tool_use_id: id });
    const { status, stdout, stderr } = spawnSync("/bin/sh", ["-c", line], { input: asked, encoding: "utf8" });
    if (status === 2) return stderr;
    const said = status === 0 && stdout.trim() ? JSON.parse(stdout).hookSpecificOutput : {};
    if (said.permissionDecision === "deny") return said.permissionDecisionReason;
    command = said.updatedInput?.command ?? command;
  }
  const { stdout, stderr } = spawnSync("/bin/sh", ["-c", command], { encoding: "utf8" });
  return `${stdout}${stderr}` || "(nothing)";
}
