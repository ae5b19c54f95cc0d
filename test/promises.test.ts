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

it("every section of docs/promises.md says against how many commands its rows hold, and a row that differs says it", () => {
  const sections = page.split(/^## /m).slice(1);
  const against = sections.map((text) => [
    text.split("\n", 1)[0],
    /^[^\n]+\n\nAgainst (several commands at once|one command at a time)\.\n/.exec(text)?.[1],
  ]);
  expect(against.filter(([, said]) => said === undefined)).toEqual([]);
  const wrong = sections.flatMap((text, n) => {
    const usual = against[n]![1]!.startsWith("several") ? "(several at once" : "(one";
    return readRows(text).filter(({ promise }) => promise.includes(usual));
  });
  expect(wrong).toEqual([]);
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
