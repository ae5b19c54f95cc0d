import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { isSettingOn, lastSetting, parseGitConfig } from "./git-config.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "zeph-git-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What git itself reads in the text; null where it refuses it. */
function askGit(text: string): readonly [key: string, value: string][] | null {
  const file = join(folder, "config");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync("git", ["config", "--no-includes", "--null", "--list", "--file", file], {
    encoding: "utf8",
    env: { PATH: "/usr/bin:/bin" },
  });
  if (status !== 0) return null;
  return stdout
    .split("\0")
    .slice(0, -1)
    .map((said) => {
      const end = said.indexOf("\n");
      return end < 0 ? [said, "true"] : [said.slice(0, end), said.slice(end + 1)];
    });
}
/** Versions of git differ in how many blanks they keep inside of a value without quotes. */
const plain = (entries: readonly (readonly [string, string])[] | null) =>
  entries?.map(([key, value]) => [key, value.replace(/[ \t]+/g, " ")]) ?? null;
const parsed = (text: string) => plain(parseGitConfig(text)?.map(({ key, value }) => [key, value] as const) ?? null);

it.each([
  ["", []],
  ["[a]\nb = c\n", [["a.b", "c"]]],
  ["[A]B=C", [["a.b", "C"]]],
  ['[a "S u\\"b"]\nK = v', [['a.S u"b.k', "v"]]],
  ["[a]\n\tb\n", [["a.b", "true"]]],
  ["[a]\nb =\n", [["a.b", ""]]],
  ['[a]\nb = "x # y" ; z\n', [["a.b", "x # y"]]],
  ["[a]\nb = one\\\ntwo\n", [["a.b", "onetwo"]]],
  ['[a]\nb = " x "  \n', [["a.b", " x "]]],
  ["[a]\nb = c\\nd\n", [["a.b", "c\nd"]]],
  ["[a]\r\nb = c\r\n", [["a.b", "c"]]],
  ["b = c\n", [["b", "c"]]],
  ["[a\nb = c\n", null],
  ["[a]\nb = \\x\n", null],
  ['[a]\nb = "c\n', null],
  ["[a]\nb c\n", null],
])("%j is read as git reads it", (text, expected) => {
  expect(parsed(text)).toEqual(expected);
  expect(plain(askGit(text))).toEqual(expected);
});

it("reads what git reads in any text of such signs, and refuses what git refuses", () => {
  const piece = fc.constantFrom(
    "[a]",
    '[b "c"]',
    "[d.E]",
    "\n",
    " ",
    "\t",
    "k",
    "K-2",
    "=",
    "v",
    '"',
    "\\",
    "\\\n",
    "\\n",
    "#",
    ";",
    "]",
    "x y",
    "é",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = `[s]\n${pieces.join("")}`;
      expect(parsed(text), JSON.stringify(text)).toEqual(plain(askGit(text)));
    }),
    { numRuns: 150 },
  );
});

it("reads back what git writes", () => {
  const file = join(folder, "written");
  writeFileSync(file, "");
  for (const value of [' a "b" \\ # c ; d ', "x\ty", "line\nline", ""])
    execFileSync("git", ["config", "--file", file, "--add", "user.name", value], { env: { PATH: "/usr/bin:/bin" } });
  const text = execFileSync("cat", [file], { encoding: "utf8" });
  expect(parseGitConfig(text)?.map(({ value }) => value)).toEqual([' a "b" \\ # c ; d ', "x\ty", "line\nline", ""]);
});

it("takes no time for a text that is made to take long", () => {
  for (const text of ["[".repeat(200_000), `[a "${"\\".repeat(200_000)}`, `[a]\n${"b".repeat(200_000)}`, " ;".repeat(100_000)]) {
    const began = performance.now();
    parseGitConfig(text);
    expect(performance.now() - began).toBeLessThan(2000);
  }
});

it("the last setting of a name counts", () => {
  const entries = parseGitConfig("[commit]\ngpgSign\n[commit]\ngpgSign = off\n")!;
  expect(lastSetting(entries, "commit.gpgsign")).toBe("off");
  expect([undefined, "off", "0", "true", "Yes", "2"].map(isSettingOn)).toEqual([false, false, false, true, true, true]);
});
