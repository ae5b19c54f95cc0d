import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { withoutSteps } from "./steps.ts";

const left = (...texts: string[]): string[] => withoutSteps(texts.map(printedLine)).map(({ text }) => text);
const filtered = (command: string, lines: readonly string[]): string =>
  filterText({ command, raw: lines.join("\n"), exitCode: 0 }, builtInRules()).text;

describe("steps that follow one another", () => {
  it.each([
    [["Fetching index", "Downloading left-pad-1.3.0.tgz", "Extracting left-pad-1.3.0.tgz"]],
    [["reading sources... [ 50%] index", "reading sources... [100%] usage"]],
    [["[1/3] Resolving dependencies", "[2/3] Fetching packages", "[3/3] Linking modules"]],
    [["making output directory... done", "", "copying static files... done"]],
    [["==> Pulling web", "==> Pulled web", "go: downloading example.org/x v1.2.0"]],
    [["INFO - Loading theme", "[INFO] Scanning for projects...", "Waking up the daemon…"]],
  ])("leave the last of them: %j", (steps) => {
    expect(left("before", ...steps, "after")).toEqual(["before", steps.at(-1)!, "after"]);
  });

  it("stay before what is said about them", () => {
    const told = ["Compiling core", "core: 3 functions", "Compiling web", "web: 7 functions"];
    expect(left(...told)).toEqual(told);
  });
});

describe("a line", () => {
  it.each([
    "Installing left-pad 1.3.0",
    "Applying auth.0001_initial... OK",
    "Listening on http://127.0.0.1:8080",
    "Creating bucket assets-7",
    "Resolved 12 packages in 30ms",
    "checking for gawk... no",
    "Downloading x: connection refused",
    "Compiling a.c: warning: unused variable",
    "Skipping x",
    "Building is fun, they said.",
    "The following packages were fetching:",
  ])("that tells of an outcome is no step: %s", (text) => expect(left(text, text, text)).toHaveLength(3));
});

it("a command that is only asked keeps what looks like steps", () => {
  const lines = ["Fetching all that is needed", "Downloading a", "Extracting b"];
  for (const command of ["git log", "tool --help", "tool list", "cat steps.txt", "grep ing steps.txt"])
    expect(filtered(command, lines)).toBe(lines.join("\n"));
  expect(filtered("./deploy", lines)).toBe("Extracting b\n[-2 lines]");
});
