// A program as a compiler sees it: with every TypeScript, every way to resolve modules and every zod 4 it has to be clean.
import { ConfigError, type ConfigInput, createAgent, createRuntime, defineTool, type Outcome, type Tool, type Touch } from "zeph";
import { openAudit } from "zeph/audit";
import { govern as governClaude } from "zeph/claude-agent-sdk";
import { filterOutput } from "zeph/filters";
import { govern as governGraph, toLangChainTools } from "zeph/langchain";
import { govern as governMastra } from "zeph/mastra";
import { govern, toOpenAiAgentsTools } from "zeph/openai-agents";
import { createPolicy } from "zeph/policy";
import { runWalled } from "zeph/sandbox";
import { redactSecrets } from "zeph/secrets";
import { understand } from "zeph/shell";
import { describeModel, scriptModel } from "zeph/testing";
import { defineTool as defineAlone, type Toolset } from "zeph/tool";
import * as z from "zod";

const count = defineTool({
  name: "count",
  description: "Counts.",
  effect: "reads",
  input: z.strictObject({ path: z.string().describe("The file"), most: z.number().int().default(3) }),
  touches: ({ path, most }): readonly Touch[] => [{ kind: "path", access: "read", path: path.slice(0, most.valueOf()) }],
  async run(permit, { signal }) {
    signal.throwIfAborted();
    if (permit.input.most === 0) return { text: "" };
    return { text: permit.input.path.trim() + permit.input.most.toFixed(), raw: { words: permit.input.most } };
  },
});
const alone: Tool = defineAlone({
  name: "a",
  description: "",
  effect: "reads",
  input: z.object({}),
  touches: () => [],
  run: async () => ({ text: "" }),
});
const toolset: Toolset = { id: "mine", list: () => [count, alone] };
const config: ConfigInput = { autonomy: "supervised", tools: { permissions: { bash: [{ pattern: "git *", action: "allow" }] } } };

declare module "zeph" {
  interface ToolInputs {
    named: { readonly word: string };
  }
  interface ToolResults {
    named: { readonly letters: number };
  }
}

export async function use(): Promise<Outcome[]> {
  await using zeph = await createRuntime({ config, toolsets: [toolset], confirm: ({ tool }) => (tool === "bash" ? "no" : "once") });
  await using agent = await createAgent({ model: scriptModel([]) });
  for await (const event of agent.send("hello")) if (event.type === "text") event.text.trim();
  const ran = await zeph.call("bash", { command: "true" });
  ran.output?.raw?.stdout?.trim();
  const found = await zeph.call("grep", { pattern: "a" });
  if (found.ok) found.output.raw?.map(({ path, line }) => `${path.trim()}:${line.toFixed()}`);
  // @ts-expect-error a match has no such field
  if (found.ok) found.output.raw?.map(({ pth }) => pth);
  const text = await zeph.call("read", { path: "a" });
  // @ts-expect-error it has only a text
  text.output?.raw?.lines;
  (await zeph.call(count, { path: "a" })).output?.raw?.words.toFixed();
  // @ts-expect-error the tool returns no such field
  (await zeph.call(count, { path: "a" })).output?.raw?.word;
  (await zeph.call("named", { word: "a" })).output?.raw?.letters.toFixed();
  (await zeph.as({ id: "a" }).call("find_path", { path: ".", pattern: "*" })).output?.raw?.map((path) => path.trim());
  (await zeph.dryRun("true")).output?.raw?.changes.map(({ kind }) => kind.trim());
  // @ts-expect-error of a tool that is named at run time nothing is known
  (await zeph.callAny("grep", {})).output?.raw?.length;
  // @ts-expect-error there is no such tool
  await zeph.call("raed", { path: "a" });
  // @ts-expect-error there is no such argument
  await zeph.call("read", { pth: "a" });
  // @ts-expect-error it takes a path
  await zeph.call(count, {});
  // @ts-expect-error there is no such setting
  await createRuntime({ config: { tols: {} } });
  // @ts-expect-error there is no such option
  await createRuntime({ confrim: () => "no" });
  // @ts-expect-error the effect is required: rules derive from it
  defineTool({ name: "b", description: "", input: z.object({}), touches: () => [], run: async () => ({ text: "" }) });
  govern(zeph, toOpenAiAgentsTools(zeph.as({ id: "a" })))[0]!.name.trim();
  governGraph(zeph.as({ id: "a" }), { session: "s" }).name.trim();
  governMastra(zeph, { deploy: { execute: async () => 1 } })
    .deploy.execute()
    .then((one) => one.toFixed());
  governClaude(zeph).hooks.PreToolUse.map(({ timeout }) => timeout.toFixed());
  toLangChainTools(zeph, { only: ["read"] }).map(({ name }) => name.trim());
  // @ts-expect-error there is no such option
  governGraph(zeph, { sesion: "s" });
  return [
    await zeph.call("read", { path: "a" }),
    await zeph.call("named", { word: "a" }),
    await zeph.call(count, { path: "a" }),
    await zeph.callAny("mcp__files__read", { anything: 1 }),
  ];
}

export const parts = [
  () => openAudit({ path: "a" }),
  () => filterOutput({ command: "ls", raw: "", exitCode: 0, filters: { enabled: false } }).text,
  () => createPolicy({ rules: [{ effect: "deny", tool: "bash" }] }),
  () => runWalled("true", { network: "closed" }),
  () => redactSecrets("x"),
  () => understand("ls").touches,
  () => describeModel({ describe: () => {}, it: () => {} }, "x", { open: () => scriptModel([]) }),
  () => new ConfigError([]).problems,
];
