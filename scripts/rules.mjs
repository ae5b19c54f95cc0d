// Puts the rule files and the tables of test runners into a module, so that nothing has to be found and read at run time. The build calls it, and
// vitest before the tests.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { parse } from "smol-toml";

const folder = new URL("../src/filters/rules/", import.meta.url);
const target = new URL("../src/filters/built-in.ts", import.meta.url);

/** Rows that several runners share. */
const FRAMES = "frames.toml";

export function setup() {
  const entries = tomlIn(folder).map(({ file, text }) => `  { file: ${JSON.stringify(file)}, text: ${JSON.stringify(text)} },`);
  const files = tomlIn(new URL("runners/", folder));
  const shared = parse(files.find(({ file }) => file === FRAMES).text).rows;
  const runners = files.filter(({ file }) => file !== FRAMES);
  const tables = runners.map(({ file, text }) => [file.replace(".toml", ""), runnerIn(file, text, shared)]);
  const place = ({ reads }) => ["first", undefined, "last"].indexOf(reads);
  tables.sort(([, a], [, b]) => place(a) - place(b) || Number(a.alone ?? false) - Number(b.alone ?? false));
  const text = [
    "// Made by scripts/rules.mjs from rules/*.toml and rules/runners/*.toml.",
    'import type { RunnerTable } from "./runners/runner-table.ts";',
    "export const BUILT_IN: readonly { readonly file: string; readonly text: string }[] = [",
    ...entries,
    "];",
    "export const RUNNER_TABLES: Readonly<Record<string, RunnerTable>> = {",
    ...tables.map(([name, table]) => `  ${JSON.stringify(name)}: ${JSON.stringify(table)},`),
    "};",
    "",
  ].join("\n");
  if (current() !== text) writeFileSync(target, text);
}

function tomlIn(folder) {
  const files = readdirSync(folder).filter((name) => name.endsWith(".toml"));
  return files.sort().map((file) => ({ file, text: readFileSync(new URL(file, folder), "utf8") }));
}

/** The table of a runner, with the rows it shares in the place of `{ use = "…" }`. */
function runnerIn(file, text, shared) {
  const { rows = {}, parts, always, ...others } = parse(text);
  const known = { ...shared, ...rows };
  const inFull = (list) =>
    list.flatMap(({ use, ...row }) => {
      if (use === undefined) return [row];
      if (!known[use]) throw new Error(`${file}: there are no rows "${use}"`);
      return inFull(known[use]);
    });
  for (const part of Object.values(parts)) part.rows = inFull(part.rows ?? []);
  return { ...others, always: inFull(always), parts };
}

function current() {
  try {
    return readFileSync(target, "utf8");
  } catch {
    return null;
  }
}
