import { describe, expect, it } from "vitest";
import type { ToolSpec } from "../core/ports/model.ts";
import { NEVER } from "../core/tool.ts";
import { createCatalogue, type Occasion } from "./catalogue.ts";
import { tafcConfig, toolFilterConfig } from "./config.ts";
import { createWordRanking } from "./word-ranking.ts";

const OWN = ["read", "bash", "search_tools"];
const spec = (name: string): ToolSpec => ({ name, description: `Deals with all matters of ${name} there are.`, parameters: {} });
const brought = (count: number) => Array.from({ length: count }, (_, n) => spec(`mcp__shop__sell_${n}`));

function open(list: ToolSpec[], filter: object = {}, more: { start?: string[]; isNeeded?: (tool: string) => boolean } = {}) {
  const catalogue = createCatalogue({
    tools: () => list,
    isOwn: (tool) => OWN.includes(tool),
    filter: toolFilterConfig().parse(filter),
    tafc: tafcConfig().parse({}),
    ranking: createWordRanking(),
    dependencies: null,
    warn: () => {},
    ...more,
  });
  const say = (more: Partial<Occasion> = {}) =>
    catalogue.forTurn({ query: "sell the shoes", conversation: "c", model: {}, ...more }, NEVER);
  const names = () => catalogue.tools().map(({ name }) => name);
  return { catalogue, say, names, why: (name: string) => catalogue.reasons().get(name) };
}
const list = (count: number) => [...OWN.map(spec), ...brought(count)];

it("Up to thirty tools are all offered without a word about a filter, and more are chosen from.", async () => {
  const few = open(list(28));
  await few.say();
  expect(few.names()).toHaveLength(30);
  expect(few.names()).not.toContain("search_tools");
  const many = open(list(29));
  await many.say();
  expect(many.names()).toHaveLength(13);
  expect(many.names().slice(0, 3)).toEqual(OWN);
  expect(many.why("bash")).toEqual({ offered: true, because: "own" });
  expect(many.why("mcp__shop__sell_28")).toEqual({ offered: false, because: "rank" });
});

it("With false all of many tools are offered, and with true own tools have to fit as well.", async () => {
  const all = open(list(264), { enabled: false });
  await all.say();
  expect(all.names()).toHaveLength(266);
  const strict = open(list(264), { enabled: true });
  await strict.say();
  expect(strict.names()).not.toContain("bash");
});

it("Tools that were called in a conversation are offered when it is gone on with.", async () => {
  const { say, why } = open(list(40));
  await say({ used: () => ["mcp__shop__sell_39", "mcp__gone__tool"] });
  expect(why("mcp__shop__sell_39")).toEqual({ offered: true, because: "used" });
  expect(why("mcp__shop__sell_38")).toEqual({ offered: false, because: "rank" });
});

it("Many tools that come during a turn are found by searching until the next turn chooses, and what was offered stays.", async () => {
  const tools = list(5);
  const { say, names, catalogue } = open(tools);
  await say();
  expect(names()).toHaveLength(7);
  tools.push(...brought(264).slice(5));
  expect(names()).toEqual(["read", "bash", ...brought(5).map(({ name }) => name), "search_tools"]);
  await catalogue.search("mcp__shop__sell_200", 1, NEVER);
  expect(names().at(-1)).toBe("mcp__shop__sell_200");
  await say();
  expect(names().slice(0, 9)).toEqual(["read", "bash", ...brought(5).map(({ name }) => name), "search_tools", "mcp__shop__sell_200"]);
  expect(names().length).toBeLessThan(30);
});

it("A model without tool use of its own is offered all of them.", async () => {
  const { say, names } = open(list(40));
  await say({ model: { fenced: true } });
  expect(names()).toHaveLength(42);
});

describe("own tools of which some are shown at the beginning", () => {
  const own = ["bash", "read"];
  const start = ["read", "search_tools"];

  it("come in the order of the list, those of others behind them, and the rest when it is asked for, at the end", async () => {
    const { say, names, why, catalogue } = open([...list(2)].reverse(), {}, { start });
    await say();
    expect(names()).toEqual(["read", "search_tools", "mcp__shop__sell_1", "mcp__shop__sell_0"]);
    expect(catalogue.later()).toEqual(["bash"]);
    expect(why("bash")).toEqual({ offered: false, because: "later" });
    catalogue.askedFor("allowed-tools: Bash(git:*), Read");
    expect(names().at(-1)).toBe("bash");
    expect(catalogue.later()).toEqual([]);
    expect(names().slice(0, 4)).toEqual(["read", "search_tools", "mcp__shop__sell_1", "mcp__shop__sell_0"]);
  });

  it("are shown as soon as a part of Zeph needs them, or when the filter always shows them", async () => {
    const needed = open([...own.map(spec), spec("search_tools")], {}, { start, isNeeded: (tool) => tool === "bash" });
    await needed.say();
    expect(needed.names()).toEqual(["read", "bash"]);
    const filtered = open(
      [...own.map(spec), spec("search_tools"), ...brought(3)],
      { enabled: true, always_on: ["bash"], top_k: 1 },
      { start },
    );
    await filtered.say();
    expect(filtered.names()).toContain("bash");
    expect(filtered.names()).toHaveLength(3);
  });

  it("are not counted among many tools as long as nobody asked for them", async () => {
    const few = open([...OWN.map(spec), ...brought(28)], {}, { start });
    await few.say();
    expect(few.names()).toHaveLength(30);
  });

  it("are all shown to a model without tool use of its own", async () => {
    const { say, names } = open(list(2), {}, { start });
    await say({ model: { fenced: true } });
    expect(names()).toEqual(["read", "bash", "mcp__shop__sell_0", "mcp__shop__sell_1"]);
  });
});
