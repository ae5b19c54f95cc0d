import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../src/config/load.ts";
import { allSettings } from "../src/config/settings.ts";
import { valueAtPath } from "../src/config/shape.ts";

const ROOT = join(import.meta.dirname, "..");
const PAGE = readFileSync(join(ROOT, "docs/from-the-spec.md"), "utf8");

/** The rows of the tables whose first column is headed by this word, cell by cell. */
function rowsUnder(heading: string): string[][] {
  const found: string[][] = [];
  let inside = false;
  for (const line of PAGE.split("\n")) {
    const cells = line
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim());
    if (!line.startsWith("|")) inside = false;
    else if (cells[0] === heading) inside = true;
    else if (inside && !/^-+$/.test(cells[0]!)) found.push(cells);
  }
  return found;
}

const SETTINGS = rowsUnder("Setting");
const unticked = (cell: string) => cell.replace(/^`(.*)`$/, "$1");

describe("the settings that the page names", () => {
  it("are many, each once", () => {
    const names = SETTINGS.map(([name]) => name);
    expect(names.length).toBeGreaterThan(80);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(SETTINGS.map(([name, documents, here, why]) => [unticked(name!), { documents, here, why }] as const))(
    "%s has the default of the schema, and a reason where it is another one than in the documents",
    (key, { documents, here, why }) => {
      const setting = allSettings().find((one) => one.key === key);
      expect(setting, `${key} is a setting`).toBeDefined();
      const value = valueAtPath(parseConfig({}), setting!.path);
      expect(unticked(here!)).toBe(value === undefined ? "unset" : JSON.stringify(value));
      const same =
        unticked(documents!)
          .replace(/, /g, ",")
          .replace(/(\.\d*?)0+$/, "$1")
          .replace(/\.$/, "") === unticked(here!);
      if (!same && !documents!.includes("in the sample")) expect(why, `${key} differs, and the page says why`).not.toBe("");
    },
  );
});

it("every section and key of the samples occurs on the page", () => {
  const folder = join(ROOT, "test/document-samples");
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"));
  const keys = lines.flatMap((line) => /^\s*"?([\w-]+)"?\s*=/.exec(line)?.[1] ?? []);
  // The last name of a section under `rules` is that of a tool.
  const sections = lines.flatMap((line) => /^\s*\[{1,2}([a-z_]+(?:\.[a-z_]+)*)\]{1,2}\s*(?:#.*)?$/.exec(line)?.[1] ?? []);
  const names = new Set([...keys, ...sections.map((name) => name.replace(/(?<=\.rules)\.\w+$/, ""))]);
  expect(names.size).toBeGreaterThan(80);
  const isNamed = (name: string) => new RegExp(`(?<!\\w)${name.replaceAll(".", "\\.")}(?!\\w)`).test(PAGE);
  expect([...names].filter((name) => !isNamed(name))).toEqual([]);
});

it("every file that the page names exists", () => {
  const files = [...PAGE.matchAll(/`([\w.-]+(?:\/[\w.-]+)+(?:\.ts|\/))`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(80);
  for (const file of new Set(files)) expect([file, existsSync(join(ROOT, "src", file))]).toEqual([file, true]);
});

it("what has no code is marked as such and has a reason", () => {
  const missing = rowsUnder("In the documents").filter(([, here]) => here!.startsWith("*No code*"));
  expect(missing.map(([name]) => name)).toEqual([
    "`SkillExecutor`, inline tools of `SKILL.md`",
    "`CommandMatcher::Custom`",
    "features `context-compression`, `mcp`, `sandbox`, `policy-enforcer`",
    "`SpeculationEngine`",
  ]);
  for (const [, , why] of missing) expect(why).toMatch(/\.$/);
});
