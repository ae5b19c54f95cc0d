import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readRuleFile } from "./rule-file.ts";

const home = mkdtempSync(join(tmpdir(), "zeph-rules-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const userFile = join(home, "config.toml");
const at = { userFile, home };
const put = (name: string, text: string) => {
  writeFileSync(join(home, name), text);
  return join(home, name);
};

describe("the rule file of a person", () => {
  it("is not missed when nobody named one", () => {
    expect(readRuleFile("", at)).toEqual({ file: null, warnings: [] });
    expect(readRuleFile("", { userFile: null, home })).toEqual({ file: null, warnings: [] });
  });

  it("lies beside the configuration, or where it was named", () => {
    const other = put("other.toml", "# b");
    for (const named of ["other.toml", other]) expect(readRuleFile(named, at).file).toEqual({ name: other, text: "# b" });
    expect(readRuleFile("~/other.toml", at).file!.text).toBe("# b");
    const beside = put("filters.toml", "# a");
    expect(readRuleFile("", at).file).toEqual({ name: beside, text: "# a" });
  });

  it("is told about when it was named and cannot be read", () => {
    expect(readRuleFile("missing.toml", at)).toEqual({
      file: null,
      warnings: [`${join(home, "missing.toml")}: This file does not exist. The built-in rules are used.`],
    });
    expect(readRuleFile(home, at).warnings[0]).toContain("not a regular file");
  });

  it("is not waited for when it is a pipe, and not read when it is huge", () => {
    execFileSync("mkfifo", [join(home, "pipe.toml")]);
    expect(readRuleFile("pipe.toml", at).warnings[0]).toContain("not a regular file");
    put("huge.toml", "#".repeat(1024 * 1024 + 1));
    expect(readRuleFile("huge.toml", at).warnings[0]).toContain("larger than 1048576 bytes");
  });
});
