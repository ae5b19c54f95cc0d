import { expect, it } from "vitest";
import type { ToolSpec } from "../core/ports/model.ts";
import { NEVER } from "../core/tool.ts";
import { createCatalogue, type Occasion } from "./catalogue.ts";
import { tafcConfig, toolFilterConfig } from "./config.ts";
import { createWordRanking } from "./word-ranking.ts";

const OWN = ["read", "bash", "search_tools"];
const spec = (name: string): ToolSpec => ({ name, description: `Deals with all matters of ${name} there are.`, parameters: {} });
const brought = (count: number) => Array.from({ length: count }, (_, n) => spec(`mcp__shop__sell_${n}`));

function open(list: ToolSpec[], filter: object = {}) {
  const catalogue = createCatalogue({
    tools: () => list,
    isOwn: (tool) => OWN.includes(tool),
    filter: toolFilterConfig().parse(filter),
    tafc: tafcConfig().parse({}),
    ranking: createWordRanking(),
    dependencies: null,
    warn: () => {},
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
