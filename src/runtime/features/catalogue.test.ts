import { expect, it } from "vitest";
import { createDependencies } from "../../catalog/dependencies.ts";
import { parseConfig } from "../../config/load.ts";
import type { Embedder } from "../../core/ports/embedder.ts";
import { NEVER } from "../../core/tool.ts";
import { cataloguePart } from "./catalogue.ts";

const NAMES = ["search_tools", "issue", "mail", "weather", "deploy", "build", "memory_save"];
const TOOLS = NAMES.map((name) => ({
  name,
  description: `Deals with all matters of ${name} there are.`,
  parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
}));

function open(settings: object, embedder: Embedder | null = null, tools = TOOLS) {
  const config = parseConfig(settings);
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const { dependencies } = config.tools;
  const part = cataloguePart({
    config,
    embedder: async () => embedder,
    tools: () => tools,
    dependencies: dependencies.enabled
      ? createDependencies({ config: dependencies, alwaysOn: new Set(config.agent.tool_filter.always_on), tools: () => NAMES, warn })
      : null,
    warn,
  });
  const say = (query: string) => part.catalogue.forTurn({ query, conversation: "c", model: {} }, NEVER);
  return { ...part, say, warnings };
}

it("has nothing to say when everything is off", async () => {
  const { status, say, tools } = open({});
  await say("hello");
  expect(await status!()).toEqual({});
  expect(tools!.map(({ name }) => name)).toEqual(["search_tools"]);
});

it("tells how tools are chosen, how many, and which wait for what", async () => {
  const { status, say } = open({
    agent: { tool_filter: { enabled: true, top_k: 2 } },
    tools: {
      tafc: { enabled: true, complexity_threshold: 0.1 },
      dependencies: { enabled: true, rules: { deploy: { requires: ["build"] } } },
    },
  });
  expect(await status!()).toEqual({
    Filter: "top_k=2, always_on=5, embeddings=none",
    TAFC: "complexity_threshold=0.1, 7 tools",
    Dependencies: "1 rule, 0 tools done",
  });
  await say("matters of deploying, and of an issue");
  expect(await status!()).toEqual({
    Filter: "top_k=2, always_on=5, embeddings=none",
    TAFC: "complexity_threshold=0.1, 7 tools",
    Dependencies: "1 rule, 0 tools done",
    Offered: "5 (always_on 2, named 1, rank 1, required 1)",
    "Not offered": "2 (rank 1, requires 1)",
    "  deploy": "requires build",
  });
});

it("tells ten of those that wait, and how many more there are", async () => {
  const many = Array.from({ length: 15 }, (_, n) => ({ ...TOOLS[0]!, name: `t${n}` }));
  const rules = Object.fromEntries(many.map(({ name }) => [name, { requires: ["build"] }]));
  const { status, say } = open({ tools: { dependencies: { enabled: true, rules } } }, null, [...TOOLS, ...many]);
  await say("hello");
  const lines = Object.entries(await status!()).filter(([name]) => name.startsWith("  "));
  expect(lines).toHaveLength(11);
  expect(lines.at(-1)![1]).toMatch(/and \d+ more/);
});

it("ranks by meaning where it is told to, and says by whose", async () => {
  const settings = { agent: { tool_filter: { enabled: true, top_k: 1, ranking: "embeddings" } } };
  const embedder: Embedder = {
    id: "test/e",
    embed: async (texts) => texts.map((text) => Float32Array.from(/sunny|weather/.test(text) ? [1, 0] : [0, 1])),
  };
  const good = open(settings, embedder);
  await good.say("will it be sunny");
  expect(good.catalogue.tools().map(({ name }) => name)).toContain("weather");
  expect((await good.status!()).Filter).toBe("top_k=1, always_on=5, embeddings=test/e");
  const none = open(settings);
  await none.say("will it be sunny");
  expect(none.warnings).toEqual([expect.stringContaining("embedding_model")]);
  expect((await none.status!()).Filter).toBe("top_k=1, always_on=5, embeddings=none");
});
