import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

/** Of this file alone: other tests of the process have noted folders of their own. */
vi.resetModules();
const { noteCommandFolders, splitPath } = await import("./command-folders.ts");
const { findSafeProgram, runProgramNow, safeVariables, startProgram } = await import("./programs.ts");

let base: string;
let workspace: string;
let person: string;

/** A program that says who it is. */
function place(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\necho ${file}\n`);
  chmodSync(file, 0o755);
  return file;
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "programs-")));
  workspace = join(base, "work");
  person = join(base, "person", "bin");
  for (const folder of [workspace, person]) mkdirSync(folder, { recursive: true });
  noteCommandFolders([workspace]);
});
afterEach(() => rmSync(base, { recursive: true }));

describe("a program by its name", () => {
  it("is the first on PATH that no command may write", () => {
    place(join(workspace, "node_modules/.bin"), "tool");
    const own = place(person, "tool");
    expect(findSafeProgram("tool", `${workspace}/node_modules/.bin:${person}`)).toEqual({ path: own });
  });
  it.each([
    ["the workspace itself", () => workspace],
    ["a folder below it", () => join(workspace, "a/b")],
    ["a link to it", () => link(join(base, "to-work"), workspace)],
    ["a link inside it to a folder elsewhere", () => link(join(workspace, "out"), person)],
    ["a way through it and out again", () => `${workspace}/../person/bin`],
    ["a link to a link inside it", () => link(join(base, "twice"), link(join(workspace, "out"), person))],
  ])("is not started from %s, and the reason is told", (_what, entry) => {
    const folder = entry();
    place(folder, "tool");
    expect(findSafeProgram("tool", folder)).toEqual({ why: expect.stringContaining(`only in ${folder}, where commands may write`) });
    expect(() => startProgram("tool", [], { env: { PATH: folder } })).toThrow("where commands may write");
  });
  it.each([["."], [""], ["bin"], ["./bin"]])("is not looked for in the entry %j", (entry) => {
    place(join(workspace, "bin"), "tool");
    place(workspace, "tool");
    expect(findSafeProgram("tool", `${entry}:${base}/none`)).toEqual({ why: "tool is not on PATH." });
    expect(() => runProgramNow("tool", [], { env: { PATH: `${entry}:` }, cwd: workspace })).toThrow("not on PATH");
  });
  it("is not started where its entry is a link into the workspace", () => {
    symlinkSync(place(workspace, "evil"), join(person, "tool"));
    expect(findSafeProgram("tool", person)).toEqual({ why: expect.stringContaining("where commands may write") });
  });
  it("is not started by its path either", () => {
    const file = place(workspace, "tool");
    expect(() => runProgramNow(file, [], { env: {} })).toThrow("where commands may write");
    expect(() => runProgramNow("./tool", [], { env: {}, cwd: workspace })).toThrow("where commands may write");
  });
  it("is known by device and number where the workspace has another name by now", () => {
    place(join(workspace, "bin"), "tool");
    renameSync(workspace, join(base, "renamed"));
    expect(findSafeProgram("tool", join(base, "renamed/bin"))).toEqual({ why: expect.stringContaining("where commands may write") });
  });
  it("is not started from folders that are named for this start alone", () => {
    const folder = join(base, "more");
    place(folder, "tool");
    expect(findSafeProgram("tool", folder)).toEqual({ path: join(folder, "tool") });
    expect(findSafeProgram("tool", folder, [folder])).toEqual({ why: expect.stringContaining("where commands may write") });
  });
});

it("leaves the root alone where it is named for one start", () => {
  const tool = place(person, "tool");
  expect(findSafeProgram("tool", person, ["/"])).toEqual({ path: tool });
});

it("leaves the home and the root alone, which no walls open whole", () => {
  const tool = place(person, "tool");
  const before = process.env.HOME;
  process.env.HOME = base;
  noteCommandFolders([base, "/"]);
  process.env.HOME = before;
  expect(findSafeProgram("tool", person)).toEqual({ path: tool });
});

it("says what it left out of a PATH, once", () => {
  const bin = join(workspace, "bin");
  expect(splitPath(`${bin}:${person}::${bin}:.`)).toEqual({ path: person, dropped: [bin, "", "."] });
});

describe("variables of a program of ours", () => {
  it("have a PATH without those folders: what it starts itself is found there", () => {
    place(join(workspace, "bin"), "inner");
    const outer = join(person, "outer");
    writeFileSync(outer, "#!/bin/sh\ninner\n", { mode: 0o755 });
    const own = place(person, "inner");
    expect(runProgramNow("outer", [], { env: { PATH: `${workspace}/bin:${person}:/usr/bin:/bin` } }).trim()).toBe(own);
  });
  it.each([
    ["NODE_OPTIONS", "--require ./x.cjs"],
    ["NODE_OPTIONS", "--require=x"],
    ["NODE_OPTIONS", "-r x"],
    ["NODE_OPTIONS", "--import $W/x.mjs"],
    ["NODE_PATH", "$W/lib"],
    ["NODE_PATH", "lib"],
    ["LD_PRELOAD", "$W/x.so"],
    ["LD_PRELOAD", "/usr/lib/y.so $W/x.so"],
    ["LD_LIBRARY_PATH", "/usr/lib::/lib"],
    ["LD_AUDIT", "x.so"],
    ["DYLD_INSERT_LIBRARIES", "$W/x.dylib"],
    ["BASH_ENV", "$W/env"],
    ["ENV", ".env"],
    ["PERL5OPT", "-I$W -Mx"],
    ["PERL5LIB", "$W/lib"],
    ["PYTHONPATH", "$W:/usr/lib/python"],
    ["RUBYOPT", "-r./x"],
    ["GIT_EXEC_PATH", "$W/git"],
  ])("have no %s=%s", (name, value) => {
    expect(safeVariables({ [name]: value.replaceAll("$W", workspace), A: "b" })).toEqual({ A: "b" });
  });
  it.each([
    ["NODE_OPTIONS", "--max-old-space-size=4096 --enable-source-maps"],
    ["LD_LIBRARY_PATH", "/usr/lib:/lib"],
    ["PYTHONPATH", "/usr/lib/python3"],
    ["NODE_PATH", ""],
    ["EDITOR", "code --wait"],
    ["GIT_SSH_COMMAND", "ssh -oBatchMode=yes"],
  ])("keep %s=%s", (name, value) => expect(safeVariables({ [name]: value })).toEqual({ [name]: value }));
  it("have nothing preloaded in Node", () => {
    const proof = join(base, "proof");
    writeFileSync(join(workspace, "x.cjs"), `require("fs").writeFileSync(${JSON.stringify(proof)}, "")`);
    const env = { NODE_OPTIONS: `--require ${workspace}/x.cjs`, PATH: process.env.PATH };
    expect(runProgramNow(process.execPath, ["-p", "6 * 7"], { env }).trim()).toBe("42");
    expect(() => readFileSync(proof)).toThrow("ENOENT");
  });
});

const link = (path: string, target: string): string => {
  symlinkSync(target, path);
  return path;
};
