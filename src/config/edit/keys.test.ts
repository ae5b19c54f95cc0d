import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { saveKey, withKey } from "./keys.ts";

describe("a key that is written into the private file", () => {
  let at: { home: string; env: Record<string, string> };
  let file: string;
  beforeEach(() => {
    const home = mkdtempSync(join(tmpdir(), "zeph-keys-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    at = { home, env: {} };
    file = join(home, ".config", "zeph", "keys.toml");
  });

  it("makes the file for its owner alone", () => {
    expect(saveKey(at, "A_KEY", 'a"b')).toBe(file);
    expect(readFileSync(file, "utf8")).toBe('A_KEY = "a\\"b"\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it("goes into the file although the environment has a key of that name", () => {
    saveKey({ ...at, env: { A_KEY: "other" } }, "A_KEY", "mine");
    expect(readFileSync(file, "utf8")).toContain("mine");
  });

  it("is not written into a file that others can read, nor through a link", () => {
    mkdirSync(join(at.home, ".config", "zeph"), { recursive: true });
    writeFileSync(file, "");
    chmodSync(file, 0o644);
    expect(() => saveKey(at, "A_KEY", "mine")).toThrow(/Others can read this file/);
    expect(readFileSync(file, "utf8")).toBe("");
    rmSync(file);
    symlinkSync(join(at.home, "elsewhere"), file);
    expect(() => saveKey(at, "A_KEY", "mine")).toThrow(/link/);
  });

  it.each([
    ["", 'A = "1"\n'],
    ["# mine\nB = '2'", "# mine\nB = '2'\nA = \"1\"\n"],
    ['A = "$0"\nB = "2"\n', 'A = "1"\nB = "2"\n'],
    ['"A" = "0"\n', 'A = "1"\n'],
    ['AA = "0"\n', 'AA = "0"\nA = "1"\n'],
  ])("leaves the other lines of %j as they are", (before, after) => expect(withKey(before, "A", "1")).toBe(after));
});
