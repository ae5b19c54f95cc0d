import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { CopyError, openPrivateCopy } from "../../../src/files/private-copy.ts";
import { makeBase, removeBase, writeWithFolders } from "../../plant-files.ts";
import { holdMoments } from "./moments.ts";

const FILES = ["package.json", "bin/zeph.cjs", "dist/cli/main.cjs", "vendor/tool"];
/** Of the moments of a start so many are tried. `npm run stress` tries each. */
const MOMENTS = process.env.ROUNDS === undefined ? 10 : Number.POSITIVE_INFINITY;
const THEIRS = "// theirs\n";

/** Zeph as it lies in a project, small, with one package that it needs. */
function plantPackage() {
  const base = makeBase("package");
  onTestFinished(() => removeBase(base));
  const root = join(base, "work/node_modules/zeph");
  const needed = join(base, "work/node_modules/needed");
  writeWithFolders(join(root, "package.json"), JSON.stringify({ name: "zeph", version: "1.0.0" }));
  for (const name of FILES.slice(1)) writeWithFolders(join(root, name), `// ${name}\n`);
  writeWithFolders(join(needed, "package.json"), JSON.stringify({ name: "needed", version: "1.0.0" }));
  writeWithFolders(join(needed, "bin/tool"), "// a tool\n");
  writeList(root);
  const template = join(base, "template");
  cpSync(join(base, "work"), template, { recursive: true });
  const state = join(base, "state");
  return {
    base,
    root,
    needed,
    state,
    open: () => openPrivateCopy({ root, state, isBelowAgent: () => false }),
    /** As npm ci does. */
    installAgain() {
      rmSync(join(base, "work"), { recursive: true });
      cpSync(template, join(base, "work"), { recursive: true });
    },
  };
}
type Package = ReturnType<typeof plantPackage>;

function writeList(root: string): void {
  const hashOf = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(root, name)))
      .digest("hex");
  const files = Object.fromEntries(FILES.map((name) => [name, hashOf(name)]));
  writeWithFolders(join(root, "dist/files.json"), JSON.stringify({ files, packages: ["needed"] }));
}

const putTheirs = (path: string) => {
  unlinkSync(path);
  writeWithFolders(path, THEIRS);
};
const swapFolder = (path: string, file: string) => {
  renameSync(path, `${path}.away`);
  cpSync(`${path}.away`, path, { recursive: true });
  putTheirs(join(path, file));
};
const swapBack = (path: string) => {
  renameSync(path, `${path}.theirs`);
  renameSync(`${path}.away`, path);
};

/** What a command that still runs does to the package, one step at each moment. */
const HANDS: Readonly<Record<string, readonly ((one: Package) => void)[]>> = {
  "writes a program": [({ root }) => putTheirs(join(root, "vendor/tool"))],
  "writes a file and the list of hashes": [
    ({ root }) => {
      putTheirs(join(root, "dist/cli/main.cjs"));
      writeList(root);
    },
  ],
  "writes a program of a package beside it": [({ needed }) => putTheirs(join(needed, "bin/tool"))],
  "links a file to its own": [
    ({ base, root }) => {
      writeWithFolders(join(base, "work/theirs"), THEIRS);
      unlinkSync(join(root, "bin/zeph.cjs"));
      symlinkSync(join(base, "work/theirs"), join(root, "bin/zeph.cjs"));
    },
  ],
  "swaps a folder, and puts it back": [
    ({ root }) => swapFolder(join(root, "dist/cli"), "main.cjs"),
    ({ root }) => swapBack(join(root, "dist/cli")),
  ],
  "swaps the package beside it, and puts it back": [({ needed }) => swapFolder(needed, "bin/tool"), ({ needed }) => swapBack(needed)],
  "shuts a folder": [({ root }) => chmodSync(join(root, "vendor"), 0)],
};

/** Opens the copy. The partner takes its steps from this moment on. */
function openBeside(one: Package, steps: readonly ((one: Package) => void)[], first: number) {
  let [moments, step] = [0, 0];
  const release = holdMoments(one.base, ({ what }) => {
    if (what.includes(`${one.base}/work`) && moments++ >= first) steps[step++]?.(one);
  });
  try {
    return { copy: one.open()?.copy ?? null, moments };
  } catch (error) {
    if (!(error instanceof CopyError)) throw error;
    return { copy: null, moments };
  } finally {
    release();
  }
}

const contentsOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

it.each(Object.entries(HANDS))("the private copy: a partner who %s at any moment has nothing of its own in it", (_, steps) => {
  const one = plantPackage();
  // The person's first start, which records what the packages are.
  one.open();
  const records = join(one.state, "records");
  cpSync(join(one.state, "copies/packages"), records, { recursive: true });
  const prepare = () => {
    one.installAgain();
    rmSync(join(one.state, "copies"), { recursive: true, force: true });
    mkdirSync(join(one.state, "copies"), { mode: 0o700 });
    cpSync(records, join(one.state, "copies/packages"), { recursive: true });
    chmodSync(join(one.state, "copies/packages"), 0o700);
  };
  prepare();
  const { moments, copy } = openBeside(one, [], 0);
  expect(copy).not.toBeNull();
  for (let at = 0; at < moments; at += Math.max(1, moments / MOMENTS)) {
    const first = Math.floor(at);
    prepare();
    openBeside(one, steps, first);
    // And the start after it, from whatever was made.
    const after = openBeside(one, [], 0).copy;
    expect(contentsOf(join(one.state, "copies")), `at moment ${first} of ${moments}`).not.toContain(THEIRS);
    if (after !== null) expect(existsSync(join(after, "bin/zeph.cjs"))).toBe(true);
  }
});
