import type { DiagnosticsKind } from "../../core/ports/diagnostics.ts";
import type { Parser } from "../../diagnostics/finding.ts";
import { parseGoVet } from "../../diagnostics/go-vet.ts";
import { parseBiome, parseCargo, parseEslint, parseOxlint, parsePyright, parseRuff } from "../../diagnostics/json-formats.ts";
import { parseGcc, parseMypy, parseTsc } from "../../diagnostics/line-formats.ts";
import { isWithin } from "../../text/path.ts";
import { compileCommands, isCompileFolder } from "./compile-commands.ts";
import { type Folder, isFile, type ProjectPlace } from "./project.ts";

/** One program that finds something: how a project says that it uses it, how it is run, how its words are read. */
export interface Checker {
  readonly name: string;
  readonly kind: DiagnosticsKind;
  /** For people: the files that are looked for. */
  readonly files: string;
  /** Whether the project in this folder uses it. */
  readonly uses: (folder: Folder) => boolean;
  readonly plan: (folder: Folder, place: ProjectPlace) => CheckerPlan;
  readonly parse: Parser;
}

export interface CheckerPlan {
  readonly steps: readonly CheckerRun[];
  readonly warnings: readonly string[];
}
export interface CheckerRun {
  readonly argv: readonly string[];
  readonly cwd: string;
}

/** Where a project keeps programs of its own. They are taken before the programs of the system. */
const NODE = ["node_modules/.bin"];
const PYTHON = [".venv/bin", "venv/bin"];

/** In the order their findings and their names are told. */
export const CHECKERS: readonly Checker[] = [
  {
    name: "cargo check",
    kind: "check",
    files: "Cargo.toml",
    uses: (folder) => folder.has("Cargo.toml"),
    plan: runs("cargo", [], () => ["check", "--quiet", "--message-format=json"]),
    parse: parseCargo,
  },
  {
    name: "tsc",
    kind: "check",
    files: "tsconfig.json",
    uses: (folder) => folder.has("tsconfig.json"),
    plan: runs("tsc", NODE, () => ["--noEmit", "--pretty", "false", "-p", "tsconfig.json"]),
    parse: parseTsc,
  },
  {
    name: "mypy",
    kind: "check",
    files: "mypy.ini, .mypy.ini, [tool.mypy] in pyproject.toml, [mypy] in setup.cfg",
    uses: (folder) => mypyConfig(folder) !== null,
    plan: runs("mypy", PYTHON, (folder, target) => [
      ...["--show-column-numbers", "--show-error-codes", "--no-pretty", "--no-color-output", "--hide-error-context", "--no-error-summary"],
      // What the project lists itself is what it wants to be checked.
      ...(target === "." && /^[ \t]*(?:files|packages|modules)[ \t]*=/m.test(mypyConfig(folder) ?? "") ? [] : [target]),
    ]),
    parse: parseMypy,
  },
  {
    name: "pyright",
    kind: "check",
    files: "pyrightconfig.json, [tool.pyright] in pyproject.toml",
    uses: (folder) => folder.has("pyrightconfig.json") || says(folder, "pyproject.toml", /^[ \t]*\[tool\.pyright\b/m),
    plan: runs("pyright", [...PYTHON, ...NODE], () => ["--outputjson"]),
    parse: parsePyright,
  },
  {
    name: "go vet",
    kind: "check",
    files: "go.mod",
    uses: (folder) => folder.has("go.mod"),
    plan: runs("go", [], () => ["vet", "-json", "./..."]),
    parse: parseGoVet,
  },
  {
    name: "gcc/clang",
    kind: "check",
    files: "compile_commands.json (also in build/)",
    uses: isCompileFolder,
    plan: compileCommands,
    parse: parseGcc,
  },
  {
    name: "cargo clippy",
    kind: "lint",
    files: "Cargo.toml",
    uses: (folder) => folder.has("Cargo.toml"),
    plan: runs("cargo", [], () => ["clippy", "--quiet", "--message-format=json"]),
    parse: parseCargo,
  },
  {
    name: "eslint",
    kind: "lint",
    files: "eslint.config.*, .eslintrc*, eslintConfig in package.json",
    uses: (folder) => ESLINT.some((name) => folder.has(name)) || says(folder, "package.json", /"eslintConfig"\s*:/),
    plan: runs("eslint", NODE, (_, target) => ["-f", "json", "--no-color", target]),
    parse: parseEslint,
  },
  {
    name: "biome",
    kind: "lint",
    files: "biome.json, biome.jsonc",
    uses: (folder) => folder.has("biome.json") || folder.has("biome.jsonc"),
    plan: runs("biome", NODE, (_, target) => ["check", "--reporter=json", "--max-diagnostics=none", "--colors=off", target]),
    parse: parseBiome,
  },
  {
    name: "oxlint",
    kind: "lint",
    files: ".oxlintrc.json",
    uses: (folder) => folder.has(".oxlintrc.json"),
    plan: runs("oxlint", NODE, (_, target) => ["-f", "json", target]),
    parse: parseOxlint,
  },
  {
    name: "ruff",
    kind: "lint",
    files: "ruff.toml, .ruff.toml, pyproject.toml",
    uses: (folder) => ["ruff.toml", ".ruff.toml", "pyproject.toml"].some((name) => folder.has(name)),
    plan: runs("ruff", PYTHON, (_, target) => ["check", "--output-format", "json", target]),
    parse: parseRuff,
  },
];

const ESLINT = [
  ...["js", "mjs", "cjs", "ts", "mts", "cts"].map((end) => `eslint.config.${end}`),
  ...["", ".js", ".cjs", ".json", ".yaml", ".yml"].map((end) => `.eslintrc${end}`),
];

const says = (folder: Folder, name: string, what: RegExp): boolean => what.test(beginning(folder, name));

/** Settings people write are far shorter; what comes behind is not looked at. */
const MOST_SETTINGS = 256 * 1024;
const beginning = (folder: Folder, name: string): string => (folder.text(name) ?? "").slice(0, MOST_SETTINGS);

/** The text that configures mypy in this folder; null when none does. */
function mypyConfig(folder: Folder): string | null {
  for (const name of ["mypy.ini", ".mypy.ini"]) if (folder.has(name)) return beginning(folder, name);
  const project = /^[ \t]*\[tool\.mypy\][^[]*/m.exec(beginning(folder, "pyproject.toml"));
  return project?.[0] ?? /^\[mypy\][^[]*/m.exec(beginning(folder, "setup.cfg"))?.[0] ?? null;
}

/** One run in the folder of the project. `args` is told what to look at, relative to that folder. */
function runs(program: string, local: readonly string[], args: (folder: Folder, target: string) => readonly string[]): Checker["plan"] {
  return (folder, place) => {
    const argv = [ownProgram(program, local, folder, place) ?? program, ...args(folder, relative(folder.path, place.target))];
    return { steps: [{ argv, cwd: folder.path }], warnings: [] };
  };
}

/** The nearest one the project brought along: in the folder of its settings, or above. */
function ownProgram(program: string, local: readonly string[], folder: Folder, { folders }: ProjectPlace): string | null {
  for (const { path } of folders.filter((one) => isWithin(one.path, folder.path)))
    for (const place of local) if (isFile(`${path}/${place}/${program}`)) return `${path}/${place}/${program}`;
  return null;
}

/** With `./` in front, so that no name is taken for an option. */
const relative = (from: string, to: string): string =>
  to === from || !isWithin(from, to) ? "." : `./${to.slice(from === "/" ? 1 : from.length + 1)}`;
