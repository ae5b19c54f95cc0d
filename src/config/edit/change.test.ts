import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changeFile } from "./change.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "zeph-change-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("a change of a file", () => {
  it("is written when it changes something, and the file is made when there is none", () => {
    const file = join(folder, "deep", "config.toml");
    expect(changeFile(file, () => null)).toBe(false);
    expect(existsSync(file)).toBe(false);
    expect(changeFile(file, (before) => `${before ?? ""}a`)).toBe(true);
    expect(changeFile(file, (before) => before)).toBe(false);
    expect(readFileSync(file, "utf8")).toBe("a");
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("leaves nothing behind when it cannot be made", () => {
    const file = join(folder, "config.toml");
    expect(() =>
      changeFile(file, () => {
        throw new Error("no good");
      }),
    ).toThrow("no good");
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it("does not wait for somebody who died over it", () => {
    const file = join(folder, "config.toml");
    writeFileSync(`${file}.lock`, "");
    utimesSync(`${file}.lock`, 1, 1);
    expect(changeFile(file, () => "mine")).toBe(true);
  });

  it("is not lost when others make theirs at the same time", async () => {
    const file = join(folder, "list");
    writeFileSync(file, "");
    const script = join(folder, "add.mjs");
    // What changeFile does, in a process of its own: each takes the lock, reads, waits a little, and writes.
    writeFileSync(
      script,
      `import fs from "node:fs";
       const [file, word] = process.argv.slice(2);
       for (;;) { try { fs.closeSync(fs.openSync(file + ".lock", "wx")); break; } catch { await new Promise((done) => setTimeout(done, 5)); } }
       const before = fs.readFileSync(file, "utf8");
       await new Promise((done) => setTimeout(done, 30));
       fs.writeFileSync(file + word, before + word + "\\n"); fs.renameSync(file + word, file); fs.rmSync(file + ".lock");`,
    );
    const others = ["b", "c", "d"].map(
      (word) => new Promise((done) => spawn(process.execPath, [script, file, word], { stdio: "inherit" }).on("exit", done)),
    );
    for (let n = 0; n < 20; n++) {
      changeFile(file, (before) => `${before ?? ""}a${n}\n`);
      await new Promise((done) => setTimeout(done, 10));
    }
    await Promise.all(others);
    expect(readFileSync(file, "utf8").trim().split("\n")).toHaveLength(23);
  });
});
