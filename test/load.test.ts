import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const isRoot = process.getuid?.() === 0;
const LOADER = join(import.meta.dirname, "../bin/load.cjs");
/** The text of a bundle that says a word of four letters. */
const saying = (word: string) => `(function (exports) { exports.word = () => ${JSON.stringify(word)}; })`;

/** A bundle, loaded in a process of its own; it may keep the code that V8 made of it. */
function bundle() {
  const folder = mkdtempSync(join(tmpdir(), "zeph-bundle-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "main.cjs");
  const start = (first = "", command = "") => {
    const script = `const { load, keepCode, stopGrowing } = require(${JSON.stringify(LOADER)});${first}
      console.log(load(${JSON.stringify(file)}${command && `, ${JSON.stringify(command)}`}).word()); keepCode();`;
    return execFileSync(process.execPath, ["-e", script], { encoding: "utf8" }).trim();
  };
  const run = () => start();
  /** By a command of which the space for new objects stays small, before code is read and before it is kept. */
  const runSmall = () => start("stopGrowing();");
  const runCommand = (command: string) => start("", command);
  const code = () => join(folder, readdirSync(folder).find((name) => name.endsWith(".code"))!);
  const write = (word: string, at = 1) => {
    writeFileSync(file, saying(word));
    utimesSync(file, at, at);
  };
  return { folder, run, runSmall, runCommand, code, write };
}

/** Kept code of another text of the same length: V8 takes it for the same, so whoever can write it can run anything. */
function withForeignCode() {
  const made = bundle();
  made.write("evil");
  expect(made.run()).toBe("evil");
  made.write("good");
  return made;
}

describe("the code that V8 made of a bundle", () => {
  it("is kept beside it at the first start, for its owner to write alone, and is used by the next", () => {
    const made = withForeignCode();
    expect(statSync(made.code()).mode & 0o777).toBe(0o644);
    expect(made.run()).toBe("evil");
    expect(readdirSync(made.folder)).toHaveLength(2);
  });

  it("is the same for a command that takes less memory", () => {
    const made = bundle();
    made.write("evil");
    expect(made.runSmall()).toBe("evil");
    made.write("good");
    expect([made.run(), made.runSmall()]).toEqual(["evil", "evil"]);
  });

  it("is kept for each command that runs much by itself; the others use that of call", () => {
    const made = bundle();
    made.write("evil");
    for (const command of ["call", "run"]) expect(made.runCommand(command)).toBe("evil");
    expect(readdirSync(made.folder)).toHaveLength(3);
    made.write("good");
    expect(["call", "run", "tools", "chat"].map(made.runCommand)).toEqual(["evil", "evil", "evil", "good"]);
  });

  it("is not used when others may write it, and is made anew", () => {
    const made = withForeignCode();
    chmodSync(made.code(), 0o666);
    expect([made.run(), made.run()]).toEqual(["good", "good"]);
  });

  it.runIf(isRoot)("is not used when it belongs to somebody else than the bundle", () => {
    const made = withForeignCode();
    chownSync(made.code(), 65_534, 65_534);
    expect([made.run(), made.run()]).toEqual(["good", "good"]);
  });

  it("is not used when the bundle is newer", () => {
    const made = withForeignCode();
    made.write("good", Date.now() / 1000 + 60);
    expect(made.run()).toBe("good");
  });

  it("is refused when it is broken, and is made anew", () => {
    const made = withForeignCode();
    writeFileSync(made.code(), "no code at all");
    expect(made.run()).toBe("good");
    expect(readFileSync(made.code()).length).toBeGreaterThan(100);
  });

  it.skipIf(process.getuid?.() === 0)("is not missed where nobody may write", () => {
    const made = bundle();
    made.write("good");
    chmodSync(made.folder, 0o555);
    expect([made.run(), made.run()]).toEqual(["good", "good"]);
    chmodSync(made.folder, 0o755);
    expect(readdirSync(made.folder)).toEqual(["main.cjs"]);
  });
});
