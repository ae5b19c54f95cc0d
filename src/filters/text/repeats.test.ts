import { describe, expect, it } from "vitest";
import { type Line, printedLine, sumOf } from "../line.ts";
import { withoutCounters } from "./counters.ts";
import { withoutProgress } from "./progress.ts";
import { withoutRepeats } from "./repeats.ts";

const linesOf = (texts: readonly string[]): Line[] => texts.map(printedLine);
const textsOf = (lines: readonly Line[] | null): string[] => (lines ?? []).map(({ text }) => text);

describe("lines said again and again", () => {
  const short = (texts: readonly string[]) => textsOf(withoutRepeats(linesOf(texts)));

  it("are said once, and how often", () => {
    expect(short(["a", ...Array.from({ length: 42 }, () => "connection refused, trying again"), "b"])).toEqual([
      "a",
      "connection refused, trying again (×42)",
      "b",
    ]);
  });

  it("may differ in their time and in UUIDs", () => {
    const raw = [
      "08:00:01 poll d118fce8-8a28-4b21-b26e-cda47c952857 done",
      "08:00:02 poll 19eeac0e-afe7-f470-44f0-54fa0813799f done",
      "08:00:03 poll 29eeac0e-afe7-f470-44f0-54fa0813799f done",
    ];
    expect(short(raw)).toEqual([`${raw[0]} (and 2 like it until 08:00:03)`]);
  });

  it("may be blocks of lines", () => {
    const block = ["DeprecationWarning: x is going away", "  use y", "  see docs"];
    expect(short(["a", ...block, ...block, ...block, "b"])).toEqual(["a", ...block, "(the 3 lines above ×3)", "b"]);
  });

  it("stand for all of them", () => {
    const raw = linesOf(["ERROR: disk is full again", "ERROR: disk is full again", "x", "y", "x", "y", "x", "y"]);
    expect(sumOf(withoutRepeats(raw))).toEqual(sumOf(raw));
  });

  it("stay where nothing would be won", () => {
    expect(short(["}", "}", "x"])).toEqual(["}", "}", "x"]);
    expect(short(["a 1", "a 2", "a 3"])).toEqual(["a 1", "a 2", "a 3"]);
  });
});

describe("progress", () => {
  const short = (texts: readonly string[]) => textsOf(withoutProgress(linesOf(texts)));

  it.each([
    ["percent", (n: number) => `Progress: ${n * 10}% |${"#".repeat(n)}|`],
    ["counts", (n: number) => `Processing ${n}/10`],
    ["dots", (n: number) => `  ${n * 50}K .......... .......... ${n * 10}% ${n}.${n}M ${10 - n}s`],
    ["a bar", (n: number) => `[${"=".repeat(n)}>${" ".repeat(10 - n)}] ${n * 10}% ${n} MB/s eta ${n}s`],
    ["tqdm", (n: number) => ` ${n * 10}%|${"█".repeat(n)}| ${n}/10 [00:0${n % 10}<00:01, ${n}.2it/s]`],
  ])("in %s is told by its last line", (_, step) => {
    const raw = Array.from({ length: 11 }, (_, n) => step(n));
    expect(short(["start", ...raw, "end"])).toEqual(["start", raw[10], "end"]);
  });

  it("is counted as left out", () => {
    expect(sumOf(withoutProgress(linesOf(["10%", "20%", "30%", "40%"]))).covers).toBe(1);
  });

  it("is not what lines about different things are", () => {
    const raw = ["src/a.ts 80%", "src/b.ts 90%", "src/c.ts 95%"];
    expect(short(raw)).toEqual(raw);
    const tests = ["1/3 adds", "2/3 subtracts", "3/3 divides"];
    expect(short(tests)).toEqual(tests);
  });

  it("keeps an error between its lines", () => {
    expect(short(["10%", "20%", "30% failed", "40%", "50%", "60%"])).toEqual(["10%", "20%", "30% failed", "60%"]);
  });

  it("begins anew when it goes down", () => {
    expect(short(["50%", "75%", "100%", "10%", "50%", "100%"])).toEqual(["100%", "100%"]);
  });
});

describe("numbered lines", () => {
  const numbered = Array.from({ length: 30 }, (_, n) => (n === 17 ? "エラー：在庫なし #17" : `${["read", "written"][n % 2]} #${n}`));

  it("that else say the same are said once", () => {
    expect(textsOf(withoutCounters(linesOf([...numbered, "30 records"])))).toEqual([
      "read #0 (and 14 like it until 28)",
      "written #1 (and 13 like it until 29)",
      "エラー：在庫なし #17",
      "30 records",
    ]);
  });

  it("that look like errors stay, each of them", () => {
    const raw = Array.from({ length: 30 }, (_, n) => (n % 10 === 5 ? `failed to read #${n}` : `read #${n}`));
    expect(textsOf(withoutCounters(linesOf(raw)))).toEqual([
      "read #0 (and 26 like it until 29)",
      "failed to read #5",
      "failed to read #15",
      "failed to read #25",
    ]);
  });

  it("stay where a number is missing", () => {
    const raw = Array.from({ length: 30 }, (_, n) => `created migration ${n < 12 ? n : n + 1}`);
    expect(withoutCounters(linesOf(raw))).toBeNull();
  });

  it("that say different things stay", () => {
    const raw = Array.from({ length: 30 }, (_, n) => `user ${n}: ${n.toString(36)}x${n * 7}`);
    expect(textsOf(withoutCounters(linesOf(raw)) ?? linesOf(raw))).toEqual(raw);
  });

  it("are names where they are nothing but a word", () => {
    const raw = Array.from({ length: 30 }, (_, n) => `17 file-${n}.txt`);
    expect(withoutCounters(linesOf(raw))).toBeNull();
  });

  it("are none where numbers do not follow one another", () => {
    expect(withoutCounters(linesOf(Array.from({ length: 30 }, (_, n) => `deleted file ${n * n}`)))).toBeNull();
  });
});
