import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/cpu.ts";
import { fencesOf } from "./fences.ts";

const cases: readonly [string, string, readonly (readonly [string, string])[]][] = [
  ["one", "a\n```bash\nls\n```\nb", [["bash", "ls"]]],
  [
    "two",
    "```a\n1\n```\n```b\n2\n```",
    [
      ["a", "1"],
      ["b", "2"],
    ],
  ],
  ["more marks", "````bash\nls\n````", [["bash", "ls"]]],
  ["a longer end", "```bash\nls\n`````", [["bash", "ls"]]],
  ["a shorter end is text", "````x\n```\n````", [["x", "```"]]],
  ["a fence in a longer one is text", "````md\n```bash\nrm -rf .\n```\n````", [["md", "```bash\nrm -rf .\n```"]]],
  ["tildes", "~~~bash\nls\n~~~", [["bash", "ls"]]],
  ["tildes are not ended by backticks", "~~~x\n```\n~~~", [["x", "```"]]],
  ["backticks are not ended by tildes", "```x\n~~~\n```", [["x", "~~~"]]],
  ["indented", "1. first\n\n   ```bash\n   ls\n     -l\n   ```", [["bash", "ls\n  -l"]]],
  ["either end of line", "```bash\r\nls\r\npwd\r\n```\r\n", [["bash", "ls\npwd"]]],
  ["spaces around the word", "```  bash \t\nls\n```  ", [["bash", "ls"]]],
  ["unclosed", "```bash\nls", []],
  ["unclosed behind a closed one", "```a\n1\n```\n```bash\nls\n", [["a", "1"]]],
  ["an end with words is text", "```bash\nls\n``` no\n```", [["bash", "ls\n``` no"]]],
  ["marks within a line", "```ls```\n```bash\nls\n```", [["bash", "ls"]]],
  ["two marks", "``bash\nls\n``", []],
  ["empty", "```bash\n```", [["bash", ""]]],
  ["marks in the middle of a line", "say ```bash\nls\n```", []],
];

describe("fences", () => {
  it.each(cases)("%s", (_name, text, expected) => expect(fencesOf(text).map(({ info, body }) => [info, body])).toEqual(expected));

  it("takes any text, and finds what was put into it", () => {
    const line = fc.stringMatching(/^[^`~\r\n]{0,20}$/);
    fc.assert(
      fc.property(fc.array(line), fc.array(line), fc.integer({ min: 3, max: 9 }), (before, body, marks) => {
        const fence = "`".repeat(marks);
        const text = [...before, `${fence}bash`, ...body, fence].join("\n");
        expect(fencesOf(text)).toEqual([{ info: "bash", body: body.join("\n") }]);
      }),
    );
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => void fencesOf(text)));
  });

  it("is quick on hostile text", () => {
    const started = cpuMs();
    for (const text of [
      `${"`".repeat(1_000_000)}\n`,
      `${"```\n".repeat(200_000)}`,
      `${" ".repeat(1_000_000)}x`,
      `\`\`\`${" ".repeat(200_000)}x${" ".repeat(200_000)}\``,
    ])
      fencesOf(text);
    expect(cpuMs() - started).toBeLessThan(4000);
  });
});
