import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { configJsonSchema, configMarkdown } from "../src/config/document.ts";

const root = join(import.meta.dirname, "..");

/** What is generated and kept in the repository. `UPDATE=1 npx vitest run test/docs.test.ts` rewrites it. */
function kept(name: string, text: string): string {
  const file = join(root, name);
  if (process.env.UPDATE) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return readFileSync(file, "utf8");
}

test("docs/config.md is what the schema says", () => {
  expect(kept("docs/config.md", configMarkdown())).toBe(configMarkdown());
});

test("config.schema.json is what the schema says", () => {
  // Short lists on one line, as the formatter wants them; the layout is not compared.
  const text = JSON.stringify(configJsonSchema(), null, 2).replace(
    /\[\s+([^[\]{}]+?)\s+\]/g,
    (_, list: string) => `[${list.replace(/\s+/g, " ")}]`,
  );
  expect(JSON.parse(kept("config.schema.json", `${text}\n`))).toEqual(JSON.parse(text));
});
