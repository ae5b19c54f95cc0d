import { describe, expect, it } from "vitest";
import { compileCommands } from "./compile-commands.ts";
import type { Folder } from "./project.ts";

const folder = (entries: unknown): Folder => ({
  path: "/w",
  has: (name) => name === "build/compile_commands.json",
  text: (name) => (name === "build/compile_commands.json" ? (typeof entries === "string" ? entries : JSON.stringify(entries)) : null),
});
const plan = (entries: unknown, target = "/w") => compileCommands(folder(entries), { target, folders: [] });
const argv = (entry: object) => plan([{ directory: "/w/build", file: "../a.c", ...entry }]).steps[0]?.argv;
const GCC = ["-fsyntax-only", "-fdiagnostics-color=never", "-fno-diagnostics-show-caret"];
const CLANG = ["-fsyntax-only", "-fno-color-diagnostics", "-fno-caret-diagnostics"];

describe("a compile command", () => {
  it("only looks: nothing it would write is left in it", () => {
    const args = ["-Iinc", "-O2", "-MD", "-MT", "a.o", "-MF", "a.d", "-MMD", "-MP", "-save-temps", "-o", "a.o", "-oa.o", "-c", "../a.c"];
    expect(argv({ arguments: ["/usr/bin/gcc", ...args] })).toEqual(["gcc", "-Iinc", "-O2", "../a.c", ...GCC]);
  });
  it("is taken apart as a shell would", () => {
    const command = `ccache clang++ -DA=\\"x\\" "-DB=a b" '-DC=c d' -DE=e\\ f -c ../a.c`;
    expect(argv({ command })).toEqual(["clang++", '-DA="x"', "-DB=a b", "-DC=c d", "-DE=e f", "../a.c", ...CLANG]);
  });
  it.each(["cc", "g++", "c++", "gcc-12", "clang-14", "arm-none-eabi-gcc", "x86_64-linux-gnu-g++"])("%s is a compiler", (name) => {
    expect(argv({ arguments: [name, "a.c"] })?.[0]).toBe(name);
  });
  it.each([["rustc"], ["/bin/sh", "-c", "gcc"], ["gcc.sh"], ["evilgcc"], []])("%s is none", (...words) => {
    const { steps, warnings } = plan([{ directory: "/w", file: "a.c", arguments: words }]);
    expect(steps).toEqual([]);
    expect(warnings[0]).toContain("1 entry");
  });
});

it("only files below the target are compiled; for a header, all", () => {
  const entries = ["a/x.c", "b/y.c"].map((file) => ({ directory: "/w", file, arguments: ["gcc", "-c", file] }));
  const files = (target: string) => plan(entries, target).steps.map((step) => step.argv[1]);
  expect(files("/w/a")).toEqual(["a/x.c"]);
  expect(files("/w/b/y.c")).toEqual(["b/y.c"]);
  expect(files("/w/a/x.h")).toEqual(["a/x.c", "b/y.c"]);
});

it("a list too long is cut, and the plan says so", () => {
  const entries = Array.from({ length: 300 }, (_, n) => ({ directory: "/w", file: `${n}.c`, arguments: ["gcc", `${n}.c`] }));
  const { steps, warnings } = plan(entries);
  expect([steps.length, warnings.length]).toEqual([200, 1]);
});

it.each(["", "{", "{}", "null", '"x"'])("%j is no list", (text) => {
  expect(plan(text)).toMatchObject({ steps: [], warnings: [expect.stringContaining("no list of compile commands")] });
});
it("entries of any shape are counted", () => {
  expect(plan([null, 1, [], {}, { file: 3, arguments: [3] }]).warnings[0]).toContain("5 entries");
});
