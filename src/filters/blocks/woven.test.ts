import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { filterText } from "../filter.ts";
import { lineOf } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { unweave } from "./woven.ts";

const lines = (texts: readonly string[]) => texts.map(lineOf);
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

  it("stay woven when taking them apart saves little", () => {
    const one = ["Listening on port 80.", "who goes there", "a long way to go, still", "ready", "bye"];
    const other = ["hello", "it rains today; stay", "we had a (small) problem", "no more", "the end is near?"];
    expect(
      filtered(
        "docker compose up",
        weave({ a: one, b: other }, (label) => `${label}-1 | `),
      ),
    ).not.toContain("streams");
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
