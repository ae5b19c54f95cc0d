// Puts the rule files into a module, so that nothing has to be found and read at run time. The build calls it, and vitest before the tests.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../src/filters/rules/", import.meta.url);
const target = new URL("../src/filters/built-in.ts", import.meta.url);

export function setup() {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith(".toml"))
    .sort();
  const entries = files.map(
    (file) => `  { file: ${JSON.stringify(file)}, text: ${JSON.stringify(readFileSync(new URL(file, folder), "utf8"))} },`,
  );
  const text = `// Made by scripts/rules.mjs from rules/*.toml.\nexport const BUILT_IN: readonly { readonly file: string; readonly text: string }[] = [\n${entries.join("\n")}\n];\n`;
  if (current() !== text) writeFileSync(target, text);
}

function current() {
  try {
    return readFileSync(target, "utf8");
  } catch {
    return null;
  }
}
