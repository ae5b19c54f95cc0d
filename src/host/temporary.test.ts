import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { discardTree } from "./files/discard.ts";
import { createTemporary, sweepTemporary } from "./temporary.ts";

const base = mkdtempSync(join(tmpdir(), "zeph-temporary-test-"));
const outside = join(base, "outside");
mkdirSync(outside);
writeFileSync(join(outside, "kept"), "kept");
afterAll(() => rmSync(base, { recursive: true, force: true }));

const isLinux = process.platform === "linux";
const namespace = isLinux ? /\d+/.exec(readlinkSync("/proc/self/ns/pid"))![0] : "0";
const made = (name: string) => {
  mkdirSync(join(base, name));
  return join(base, name);
};
/** A number that a process had a moment ago. */
async function deadProcess(): Promise<number> {
  const child = spawn("true");
  await once(child, "exit");
  return child.pid!;
}

it("A temporary folder is private, named after this process, and gone when it is removed", () => {
  const folder = createTemporary({ kind: "test", base });
  expect(basename(folder.path)).toContain(`-${process.pid}-`);
  writeFileSync(join(folder.path, "x"), "");
  sweepTemporary([base]);
  expect(existsSync(folder.path)).toBe(true);
  folder.remove();
  expect(existsSync(folder.path)).toBe(false);
  folder.remove();
});

it.runIf(isLinux)("A sweep removes the folders of processes that are gone, and of a number that was given away again", async () => {
  const gone = made(`zeph-test-${namespace}-${await deadProcess()}-1-abcdef`);
  const again = made(`zeph-test-${namespace}-${process.pid}-1-abcdef`);
  sweepTemporary([base]);
  expect([gone, again].filter((path) => existsSync(path))).toEqual([]);
});

it.runIf(isLinux)("A sweep leaves alone what lives in another namespace, what has another name, files and links", async () => {
  const dead = await deadProcess();
  const kept = [
    made(`zeph-test-1-${dead}-1-abcdef`),
    made("zeph-test-abcdef"),
    made(`zeph-test-${namespace}-${dead}-1-abcdefg`),
    made(`other-${namespace}-${dead}-1-abcdef`),
  ];
  const file = join(base, `zeph-file-${namespace}-${dead}-1-abcdef`);
  writeFileSync(file, "");
  const link = join(base, `zeph-link-${namespace}-${dead}-1-abcdef`);
  symlinkSync(outside, link);
  sweepTemporary([base]);
  expect([...kept, file, link].filter((path) => !existsSync(path))).toEqual([]);
  expect(readdirSync(outside)).toEqual(["kept"]);
});

it.runIf(isLinux && process.getuid?.() === 0)("A sweep leaves the folder of another user alone", async () => {
  const theirs = made(`zeph-test-${namespace}-${await deadProcess()}-1-uvwxyz`);
  execFileSync("chown", ["61234", theirs]);
  sweepTemporary([base]);
  expect(existsSync(theirs)).toBe(true);
});

/** What a command may leave: closed folders, names that are no text, a deep tree, links out. */
const MESS = `mkdir -p a/b; echo x > a/b/f; ln -s "$1" a/b/out; ln -s "$1" out; printf y > "$(printf 'caf\\351')"; mkdir "$(printf 'd\\377')"
mkfifo pipe; chmod 0 a/b; chmod 0 a
mkdir -p "$(printf 'deep/%.0s' {1..300})"`;

it.runIf(isLinux)("A tree is removed whatever a command left in it, and no link is followed", () => {
  const folder = made("mess");
  execFileSync("bash", ["-c", MESS, "bash", outside], { cwd: folder });
  discardTree(folder);
  expect(existsSync(folder)).toBe(false);
  expect(readFileSync(join(outside, "kept"), "utf8")).toBe("kept");
});

it.runIf(isLinux)("A tree is removed into which a program still writes", async () => {
  const source = made("source");
  for (let n = 0; n < 400; n++) writeFileSync(join(source, `f${n}`), "x");
  for (let round = 0; round < 30; round++) {
    const folder = made("written");
    const copying = spawn("cp", ["-a", source, folder], { stdio: "ignore" });
    const ended = once(copying, "exit");
    while (!existsSync(join(folder, "source"))) await new Promise(setImmediate);
    discardTree(folder);
    expect(existsSync(folder)).toBe(false);
    await ended;
  }
});

it.runIf(isLinux && process.getuid?.() === 0)("An ordinary user can remove such a tree too", async () => {
  const { build } = await import("esbuild");
  const home = made("theirs");
  chmodSync(base, 0o755);
  const program = join(base, "discard.mjs");
  const entry = join(import.meta.dirname, "files", "discard.ts");
  await build({ entryPoints: [entry], outfile: program, bundle: true, format: "esm", platform: "node", logLevel: "warning" });
  execFileSync("chown", ["61234:61234", home]);
  const user = { uid: 61234, gid: 61234, cwd: "/" };
  execFileSync("bash", ["-c", `cd "$2" && mkdir mess && cd mess && ${MESS}`, "bash", outside, home], user);
  const script = `import { discardTree } from ${JSON.stringify(program)}; discardTree(${JSON.stringify(join(home, "mess"))});`;
  execFileSync(process.execPath, ["--input-type=module", "-e", script], user);
  expect(readdirSync(home)).toEqual([]);
});
