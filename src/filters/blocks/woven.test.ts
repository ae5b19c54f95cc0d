import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { unweave } from "./woven.ts";

const lines = (texts: readonly string[]) => texts.map(printedLine);
const filtered = (command: string, texts: readonly string[], exitCode = 0) =>
  filterText({ command, raw: texts.join("\n"), exitCode }, builtInRules()).text;

/** What a stream of node:test says of so many tests. */
const tap = (count: number, failing: number | null) => [
  "TAP version 13",
  ...Array.from({ length: count }, (_, n) => [
    `# Subtest: case ${n}`,
    `${n === failing ? "not ok" : "ok"} ${n + 1} - case ${n}`,
    "  ---",
    `  duration_ms: 0.${n}12`,
    ...(n === failing ? ["  location: '/app/b/x.test.js:3:1'", "  error: 'two is not three'"] : []),
    "  ...",
  ]).flat(),
  `1..${count}`,
  `# tests ${count}`,
  `# pass ${failing === null ? count : count - 1}`,
  `# fail ${failing === null ? 0 : 1}`,
];

/** Line by line in turn. */
const weave = (streams: Readonly<Record<string, readonly string[]>>, prefix: (label: string) => string): string[] => {
  const all = Object.entries(streams);
  const longest = Math.max(...all.map(([, texts]) => texts.length));
  return Array.from({ length: longest }, (_, n) =>
    all.flatMap(([label, texts]) => (texts[n] === undefined ? [] : [`${prefix(label)}${texts[n]}`])),
  ).flat();
};

describe("lines with prefixes", () => {
  it.each([
    ["pnpm -r test", "packages/a test: text", "packages/b test: text"],
    ["pnpm -r test", ". test: text", "apps/web test: text"],
    ["npx turbo run build", "web:build: text", "@acme/api:build: text"],
    ["docker compose up", "web-1  | text", "db-1   | text"],
    ["docker compose logs", "web-1  | text", "db-1   |"],
    ["foreman start", "12:00:01 web.1    | text", "12:00:02 worker.1 | text"],
    ["npm run dev", "[0] text", "[1] text"],
    ["npx concurrently -n web,api 'a' 'b'", "[web] text", "[api] text"],
    ["npx lerna run test --stream", "@acme/web: text", "api: text"],
    ["parallel --tag echo ::: a b", "a\ttext", "b\ttext"],
  ])("of %s are streams: %s", (command, one, other) => {
    const woven = unweave(lines(Array.from({ length: 6 }, () => [one, other]).flat()), command);
    expect(woven?.streams.size).toBe(2);
    expect([...woven!.streams.values()].flat().every(({ text }) => /^(?:\d\d:\d\d:\d\d )?(?:text)?$/.test(text))).toBe(true);
  });

  it.each([
    ["levels", ["[INFO] text", "[ERROR] text"]],
    ["words of a linter", ["[skipped] a.js", "[created] b.js"]],
    ["places", ["src/a.c:12: text", "src/b.c:14: text"]],
    ["names of the other side", ["remote: text", "hint: text"]],
    ["plain sentences", ["we went home: text", "they stayed: text"]],
  ])("are no streams when they are %s", (_, two) => {
    expect(unweave(lines(Array.from({ length: 6 }, () => two).flat()), "make")).toBeNull();
  });
});

describe("a few lines with a prefix", () => {
  const turn = (count: number): string[] => Array.from({ length: count }, (_, n) => `packages/p${n % 2} test: text ${n}`);
  const others = (count: number): string[] => Array.from({ length: count }, (_, n) => `plain ${n}`);
  const isWoven = (texts: readonly string[]): boolean => unweave(lines(texts), "pnpm -r test") !== null;

  it("are no streams below eight lines, and blank ones between them do not count", () => {
    const alone = (count: number) => turn(count).map((text) => text.replace(/p\d/, "p"));
    expect(isWoven(alone(8))).toBe(true);
    expect(isWoven(alone(7))).toBe(false);
    expect(isWoven(turn(8).flatMap((text) => [text, ""]))).toBe(true);
  });

  it("are no streams where each has fewer than four lines", () => {
    const each = (streams: number) => Array.from({ length: 12 }, (_, n) => `packages/p${n % streams} test: text`);
    expect(isWoven(each(3))).toBe(true);
    expect(isWoven(each(4))).toBe(false);
  });

  it("are no streams where they are less than two fifths of the whole", () => {
    expect(isWoven([...turn(40), ...others(60)])).toBe(true);
    expect(isWoven([...turn(40), ...others(61)])).toBe(false);
  });

  it("are no streams where less than seven of ten between the first and the last of them carry one", () => {
    const [first, ...rest] = turn(14);
    expect(isWoven([first!, ...others(6), ...rest])).toBe(true);
    expect(isWoven([first!, ...others(7), ...rest])).toBe(false);
  });
});

describe("streams that were woven into one output", () => {
  const streams = { "packages/a": tap(12, null), "packages/b": tap(12, 7), "packages/c": tap(12, null) };
  const woven = ["Scope: 3 of 4 workspace projects", ...weave(streams, (label) => `${label} test: `), "Exit status 1"];

  it("are filtered one by one, each under its prefix", () => {
    const text = filtered("pnpm -r test", woven, 1);
    expect(text).toContain("3 streams, each in its own order:");
    expect(text).toContain("packages/a test (65 lines):");
    expect(text).toContain("not ok 8 - case 7");
    expect(text).toContain("two is not three");
    expect(text).toContain("Scope: 3 of 4");
    expect(text).toContain("Exit status 1");
    expect(text).not.toContain("duration_ms");
    expect(text.indexOf("not ok 8")).toBeGreaterThan(text.indexOf("packages/b test ("));
    expect(text.indexOf("not ok 8")).toBeLessThan(text.indexOf("packages/c test ("));
  });

  it("are counted as any other omission", () => {
    expect(filtered("pnpm -r test", woven, 1)).toMatch(/\[-\d+ lines\]$/);
  });

  it("count as left out what is not shown, and nothing else", () => {
    const passed = Array.from({ length: 6 }, (_, n) => `✓ case number ${n} of a suite that is long enough`);
    const said = [...passed, "warning: one is slow", " Tests  6 passed (6)"];
    const text = filtered(
      "pnpm -r test",
      weave({ "packages/a": said, "packages/b": said }, (label) => `${label} test: `),
    );
    expect(text.split("\n").filter((line) => /slow|6 passed/.test(line))).toHaveLength(4);
    expect(text).toContain("[-12 lines]");
  });

  it("stay woven when taking them apart saves less than a tenth", () => {
    const words = "alpha bravo cedar delta ember fjord grove heron ivory joker karma lemon mango noble".split(" ");
    const sentence = (n: number, length: number) =>
      Array.from({ length }, (_, k) => words[(n * 5 + k * k * (n + 1)) % words.length]).join(" ");
    const again = Array.from({ length: 4 }, () => "waiting for the database to answer");
    const stream = (from: number, length: number) => [...again, ...[0, 1, 2, 3, 4, 5].map((n) => sentence(from + n, length + (n % 3)))];
    const woven = (length: number) => weave({ a: stream(0, length), b: stream(6, length) }, (label) => `packages/${label} test: `);
    expect(filtered("pnpm -r test", woven(30))).not.toContain("streams");
    expect(filtered("pnpm -r test", woven(8))).toContain("2 streams");
  });

  it("stay as they are when someone chose lines of them", () => {
    expect(filtered("pnpm -r test | grep -v foo", woven, 1)).toBe(woven.join("\n"));
  });

  it("hold every line, in its own order, whatever the others said in between", () => {
    const said = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.stringMatching(/^[a-z]{0,9}$/)), { minLength: 20, maxLength: 60 });
    fc.assert(
      fc.property(said, (all) => {
        const woven = unweave(lines(all.map(([stream, text]) => `packages/p${stream} test: ${text}`)), "pnpm -r test");
        const apart = [0, 1, 2].map((stream) => all.flatMap(([of, text]) => (of === stream ? [text] : [])));
        expect(apart.map((_, n) => woven?.streams.get(`packages/p${n} test`)?.map(({ text }) => text) ?? [])).toEqual(apart);
      }),
      { numRuns: 100, seed: 1 },
    );
  });
});
