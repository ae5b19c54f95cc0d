import { describe, expect, it } from "vitest";
import { subjectOf } from "../command.ts";
import { printedLine } from "../line.ts";
import { truncate } from "./truncate.ts";

const compile = (pattern: string) => (line: string) => line.includes(pattern);
const cut = (options: Record<string, number>, texts: readonly string[]) =>
  truncate.build(truncate.options.parse(options), compile)({ lines: texts.map(printedLine), exitCode: 0, subject: subjectOf("make")! })!;

describe("truncate", () => {
  const hundred = Array.from({ length: 100 }, (_, n) => `line ${n}`);

  it("leaves a short output alone", () => {
    expect(cut({ max_lines: 100 }, hundred)).toMatchObject({ confidence: "Fallback", lines: { length: 100 } });
  });

  it("keeps head and tail, and says that it cut", () => {
    const { lines, confidence } = cut({ max_lines: 40, head: 3, tail: 2 }, hundred);
    expect(lines.map(({ text }) => text)).toEqual(["line 0", "line 1", "line 2", "line 98", "line 99"]);
    expect(confidence).toBe("Partial");
  });

  it("keeps errors between them, one of each kind before others of the same kind", () => {
    const texts = hundred.map((text, n) => (n > 30 && n < 50 ? `a.c:${n}: error: no such file` : n === 60 ? "fatal: out of memory" : text));
    const shown = cut({ max_lines: 7, head: 2, tail: 2 }, texts).lines.map(({ text }) => text);
    expect(shown).toHaveLength(7);
    expect(shown.slice(2, 5)).toEqual(["a.c:31: error: no such file", "a.c:32: error: no such file", "fatal: out of memory"]);
  });

  it("keeps a head without a tail", () => {
    expect(cut({ max_lines: 5, head: 5, tail: 0 }, hundred).lines).toHaveLength(5);
  });

  it("refuses more head and tail than lines", () => {
    expect(truncate.options.safeParse({ max_lines: 10, head: 8, tail: 8 }).error?.issues[0]?.message).toBe(
      "head + tail is more than max_lines",
    );
    expect(truncate.options.safeParse({ max_lines: 39 }).success).toBe(false);
    expect(truncate.options.safeParse({ max_lines: 40 }).success).toBe(true);
  });
});
