import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, expect, it } from "vitest";
import * as z from "zod";
import { createRuntime, defineTool } from "../src/index.ts";
import { agentIn, all, modelSaying, says } from "./talking.ts";
import { workspace } from "./workspace.ts";

const place = workspace([]);
afterAll(place.remove);

const rate = defineTool({
  name: "rate",
  description: "Say how good it was.",
  effect: "reads",
  input: z.strictObject({ stars: z.int().min(1).max(5), day: z.string().regex(/^\d{4}-\d\d-\d\d$/) }),
  touches: () => [],
  run: async () => ({ text: "thanks" }),
});
const toolsets = [{ id: "mine", list: () => [rate] }];

it("The first request stays below 7 kB, with 1,500 tokens of system text and tools at most.", async () => {
  const model = modelSaying([says("Hello.")]);
  const agent = await agentIn(place, model);
  await all(agent.send("go"));
  await agent.close();
  const { system, tools, messages } = model.given[0]!;
  const request = JSON.stringify({
    model: "a-model-with-a-name",
    max_tokens: 32_000,
    stream: true,
    tools: tools.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    system,
    messages,
  });
  expect(tools.map(({ name }) => name)).toEqual(
    "bash background read write edit grep find_path list_directory read_overflow search_tools".split(" "),
  );
  expect(Buffer.byteLength(request)).toBeLessThan(7000);
  expect(countTokens(system) + countTokens(JSON.stringify(JSON.parse(request).tools))).toBeLessThanOrEqual(1500);
});

it("Own tools show no limits that refusals name, and a program's tools keep theirs.", async () => {
  const zeph = await createRuntime({
    cwd: place.work,
    store: "memory",
    config: { audit: { path: `${place.state}/audit.jsonl` } },
    toolsets,
  });
  const shown = new Map(zeph.tools().map(({ name, parameters }) => [name, JSON.stringify(parameters)]));
  expect(shown.get("rate")).toContain('"minimum":1,"maximum":5');
  expect(shown.get("rate")).toContain('"pattern"');
  shown.delete("rate");
  for (const [name, schema] of shown)
    expect(schema, name).not.toMatch(/"(?:m(?:in|ax)(?:imum|Length)|exclusiveM\w+|pattern)":[\d"]|additionalProperties/);
  const refusals = await Promise.all([
    zeph.call("bash", { command: "ls", timeout: 9999 }),
    zeph.call("grep", { pattern: "x", context: 21 }),
    zeph.call("read", { path: "a", offset: -1 }),
    zeph.callAny("read", { path: "a", ofset: 1 }),
    zeph.call("web_scrape", { url: "https://a.example/", select: "a", extract: "all" }),
  ]);
  expect(refusals.map((outcome) => (outcome.ok ? "" : outcome.error.message))).toEqual([
    expect.stringContaining("at most 600"),
    expect.stringContaining("at most 20"),
    expect.stringContaining("at least 1"),
    expect.stringContaining('"ofset" is not an argument'),
    expect.stringMatching(/text.*html.*attr:/),
  ]);
  await zeph.close();
});
