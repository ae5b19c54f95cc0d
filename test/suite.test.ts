import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { importsOf } from "../scripts/import-graph.mjs";
import { projectOf, takesPart } from "./projects.ts";
import { findConditions, REASONS } from "./skip-reasons.ts";

const FILES = ["src", "test"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
    .map((name) => join(folder, name)),
);
/** Not this file, which has examples of what is refused. */
const TESTS = FILES.filter((name) => (name.endsWith(".test.ts") || name.startsWith("test/")) && !name.endsWith("/suite.test.ts"));

describe("the tests themselves", () => {
  it("say why they are skipped", () => {
    const unexplained = TESTS.flatMap((file) =>
      findConditions(readFileSync(file, "utf8")).flatMap(({ line, parts }) =>
        parts.filter((part) => REASONS[part] === undefined).map((part) => `${file}:${line} ${part}`),
      ),
    );
    expect(unexplained).toEqual([]);
  });

  it("set no time limit of their own: those of vitest.config.ts are for all, and a busy machine needs them", () => {
    const limits = TESTS.flatMap((file) => limitsIn(file, readFileSync(file, "utf8")).map((limit) => `${file}: ${limit}`));
    expect(limits).toEqual([]);
  });

  it("are looked at by rules that find what they look for", () => {
    expect(findConditions('it.skipIf(!a && has("x"))("n", () => {})')).toEqual([{ line: 1, parts: ["a", 'has("x")'] }]);
    const planted = [
      'it("x", { timeout: 20_000 }, f)',
      "vi.setConfig({ testTimeout: 5000 })",
      'it.each([1])("x", () => {}, 20_000);',
      'describe("x", () => {\n  beforeAll(\n    async () => {},\n    10_000,\n  );\n});',
      'test.skipIf(a)("x", f, LIMIT * 2)',
    ];
    expect(planted.map((text) => limitsIn("x.ts", text).length)).toEqual([1, 1, 1, 1, 1]);
    expect(limitsIn("x.ts", 'it("x", { concurrent: true }, f);\nsetTimeout(f, 5000);\nit("y", f);\nit("z", cases[0]);')).toEqual([]);
  });
});

describe("a test file belongs to the project", () => {
  const imports = new Map([
    ["src/plain.ts", ["zod"]],
    ["src/starts.ts", ["node:child_process"]],
    ["src/lazy.ts", ["src/starts.ts"]],
    ["test/peers/peers.ts", ["node:fs"]],
    ["test/a.test.ts", ["vitest", "node:fs", "src/plain.ts"]],
    ["test/b.test.ts", ["src/plain.ts", "src/lazy.ts"]],
    ["test/c.test.ts", ["undici"]],
    ["test/d.test.ts", ["src/lazy.ts", "test/peers/peers.ts"]],
    ["test/stress/e.test.ts", ["src/plain.ts"]],
  ]);

  it.each([
    ["test/a.test.ts", "unit", "loads nothing that starts a process or a server"],
    ["test/b.test.ts", "process", "reaches such a module through others"],
    ["test/c.test.ts", "process", "talks to servers"],
    ["test/d.test.ts", "peers", "needs other people's programs"],
    ["test/stress/e.test.ts", "stress", "lies in the folder"],
  ])("%s: %s, because it %s", (file, project) => {
    expect(projectOf(file, imports)).toBe(project);
  });

  it("and is left to stress, with every example, where others take a part", () => {
    const law = [
      "test/property/gates.test.ts",
      "test/shell/properties.test.ts",
      "src/x.property.test.ts",
      "src/filters/secrets/secrets.test.ts",
    ];
    expect(law.filter((file) => !takesPart(file, ""))).toEqual([]);
    expect(["test/door.test.ts", "src/filters/secrets/custom-patterns.test.ts"].filter((file) => takesPart(file, ""))).toEqual([]);
    expect(takesPart("test/door.test.ts", "it.each(shareOf(CASES))")).toBe(true);
  });

  it("by imports of every form, but not by types", () => {
    const text = [
      'import "./side.ts";',
      'import type { T } from "./type.ts";',
      'import {\n  a,\n  b,\n} from "./several.ts";',
      'export { c } from "../handed-on.ts";',
      'export * from "./all.ts";',
      'const late = await import("./late.ts");',
      'import fs, { type Stats } from "node:fs";',
    ].join("\n");
    const found = ["src/x/side.ts", "src/x/several.ts", "src/handed-on.ts", "src/x/all.ts", "node:fs", "src/x/late.ts"];
    expect(importsOf("src/x/y.ts", text)).toEqual(found);
  });

  it("unit only if it starts no process at run time either", async () => {
    const { spawnSync } = await import("node:child_process" as string);
    expect(() => spawnSync("true")).toThrow(/starts no process/);
  });
});

/** Time limits that a test, a group or a hook is given. */
function limitsIn(file: string, text: string): string[] {
  const found: string[] = [];
  const source = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
  const visit = (node: any): void => {
    if (Array.isArray(node)) for (const child of node) visit(child);
    if (typeof node?.type !== "string") return;
    if (node.type === "CallExpression") {
      const given = /^(?:it|test|describe|(?:before|after)(?:All|Each))\b/.test(source(node.callee)) ? node.arguments.slice(1) : [];
      found.push(...given.filter((argument: any) => isLimit(argument)).map(source));
      if (source(node.callee) === "vi.setConfig") found.push(source(node));
    }
    for (const child of Object.values(node)) if (typeof child === "object") visit(child);
  };
  visit(parseSync(file, text, { lang: "ts" }).program);
  return found;
}

/** A number, a sum, a constant in capitals, or options with a limit. */
const isLimit = (node: any): boolean =>
  (node.type === "Literal" && typeof node.value === "number") ||
  node.type === "BinaryExpression" ||
  (node.type === "Identifier" && /^[A-Z_]+$/.test(node.name)) ||
  (node.type === "ObjectExpression" && node.properties.some(({ key }: any) => key?.name === "timeout"));
