import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { expect, it } from "vitest";
import { INNER_RING, OUTER_RING } from "../src/runtime/path.ts";
import { findConditions, REASONS } from "./skip-reasons.ts";
import { findNamedTools, KNOW_TOOLS, toolNames } from "./tool-names.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => `src/${name}`);

it("no module builds a zod object while it is read, for it would be built at every start", () => {
  const early = sources.filter((file) => buildsSchema(readFileSync(join(root, file), "utf8")));
  expect(early).toEqual([]);
  const zod = 'import * as z from "zod";\n';
  for (const text of ["const a = z.string();", "export const a = { b: [z.int()] };", "f(1, z.int());"])
    expect(buildsSchema(zod + text)).toBe(true);
  for (const text of ["const a = () => z.string();", "type A = z.output<B>;", "f({ b() { z.int(); } });"])
    expect(buildsSchema(zod + text)).toBe(false);
});

/** Whether a text uses zod outside of functions. */
function buildsSchema(text: string): boolean {
  if (!/^import \* as z from "zod"/m.test(text)) return false;
  let found = false;
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const { type = "", object } = node as { readonly type?: string; readonly object?: { readonly name?: string } };
    if (/Function|^TS|^Import/.test(type)) return;
    if (type === "MemberExpression" && object?.name === "z") found = true;
    Object.values(node).forEach(walk);
  };
  walk(parseSync("x.ts", text).program.body);
  return found;
}

it("every module that a benchmark imports is there, with the names it wants", () => {
  const imports = readdirSync(join(root, "bench"))
    .filter((name) => name.endsWith(".mjs"))
    .flatMap((name) => [
      ...readFileSync(join(root, "bench", name), "utf8").matchAll(/import \{([^}]*)\} from "\.\.\/dist\/modules\/([\w/-]+)\.js"/g),
    ])
    .map(([, names, module]) => ({ file: `src/${module}.ts`, names: names!.split(",").map((name) => name.trim().split(" ")[0]!) }));
  expect(imports.length).toBeGreaterThan(5);
  const missing = imports.flatMap(({ file, names }) => {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : "";
    return names.filter((name) => name !== "" && !new RegExp(`^export .*\\b${name}\\b`, "m").test(text)).map((name) => `${file}: ${name}`);
  });
  expect(missing).toEqual([]);
});

it("the picture in ARCHITECTURE.md shows the layers of both rings in their order", () => {
  const picture = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split("```")[1]!;
  const [outer, inner] = picture.split("DOOR").map((half) => [...half.matchAll(/┌ (\w+)/g)].map(([, name]) => name));
  expect(outer).toEqual([...OUTER_RING, "parse"]);
  expect(inner).toEqual([...INNER_RING, "execute"]);
});

it("ARCHITECTURE.md fits on a page", () => {
  const words = readFileSync(join(root, "ARCHITECTURE.md"), "utf8").split(/\s+/).length;
  expect(words).toBeLessThan(2_500);
});

it("every file that ARCHITECTURE.md and CONTRIBUTING.md name is there", () => {
  const named = ["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((page) =>
    [...readFileSync(join(root, page), "utf8").matchAll(/`((?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|md|toml))`/g)].map(([, file]) => file!),
  );
  const missing = named.filter((file) => !isInvented(file) && !existsSync(join(root, file)) && !existsSync(join(root, "src", file)));
  expect(missing).toEqual([]);
  expect(named.length).toBeGreaterThan(20);
});

/** The recipes name files that test/recipes.long.test.ts writes into a copy. */
const isInvented = (file: string): boolean =>
  readdirSync(join(root, "test/recipes")).some((recipe) => existsSync(join(root, "test/recipes", recipe, `${file}.txt`)));

it("outside of tools/ a tool's name is compared to no literal: what a tool is, the tool says itself", () => {
  const texts = sources.map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
  const names = toolNames(texts);
  expect(names.size).toBeGreaterThan(20);
  const naming = texts.filter((one) => !one.file.startsWith("src/tools/") && findNamedTools(one, names).length > 0).map(({ file }) => file);
  expect(naming.sort()).toEqual(Object.keys(KNOW_TOOLS).sort());
  const text = 'if (call.tool.name === "bash" || name.startsWith("mcp__")) ["read", "write"].includes(tool); touch.access === "read";';
  expect(findNamedTools({ file: "x.ts", text }, names)).toEqual(['call.tool.name === "bash"', '"mcp__"', '["read", "write"]']);
});

it("every condition under which a test is skipped has a reason that is printed", () => {
  const tests = ["src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts") && !name.includes("node_modules"))
      .map((name) => `${folder}/${name}`),
  );
  const unexplained = tests
    .filter((file) => file !== "test/layout.test.ts")
    .flatMap((file) =>
      findConditions(readFileSync(join(root, file), "utf8")).flatMap(({ line, parts }) =>
        parts.filter((part) => REASONS[part] === undefined).map((part) => `${file}:${line} ${part}`),
      ),
    );
  expect(unexplained).toEqual([]);
  expect(findConditions('it.skipIf(!a && has("x"))("n", () => {})')).toEqual([{ line: 1, parts: ["a", 'has("x")'] }]);
});

it("every limit of time has a clock that keeps it alive: Node forgets an AbortSignal.timeout that was joined with another signal", () => {
  const users = sources.filter((file) => /\bAbortSignal\.timeout\(/.test(readFileSync(join(root, file), "utf8")));
  expect(users).toEqual([]);
});
