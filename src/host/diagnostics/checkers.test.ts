import { expect, it } from "vitest";
import { cpuMs } from "../../../test/cpu.ts";
import { CHECKERS } from "./checkers.ts";
import type { Folder } from "./project.ts";

const folder = (files: Record<string, string>): Folder => ({
  path: "/w",
  has: (name) => Object.hasOwn(files, name),
  text: (name) => (Object.hasOwn(files, name) ? files[name]! : null),
});
const using = (files: Record<string, string>) => CHECKERS.filter((one) => one.uses(folder(files))).map(({ name }) => name);
const mypyLooksAt = (config: string) =>
  CHECKERS.find(({ name }) => name === "mypy")!
    .plan(folder({ "mypy.ini": config }), { target: "/w", folders: [] })
    .steps[0]!.argv.at(-1);

it("settings name their programs, on lines of their own", () => {
  expect(using({ "pyproject.toml": "[a]\n\n \t[tool.mypy]\nx = 1\r\n[tool.pyright]" })).toEqual(["mypy", "pyright", "ruff"]);
  expect(using({ "pyproject.toml": "# [tool.mypy] [tool.pyright]" })).toEqual(["ruff"]);
  expect(using({ "setup.cfg": "[a]\n[mypy]\n" })).toEqual(["mypy"]);
  expect(using({ "package.json": '{"eslintConfig": {}}' })).toEqual(["eslint"]);
});
it("mypy looks at what its settings list", () => {
  expect(mypyLooksAt("[mypy]\n\n  files = src")).toBe("--no-error-summary");
  expect(mypyLooksAt("[mypy]\nstrict = true")).toBe(".");
});
it("only the beginning of settings is looked at", () => {
  const behind = "x = 1\n".repeat(50_000);
  expect(using({ "pyproject.toml": `${behind}[tool.mypy]\n[tool.pyright]\n`, "setup.cfg": `${behind}[mypy]\n` })).toEqual(["ruff"]);
  expect(using({ "package.json": `{${" ".repeat(300_000)}"eslintConfig": {}}` })).toEqual([]);
  expect(mypyLooksAt(`${behind}files = src`)).toBe(".");
});
it.each(["\n", " ", "\t\n", "[", "[tool.mypy\n", "files ", '"eslintConfig" '])("settings of many %j take no time", (piece) => {
  const text = piece.repeat(Math.ceil(100_000 / piece.length));
  const started = cpuMs();
  using({ "pyproject.toml": text, "setup.cfg": text, "package.json": text });
  mypyLooksAt(text);
  expect(cpuMs() - started).toBeLessThan(100);
});
