import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyCharacter } from "../../any-character.ts";
import { always, changed, samples, shorten } from "./law.ts";
import { errorLine } from "./outputs.ts";

describe("nothing printed or typed is too odd", () => {
  const odd = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 3000 }),
    fc.string({ unit: "grapheme", maxLength: 3000 }),
    fc
      .array(
        fc.constantFrom(
          "\u001b[",
          "\u001b]0;",
          "\r",
          "\n",
          "\u0000",
          "[-1 lines]",
          "error",
          "✓",
          "diff --git a/x b/x",
          "@@",
          "FAIL",
          "\t",
          " ",
          "\ufffd",
          "×",
        ),
        { maxLength: 400 },
      )
      .map((parts) => parts.join("")),
  );
  const commands = fc.oneof(odd, fc.constantFrom(...samples.map(({ command }) => command), "make"));

  it("any text, any command, any exit code", () =>
    always(
      fc.property(odd, commands, fc.integer({ min: -1, max: 256 }), (raw, command, exitCode) => {
        const { text, lines, rawLines } = shorten({ command, raw, exitCode });
        expect(text.length).toBeLessThanOrEqual(raw.length + (raw.match(/\[/g)?.length ?? 0));
        expect(Number.isInteger(lines) && Number.isInteger(rawLines)).toBe(true);
      }),
    ));

  it("any text in the clothes of a real one", () =>
    always(
      fc.property(changed, odd, errorLine, (sample, noise, error) => {
        const lines = sample.raw.split("\n");
        const half = Math.floor(lines.length / 2);
        const { text, rule } = shorten({ ...sample, raw: [...lines.slice(0, half), noise, "", error, ...lines.slice(half)].join("\n") });
        if (rule !== "binary") expect(text).toContain(error.trim());
      }),
    ));

  const LENGTH = 100_000;
  const HOSTILE = [
    "a",
    " ",
    "\t",
    "(",
    "[",
    "{",
    "<",
    "\u001b[",
    "\u001b]",
    "-",
    "=",
    ".",
    ":",
    "1",
    "a ",
    "a\n",
    "\n",
    " \n",
    "error ",
    "error\n",
    "a:1:",
    "at (",
    "| ",
    "✓ a\n",
    "FAIL a\n",
    "+a\n",
    "diff --git a/a b/a\n",
    "@@ -1 +1 @@\n",
    "a=b ",
    "//",
    "\\",
    '"',
    "'",
    "=== ",
    "--- ",
    "... ",
    "a/",
    "1.",
    "0x",
    "é",
    "×",
    "\r",
    "%",
  ];
  const KINDS = [
    "make",
    "cat a.log",
    "git diff",
    "git status",
    "npm test",
    "npm install",
    "cargo build",
    "pytest",
    "docker build .",
    "ls -la",
    "terraform plan",
    "./ci.sh",
  ];
  it.each(HOSTILE)("a great deal of %j, in time", (part) => {
    const raw = part.repeat(LENGTH / part.length);
    for (const command of KINDS) shorten({ command, raw: `start\n${raw}\nend`, exitCode: 1 });
  });
});
