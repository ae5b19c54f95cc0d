import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeBase, removeBase, writeWithFolders } from "../../test/plant-files.ts";
import { openPrivateCopy, recordBuild } from "./private-copy.ts";

const isRoot = process.getuid?.() === 0;
let base: string;
let project: string;
let root: string;
let state: string;
let isBelowAgent: boolean;

const pathInModules = (name: string): string => join(project, "node_modules", name);
const open = () => openPrivateCopy({ root, state, isBelowAgent: () => isBelowAgent });
const copies = (): string[] => readdirSync(join(state, "copies")).filter((name) => /^[0-9a-f]{64}$/.test(name));

/** As the build does. */
function writeList(packages: readonly string[], more: object = {}): void {
  const names = ["package.json", "bin/zeph.cjs", "dist/cli/main.cjs", "dist/lib/index.js", "vendor/tool"];
  const hashOf = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(root, name)))
      .digest("hex");
  writeWithFolders(
    join(root, "dist/files.json"),
    JSON.stringify({ files: Object.fromEntries(names.map((name) => [name, hashOf(name)])), packages, ...more }),
  );
}

function plantPackage(name: string, version: string, about: object = {}, folder = pathInModules(name)): void {
  writeWithFolders(join(folder, "package.json"), JSON.stringify({ name, version, ...about }));
  writeWithFolders(join(folder, "index.js"), `// ${name} ${version}`);
}

beforeEach(() => {
  base = makeBase("private-copy");
  project = join(base, "project");
  state = join(base, "state");
  root = pathInModules("zeph");
  isBelowAgent = false;
  for (const name of ["bin/zeph.cjs", "dist/cli/main.cjs", "dist/lib/index.js", "vendor/tool"]) writeWithFolders(join(root, name), name);
  chmodSync(join(root, "vendor/tool"), 0o755);
  writeWithFolders(join(root, "package.json"), JSON.stringify({ name: "zeph", version: "1.0.0" }));
  plantPackage("rg", "1.0.0", { optionalDependencies: { "rg-here": "1.0.0", "rg-elsewhere": "1.0.0" } });
  plantPackage("rg-here", "1.0.0");
  writeWithFolders(join(pathInModules("rg-here"), "bin/rg"), "a program");
  chmodSync(join(pathInModules("rg-here"), "bin/rg"), 0o755);
  writeList(["rg", "not-installed"]);
});
afterEach(() => removeBase(base));

it("holds what the command line needs, for this user alone", () => {
  const { copy } = open()!;
  expect(copy.startsWith(join(state, "copies"))).toBe(true);
  for (const name of ["bin/zeph.cjs", "dist/cli/main.cjs", "vendor/tool", "node_modules/rg/index.js", "node_modules/rg-here/bin/rg"])
    expect([name, existsSync(join(copy, name))]).toEqual([name, true]);
  expect(existsSync(join(copy, "dist/lib"))).toBe(false);
  expect(lstatSync(join(copy, "vendor/tool")).mode & 0o111).toBe(0o111);
  expect(lstatSync(join(copy, "bin/zeph.cjs")).mode & 0o111).toBe(0);
  expect(lstatSync(join(state, "copies")).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(copy, "users"))).toEqual([String(process.pid)]);
});

it("is made once for each content, also where it was installed again", () => {
  const first = open()!;
  expect(open()!.copy).toBe(first.copy);
  const text = readFileSync(join(root, "bin/zeph.cjs"), "utf8");
  rmSync(join(root, "bin/zeph.cjs"));
  writeWithFolders(join(root, "bin/zeph.cjs"), text);
  expect(open()!.copy).toBe(first.copy);
  plantPackage("rg", "1.0.1");
  expect(open()!.copy).not.toBe(first.copy);
  expect(copies()).toHaveLength(2);
});

it("takes a package that was installed later", () => {
  open();
  plantPackage("not-installed", "2.0.0");
  expect(existsSync(join(open()!.copy, "node_modules/not-installed/index.js"))).toBe(true);
});

it("takes each package in the version that Node would find", () => {
  plantPackage("shared", "1.0.0");
  plantPackage("shared", "2.0.0", {}, join(pathInModules("rg"), "node_modules/shared"));
  plantPackage("rg", "1.0.0", { dependencies: { shared: "2.0.0" } });
  plantPackage("a", "1.0.0", { dependencies: { shared: "1.0.0", b: "1.0.0" } });
  plantPackage("b", "1.0.0", { dependencies: { a: "1.0.0" } });
  writeList(["a", "rg"]);
  const { copy } = open()!;
  expect(readFileSync(join(copy, "node_modules/shared/index.js"), "utf8")).toBe("// shared 1.0.0");
  expect(readFileSync(join(copy, "node_modules/rg/node_modules/shared/index.js"), "utf8")).toBe("// shared 2.0.0");
});

describe("Zeph that was changed", () => {
  it.each<[string, () => void]>([
    ["a file of the command", () => appendFileSync(join(root, "dist/cli/main.cjs"), ";")],
    ["a program it brings along", () => appendFileSync(join(root, "vendor/tool"), "x")],
    ["package.json", () => appendFileSync(join(root, "package.json"), " ")],
    ["a link in place of a file", () => linkFile(join(root, "dist/cli/main.cjs"))],
    ["a folder in place of a file", putFolderInPlace],
    ["a file that is gone", () => rmSync(join(root, "dist/cli/main.cjs"))],
    ["no list", () => rmSync(join(root, "dist/files.json"))],
    ["no list that can be read", () => writeWithFolders(join(root, "dist/files.json"), "{")],
    ["a list and a file that agree", replaceListAndFile],
    ["ripgrep", () => appendFileSync(join(pathInModules("rg-here"), "bin/rg"), "x")],
  ])("is not started: %s", (_what, change) => {
    open();
    change();
    expect(open).toThrow("zeph in this project was changed; run npm ci, then start again");
  });
  it.each<[string, () => void]>([
    ["the library", () => appendFileSync(join(root, "dist/lib/index.js"), ";")],
    ["code of a package beside it", () => appendFileSync(join(pathInModules("rg"), "index.js"), ";")],
    ["one more file in such a package", () => writeWithFolders(join(pathInModules("rg"), "index.node"), "x")],
  ])(
    "is not copied, and the copy that is there is what it was, where something differs that a start does not read: %s",
    (_what, change) => {
      const { copy, watched } = open()!;
      change();
      expect(open()!.copy).toBe(copy);
      expect(readFileSync(join(copy, "node_modules/rg/index.js"), "utf8")).toBe("// rg 1.0.0");
      expect(watched).toEqual(expect.arrayContaining([join(root, "dist/lib/index.js"), join(pathInModules("rg"), "index.js")]));
      // Whatever has everything looked at again.
      writeWithFolders(join(root, "bin/zeph.cjs"), "bin/zeph.cjs");
      expect(open).toThrow("zeph in this project was changed");
    },
  );
  it("is not copied the first time either where it is not what was released", () => {
    appendFileSync(join(root, "dist/cli/main.cjs"), ";");
    expect(open).toThrow("zeph in this project was changed");
    expect(copies()).toEqual([]);
    expect(readdirSync(join(state, "copies"))).toEqual(["at", "builds", "packages"]);
  });
  it("is known by its packages in another project too", () => {
    open();
    appendFileSync(join(pathInModules("rg-here"), "bin/rg"), "x");
    const other = join(base, "other");
    mkdirSync(other);
    symlinkSync(join(project, "node_modules"), join(other, "node_modules"));
    expect(() => openPrivateCopy({ root: realpathSync(join(other, "node_modules/zeph")), state, isBelowAgent: () => false })).toThrow(
      /rg-here is not what it was when it was first used. If you built .* yourself, remove .*packages\/rg-here%401.0.0/,
    );
  });
});

describe("A checkout", () => {
  const build = () => {
    appendFileSync(join(root, "dist/cli/main.cjs"), ";");
    writeList(["rg"]);
  };
  const record = (more: object = {}) =>
    recordBuild(readFileSync(join(root, "dist/files.json")), { root, state, isBelowAgent: () => isBelowAgent, ...more });
  const refused =
    /zeph in this project was changed; run npm run build, then start again.*If you built .*files.json yourself, remove .*builds/;
  beforeEach(() => {
    const checkout = join(base, "checkout");
    cpSync(root, checkout, { recursive: true });
    root = checkout;
    writeList(["rg"]);
  });
  it("is not started where a file differs from the list, or the list from the one of its build", () => {
    open();
    const main = join(root, "dist/cli/main.cjs");
    appendFileSync(main, ";");
    expect(open).toThrow("run npm run build, then start again");
    writeList(["rg"]);
    expect(open).toThrow(refused);
    expect(copies()).toHaveLength(1);
    writeFileSync(main, "dist/cli/main.cjs");
    writeList(["rg"]);
    expect(open()).not.toBeNull();
  });
  it("is started again when a person has built it, as often as they do", () => {
    record();
    const first = open()!;
    for (let n = 0; n < 3; n++) {
      build();
      expect(open).toThrow(refused);
      record();
      expect(open()!.copy).not.toBe(first.copy);
    }
  });
  it("is recorded by no command of an agent", () => {
    open();
    build();
    isBelowAgent = true;
    record();
    isBelowAgent = false;
    expect(open).toThrow(refused);
  });
  it.runIf(isRoot)("is recorded in no folder of another user", () => {
    mkdirSync(join(base, "theirs"));
    chownSync(join(base, "theirs"), 1234, 1234);
    record({ state: join(base, "theirs/state/zeph") });
    expect(readdirSync(join(base, "theirs"))).toEqual([]);
  });
});

describe("A command of an agent", () => {
  it("records nothing: it goes on with what is there, and the person's start is the first", () => {
    isBelowAgent = true;
    appendFileSync(join(pathInModules("rg-here"), "bin/rg"), "evil");
    expect(open()).toBeNull();
    expect([copies(), readdirSync(join(state, "copies/packages"))]).toEqual([[], []]);
    plantPackage("rg-here", "1.0.0");
    isBelowAgent = false;
    expect(open()).not.toBeNull();
  });
  it("uses the copy that is there", () => {
    const { copy } = open()!;
    isBelowAgent = true;
    expect(open()!.copy).toBe(copy);
  });
});

it("says where it cannot be made, and why", () => {
  writeWithFolders(state, "a file in the way");
  expect(open).toThrow(
    /Zeph lies where commands may write, and no private copy can be made in .*\/copies: .*(ENOTDIR|EEXIST).*npm install --global zeph/,
  );
});

it("is not made in a folder that others may enter", () => {
  mkdirSync(join(state, "copies"), { recursive: true });
  chmodSync(join(state, "copies"), 0o755);
  expect(open).toThrow("is open to others");
});

it("goes when it is old, and not while somebody uses it or hooks name it", () => {
  for (let n = 0; n < 7; n++) {
    plantPackage("rg", `1.0.${n}`);
    const { copy } = open()!;
    rmSync(join(copy, "users", String(process.pid)));
    if (n === 0) writeFileSync(join(copy, "users/kept"), "");
    if (n === 1) writeFileSync(join(copy, "users", String(process.ppid)), "");
    if (n === 2) writeFileSync(join(copy, "users/999999999"), "");
  }
  mkdirSync(join(state, "copies/.new-999999999-x"));
  plantPackage("rg", "2.0.0");
  open();
  // Those two, the three last that nobody uses, and the new one.
  expect(copies()).toHaveLength(6);
  expect(readdirSync(join(state, "copies")).filter((name) => name.startsWith("."))).toEqual([]);
});

function linkFile(file: string): void {
  writeWithFolders(join(base, "elsewhere"), readFileSync(file, "utf8"));
  rmSync(file);
  symlinkSync(join(base, "elsewhere"), file);
}

function putFolderInPlace(): void {
  rmSync(join(root, "vendor/tool"));
  mkdirSync(join(root, "vendor/tool"));
}

function replaceListAndFile(): void {
  appendFileSync(join(root, "dist/cli/main.cjs"), ";");
  writeList(["rg", "not-installed"]);
}
