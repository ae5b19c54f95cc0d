import { describe, expect, it } from "vitest";
import { filterText } from "./filter.ts";
import { gatherLines, readGathered } from "./gather.ts";
import { sumOf } from "./line.ts";
import { builtInRules } from "./rules.ts";

const times = (count: number, text: (n: number) => string): string[] => Array.from({ length: count }, (_, n) => text(n));
const entriesOf = (texts: readonly string[], most: number) => gatherLines(texts, most).entries.map(({ text, count }) => [text, count]);

describe("The lines of an output", () => {
  it("are all there while they are few, however often each is printed", () => {
    const texts = [...times(80, () => "y"), "z"];
    const { entries, isWhole, length } = gatherLines(texts, 100);
    expect(entries.map(({ text }) => text)).toEqual(texts);
    expect(isWhole).toBe(true);
    expect(length).toBe(texts.join("\n").length);
  });

  it("that are the same are one entry where there are too many", () => {
    expect(entriesOf([...times(1000, () => "y"), "z", ...times(1000, () => "y")], 100)).toEqual([
      ["y", 1000],
      ["z", 1],
      ["y", 1000],
    ]);
  });

  it("lose their middle where there are too many, but for one of each kind of error, and all are counted", () => {
    const texts = times(1000, (n) => (n % 100 === 50 ? `ERROR: disk ${n} is full` : `line ${n}`));
    const gathered = gatherLines(texts, 100);
    const { printed, lines } = readGathered(gathered);
    expect(gathered.isWhole).toBe(false);
    expect(lines.length).toBeLessThan(200);
    expect(lines[0]!.text).toBe("line 0");
    expect(lines.at(-1)!.text).toBe("line 999");
    expect(lines.map(({ text }) => text)).toContainEqual(
      expect.stringMatching(/^ERROR: disk 50 is full \(×\d\)$|^ERROR: disk 150 is full \(×\d\)$/),
    );
    expect(sumOf(printed)).toEqual({ covers: 1000, errors: 10 });
  });

  it("hold errors of a hundred kinds from the middle, and count the others", () => {
    const letters = (n: number) => String.fromCharCode(97 + (n % 26), 97 + ((n / 26) % 26));
    const { printed, lines } = readGathered(
      gatherLines(
        times(1000, (n) => `ERROR: ${letters(n)} ${letters(n * 7)} is missing`),
        100,
      ),
    );
    expect(lines.length).toBeLessThanOrEqual(250);
    expect(sumOf(printed)).toEqual({ covers: 1000, errors: 1000 });
  });
});

describe("An output of a million lines", () => {
  const filtered = (raw: string) => filterText({ command: "./tool", raw, exitCode: 0 }, builtInRules());

  it("that are the same is one line that counts them", () => {
    const { text, rawLines, left } = filtered("y\n".repeat(1_000_000));
    expect(text).toBe("y (×1000000)");
    expect(rawLines).toBe(1_000_000);
    expect(left).toBeNull();
  });

  it("says how many are left out, and shows the error among them", () => {
    const { text, left } = filtered(`${"a\nb\nc\n".repeat(200_000)}ERROR: disk is full\n${"c\nb\na\n".repeat(200_000)}`);
    expect(text).toContain("ERROR: disk is full");
    expect(left!.errors).toBe(0);
    expect(left!.lines).toBeGreaterThan(700_000);
  });
});
