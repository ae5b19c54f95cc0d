// A program as a compiler sees it: with every TypeScript, every way to resolve modules and every zod 4 it has to be clean.
import { ConfigError, type ConfigInput, createAgent, createRuntime, defineTool, type Outcome, type Tool, type Touch } from "zeph";
import { openAudit } from "zeph/audit";
import { filterOutput } from "zeph/filters";
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
    return { text: permit.input.path.trim() + permit.input.most.toFixed() };
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
}

export async function use(): Promise<Outcome[]> {
  await using zeph = await createRuntime({ config, toolsets: [toolset], confirm: ({ tool }) => (tool === "bash" ? "no" : "once") });
  await using agent = await createAgent({ model: scriptModel([]) });
  for await (const event of agent.send("hello")) if (event.type === "text") event.text.trim();
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
