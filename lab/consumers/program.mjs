// What every consumer builds and runs: each entry of the package does something real.
import { createRuntime, defineTool } from "zeph";
import { govern as governAiSdk } from "zeph/ai-sdk";
import { openAudit, verifyAuditLog } from "zeph/audit";
import { toClaudeAgentTools } from "zeph/claude-agent-sdk";
import { filterOutput } from "zeph/filters";
import { toLangChainTools } from "zeph/langchain";
import { toMastraTools } from "zeph/mastra";
import { toOpenAiAgentsTools } from "zeph/openai-agents";
import { createPolicy } from "zeph/policy";
import { findWalls } from "zeph/sandbox";
import { redactSecrets } from "zeph/secrets";
import { understand } from "zeph/shell";
import { scriptModel } from "zeph/testing";
import { ToolError } from "zeph/tool";
import * as z from "zod";

/** Returns what went wrong; nothing when all is well. `folder` is empty. */
export async function tryZeph({ folder, join, writeFile }) {
  const wrong = [];
  const expect = (what, holds) => holds || wrong.push(what);
  const cwd = join(folder, "work");
  await writeFile(join(cwd, "a.txt"), "one two three\n");

  const count = defineTool({
    name: "count",
    description: "Counts words.",
    effect: "reads",
    input: z.strictObject({ path: z.string().describe("The file to count") }),
    touches: ({ path }) => [{ kind: "path", access: "read", path }],
    async run(permit, { host, signal }) {
      const { lines } = await host.files.lines(permit, permit.input.path, { offset: 1, limit: 10 }, signal);
      if (lines.length === 0) throw new ToolError("permanent_failure", "It is empty.");
      return { text: String(lines.join(" ").split(/\s+/).length) };
    },
  });
  const zeph = await createRuntime({
    cwd,
    store: "memory",
    config: {
      audit: { path: join(folder, "log", "audit.jsonl") },
      tools: { permissions: { bash: [{ pattern: "echo *", action: "allow" }] } },
    },
    toolsets: [{ id: "mine", list: () => [count] }],
  });
  const read = await zeph.call("read", { path: "a.txt" });
  expect(`read: ${JSON.stringify(read)}`, read.ok && read.output.text.includes("one two three"));
  const counted = await zeph.call(count, { path: "a.txt" });
  expect(`a tool of one's own: ${JSON.stringify(counted)}`, counted.ok && counted.output.text === "3");
  const found = await zeph.call("grep", { pattern: "two" });
  expect(`grep: ${JSON.stringify(found)}`, found.ok && found.output.text.includes("a.txt"));
  // Twice: the second one finds what the first has opened.
  for (const word of ["one", "two"]) {
    const ran = await zeph.call("bash", { command: `echo ${word}` });
    expect(`bash: ${JSON.stringify(ran)}`, ran.ok && ran.output.text === word);
  }
  const refused = await zeph.call("read", { path: "/etc/passwd" });
  expect("a refusal", !refused.ok && refused.decision.gate === "files");
  const told = zeph.tools().find(({ name }) => name === "count").parameters;
  expect(`a description: ${JSON.stringify(told)}`, told.properties.path.description === "The file to count");
  const [agentsTool] = toOpenAiAgentsTools(zeph, { only: ["read"] });
  const adapted = [
    await agentsTool.invoke({}, '{"path":"a.txt"}'),
    await toLangChainTools(zeph, { only: ["read"] })[0].invoke({ path: "a.txt" }),
    await toMastraTools(zeph).read.execute({ path: "a.txt" }),
  ];
  expect(
    `adapters: ${adapted.join()}`,
    adapted.every((text) => text.includes("one two three")),
  );
  expect("a server inside of the process", toClaudeAgentTools(zeph).mcpServers.zeph.type === "sdk");
  const governed = governAiSdk(zeph, { deploy: { execute: () => "deployed" } });
  expect("a governed tool", (await governed.deploy.execute({}, { toolCallId: "1" })).includes("confirmation_required"));
  await zeph.close();

  const raw = `${"same line\n".repeat(50)}ERROR: disk full\n`;
  expect("filters", filterOutput({ command: "./build.sh", raw, exitCode: 1 }).text.includes("ERROR: disk full"));
  expect("secrets", !redactSecrets("the word is sesame", { known: ["sesame"] }).includes("sesame"));
  expect(
    "shell",
    understand("rm -rf build").touches.some(({ kind }) => kind === "path"),
  );
  const policy = await createPolicy({ cwd, rules: [{ effect: "deny", tool: "bash", args_match: "push" }] });
  expect("policy", policy.judge("bash", { command: "git push" }).verdict === "deny");
  expect("sandbox", typeof (await findWalls({ cwd })).backend === "string");
  const path = join(folder, "own", "audit.jsonl");
  const log = await openAudit({ path });
  log.append({ kind: "call", ts: "2026-01-01T00:00:00.000Z" });
  await log.close();
  expect("audit", (await verifyAuditLog({ path }))[0].intact);
  expect("testing", scriptModel([]).id === "script");
  return wrong;
}
