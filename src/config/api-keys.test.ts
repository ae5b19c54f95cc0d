import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeyReader, keyFilePath } from "./api-keys.ts";
import { ConfigError } from "./problem.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "keys-"));
  mkdirSync(join(home, ".config", "zeph"), { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

const file = () => keyFilePath({ home, env: {} });
function write(text: string, mode = 0o600) {
  writeFileSync(file(), text);
  chmodSync(file(), mode);
}
const key = (name: string, env: Record<string, string> = {}) => createKeyReader({ home, env })(name);

function refusal(): ConfigError {
  try {
    key("A_KEY");
  } catch (error) {
    return error as ConfigError;
  }
  throw new Error("It was read.");
}

describe("where keys come from", () => {
  it("is beside the user's configuration", () => {
    expect(file()).toBe(join(home, ".config", "zeph", "keys.toml"));
    expect(keyFilePath({ home, env: { XDG_CONFIG_HOME: "/elsewhere" } })).toBe("/elsewhere/zeph/keys.toml");
    // A relative one would let the working directory choose the file.
    expect(keyFilePath({ home, env: { XDG_CONFIG_HOME: "project" } })).toBe(file());
  });
  it("is the environment first, then the private file", () => {
    write('A_KEY = " from the file "\n"B_KEY" = "b"\n');
    expect(key("A_KEY", { A_KEY: " from the environment\n" })).toBe("from the environment");
    expect(key("A_KEY", { A_KEY: " " })).toBe("from the file");
    expect(key("A_KEY")).toBe("from the file");
    expect(key("B_KEY")).toBe("b");
    expect(key("C_KEY")).toBeUndefined();
    expect(key("toString")).toBeUndefined();
  });
  it("is nowhere without a file", () => expect(key("A_KEY")).toBeUndefined());
  it("does not open the file when the environment has the key", () => {
    write("broken", 0o644);
    expect(key("A_KEY", { A_KEY: "x" })).toBe("x");
  });
});

describe("a file that is not private or not right", () => {
  it.each([0o640, 0o604, 0o620, 0o602, 0o610, 0o644])("with mode %o is refused", (mode) => {
    write('A_KEY = "secret"', mode);
    const error = refusal();
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message).toContain(`chmod 600 ${file()}`);
    expect(error.message).not.toContain("secret");
  });
  it.each([0o600, 0o400])("with mode %o is read", (mode) => {
    write('A_KEY = "secret"', mode);
    expect(key("A_KEY")).toBe("secret");
  });
  it.each([
    ['GOOD = "x"\nA_KEY = sk-secret-value', 2],
    ['A_KEY = "sk-secret-value', 1],
    ['A_KEY = "x"\nA_KEY = "sk-secret-value"', 2],
  ])("that is no TOML is refused with its line and nothing of it: %j", (text, line) => {
    write(text);
    const error = refusal();
    expect(error.message).toContain(`${file()}:${line}:`);
    expect(error.message).not.toContain("sk-secret");
  });
  it.each(["A_KEY = 17", 'A_KEY = ""', '[A_KEY]\nx = "sk-secret-value"', 'A_KEY = ["sk-secret-value"]'])("with %j is refused", (text) => {
    write(text);
    expect(refusal().message).toMatch(/A_KEY is not a text/);
    expect(refusal().message).not.toContain("sk-secret");
  });
  it("that is a link is refused", () => {
    writeFileSync(join(home, "other"), 'A_KEY = "secret"', { mode: 0o600 });
    symlinkSync(join(home, "other"), file());
    expect(refusal().message).toMatch(/link/);
  });
  it("that is a pipe or a folder is refused without waiting", () => {
    execFileSync("mkfifo", ["-m", "600", file()]);
    expect(refusal().message).toMatch(/regular file/);
    rmSync(file());
    mkdirSync(file());
    expect(refusal().message).toMatch(/regular file/);
  });
  it("that is very large is refused", () => {
    write(`A_KEY = "${"x".repeat(70_000)}"`);
    expect(refusal().message).toMatch(/64 KiB/);
  });
});
