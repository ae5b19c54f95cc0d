import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** A row of docs/promises.md: what is promised, where it is done, and the test that would fail without it. */
interface Row {
  readonly promise: string;
  readonly mechanism: string;
  readonly file: string;
  readonly name: string;
}

const page = readFileSync("docs/promises.md", "utf8");
const rows = readRows(page);

it("docs/promises.md has rows, and every row names a promise, a mechanism and a test", () => {
  expect(rows.length).toBeGreaterThan(70);
  expect(rows.filter(({ promise, mechanism, file, name }) => [promise, mechanism, file, name].includes(""))).toEqual([]);
});

it("every mechanism of docs/promises.md is a file of the source", () => {
  const paths = rows.flatMap(({ mechanism }) => [...mechanism.matchAll(/`([\w./*-]+)`/g)].map((match) => `src/${match[1]}`));
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  expect(rows.filter(({ mechanism }) => !mechanism.includes("`"))).toEqual([]);
});

it("every test of docs/promises.md exists, by its name", () => {
  const missing = rows.filter(({ file, name }) => !existsSync(file) || !readFileSync(file, "utf8").includes(name));
  expect(missing.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

function readRows(text: string): Row[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:Promise|---)/.test(line))
    .map((line) => {
      const [promise = "", mechanism = "", test = ""] = line.slice(2, -2).split(" | ");
      const [, file = "", name = ""] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
      return { promise, mechanism, file, name };
    });
}
