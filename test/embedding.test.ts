import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const source = (name: string) => readFileSync(join(root, name), "utf8");
const parts = source("docs/embedding.md").split(/^(##+ .*)$/m);
const section = (title: string): string => parts[parts.indexOf(title) + 1] ?? "";
const [course, options, agent, events] = ["## The course", "## createAgent", "## Agent", "## Events"].map(section);

/** The code words of the first column, without what is in brackets. */
const listed = (table: string) =>
  [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`(\w+)/g)].map(([, name]) => name!)).sort();

const members = (file: string, name: string) => {
  const [, body] = new RegExp(`export interface ${name}\\b[^{]*\\{([\\s\\S]*?)\\n\\}`).exec(source(file))!;
  return [...body!.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member]) => member!);
};

test("docs/embedding.md lists every example", () => {
  const examples = readdirSync(join(root, "examples")).filter((name) => name.endsWith(".mjs"));
  expect([...course!.matchAll(/\.\.\/examples\/([\w-]+\.mjs)/g)].map(([, name]) => name)).toEqual(examples.sort());
});

test("docs/embedding.md lists every option of createAgent, and nothing else", () => {
  expect(listed(options!)).toEqual(
    [...members("src/runtime/agent/agent-types.ts", "AgentOptions"), ...members("src/runtime/runtime.ts", "RuntimeOptions")].sort(),
  );
});

test("docs/embedding.md lists every member of an agent, and nothing else", () => {
  expect(listed(agent!)).toEqual(members("src/runtime/agent/agent-types.ts", "Agent").sort());
});

test("docs/embedding.md lists every event, and nothing else", () => {
  const [, union] = source("src/core/event.ts").split("export type ZephEvent =");
  expect(listed(events!)).toEqual([...union!.matchAll(/type: "(\w+)"/g)].map(([, type]) => type!).sort());
});
