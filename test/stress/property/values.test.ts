import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMarkers } from "../../../src/core/marker.ts";
import { isBinary, sanitise } from "../../../src/filters/sanitise.ts";
import { stampOf } from "../../../src/filters/text/stamps.ts";
import { always, changed, samples, shorten } from "./law.ts";
import type { Sample } from "./outputs.ts";

// No value of what was printed is lost without a count. What a value is, is said here once more, in other words than the filter's.

/** Numbers with their points, names with a digit, an underscore or a capital inside, and the words of a path. */
const VALUES =
  /[\p{L}_]*\d[\p{L}\d_]*(?:\.\d+)*|[\p{L}\d]+_[\p{L}\d_]+|\p{L}+\p{Lu}\p{L}*|(?<=\/)\p{Ll}{2,}|\p{Ll}{2,}(?=\/)|(?<=")\p{Ll}{2,}(?=")/gu;
const valuesIn = (text: string): string[] => text.match(VALUES) ?? [];

/** Lines of which something is nowhere in what is shown. Those that differ in the moment they begin with are the same. */
function linesWithLoss(raw: string, text: string): string[] {
  const said = new Set(valuesIn(text).flatMap((value) => [value, ...value.split(/(?=\d)(?<!\d)/)]));
  const isSaid = (value: string) =>
    said.has(value) || text.includes(value) || /^[\d.]+(?=[a-zA-Zµ]{1,3}$)/.test(value) || /^[\da-f]{32,}$/i.test(value);
  return sanitise(raw)
    .map(escapeMarkers)
    .filter((line) => {
      const { at = 0, stamp = "" } = stampOf(line) ?? {};
      return line.trim() !== "" && !valuesIn(line.slice(0, at) + line.slice(at + stamp.length)).every(isSaid);
    });
}

function lostUncounted({ command, raw, exitCode }: Omit<Sample, "name">): string[] {
  if (isBinary(raw)) return [];
  const { text, left } = shorten({ command, raw, exitCode });
  const lines = linesWithLoss(raw, text);
  const isCounted = left !== null && (left.values > 0 || left.characters > 0 || left.lines >= lines.length);
  return isCounted ? [] : lines;
}

/** How many lines are counted as left out although they stand in the text as they were printed. */
function shownButCounted(sample: Omit<Sample, "name">): number {
  if (isBinary(sample.raw)) return 0;
  const { text, left } = shorten(sample);
  const printed = sanitise(sample.raw).filter((line) => line !== "");
  const shown = new Map<string, number>();
  for (const line of text.split("\n")) shown.set(line, (shown.get(line) ?? 0) + 1);
  const missing = printed.filter((line) => {
    const times = shown.get(line) ?? 0;
    shown.set(line, times - 1);
    return times <= 0;
  });
  return Math.max((left?.lines ?? 0) - missing.length, 0);
}

describe("no line that is shown is counted as left out", () => {
  it("of the real outputs as they are", () =>
    expect(samples.filter((sample) => shownButCounted(sample) > 0).map(({ name }) => name)).toEqual([]));

  it("of real outputs that something happened to", () =>
    always(
      fc.property(changed, (sample) => {
        expect(shownButCounted(sample)).toBe(0);
      }),
    ));
});

describe("no value is lost without a count", () => {
  it("of the real outputs as they are", () =>
    expect(samples.filter((sample) => lostUncounted(sample).length > 0).map(({ name }) => name)).toEqual([]));

  it("of real outputs that something happened to", () =>
    always(
      fc.property(changed, (sample) => {
        expect(lostUncounted(sample)).toEqual([]);
      }),
    ));

  it("of lines that are alike but for a few values", () =>
    always(
      fc.property(alike, command, (lines, command) => {
        expect(lostUncounted({ command, raw: lines.join("\n"), exitCode: 0 })).toEqual([]);
      }),
    ));

  it("of tables", () =>
    always(
      fc.property(table, command, (raw, command) => {
        expect(lostUncounted({ command, raw, exitCode: 0 })).toEqual([]);
      }),
    ));
});

const command = fc.constantFrom(
  "./run.sh",
  "make",
  "npm test",
  "npm outdated",
  "tail -n 50 app.log",
  "journalctl -u app",
  "docker logs web",
  "kubectl get pods",
  "ls -l",
  "eslint src",
  "grep -rn port .",
  "cat app.log",
);

const value = fc.oneof(
  fc.integer({ min: 0, max: 70_000 }).map(String),
  fc.uuid(),
  fc.ipV4(),
  fc.constantFrom("alpha", "betaTwo", "gamma_3", "/var/lib/x", "src/a.ts:3", '"done"', "12.5ms", "4.1MB", "<none>"),
  fc.stringMatching(/^[a-f\d]{6,12}$/),
);
const shape = fc.constantFrom(
  (a: string, b: string) => `ERROR cannot bind port ${a} of ${b}`,
  (a: string, b: string) => `INFO worker[${a}]: took ${b}`,
  (a: string, b: string) => `[deploy] step ${a}/${b}`,
  (a: string) => `connection from 10.0.0.1 port ${a}`,
  (a: string, b: string) => `${a} copied to ${b}`,
  (a: string) => `same thing again and again, ${a}`,
  (a: string, b: string) => `app ${a} failed: Error: timed out after ${b}`,
  (a: string, b: string) => `warning: ${b} is deprecated, use ${a}`,
);
const stamp = fc.constantFrom(
  () => "",
  (n: number) => `2026-11-15T06:12:${String(n % 60).padStart(2, "0")}.000Z `,
  (n: number) => `Nov 15 06:12:${String(n % 60).padStart(2, "0")} host `,
  (n: number) => `[${n}] `,
);
const alike = fc
  .tuple(shape, stamp, fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 30 }))
  .map(([say, when, values, times]) =>
    Array.from({ length: times * values.length }, (_, n) => `${when(n)}${say(...values[n % values.length]!)}`),
  );

const table = fc
  .tuple(
    fc.array(fc.array(value, { minLength: 4, maxLength: 4 }), { minLength: 1, maxLength: 8 }),
    fc.array(fc.integer({ min: 0, max: 3 })),
  )
  .map(([rows, same]) => {
    const body = rows.map((row) => row.map((cell, n) => (same.includes(n) ? rows[0]![n]! : cell)));
    return [["NAME", "STATE", "Current", "Depended by"], ...body]
      .map((row) =>
        row
          .map((cell) => cell.padEnd(40))
          .join("  ")
          .trimEnd(),
      )
      .join("\n");
  });
