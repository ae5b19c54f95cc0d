import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { subjectOf } from "../command.ts";
import { type Line, printedLine, sumOf } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { sanitise } from "../sanitise.ts";
import { runners } from "./index.ts";
import { readRunnerLines } from "./read-lines.ts";

const folder = new URL("../../../test/golden/filters/", import.meta.url).pathname;

/** Every real output there is for a rule about tests. */
const cases = builtInRules()
  .filter(({ strategy, name }) => strategy === "test_summary" && existsSync(join(folder, name)))
  .flatMap((rule) =>
    readdirSync(join(folder, rule.name)).map((name) => ({ rule, name: `${rule.name}/${name}`, at: join(folder, rule.name, name) })),
  )
  .map(({ rule, name, at }) => {
    const read = (file: string) => readFileSync(join(at, file), "utf8");
    const subject = subjectOf(read("cmd").trimEnd())!;
    return { rule, name, lines: sanitise(read("raw")), about: { subject, exitCode: Number(read("exit")) } };
  });

type Case = (typeof cases)[number];

const apply = ({ rule, about }: Case, texts: readonly string[]) => {
  const lines = texts.map(printedLine);
  const result = rule.apply({ lines, ...about });
  return { before: lines, after: result?.lines ?? lines, harmless: result?.harmless ?? 0 };
};
const words = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
const textOf = (lines: readonly Line[]): string => words(lines.map(({ text }) => text).join("\n"));

describe.each(cases)("$name", (one) => {
  it("keeps an error wherever it appears", () => {
    const alarm = "ERROR: disk full on /dev/vda7";
    const step = Math.ceil(one.lines.length / 20);
    for (let at = 0; at <= one.lines.length; at += step) {
      const { after } = apply(one, [...one.lines.slice(0, at), alarm, ...one.lines.slice(at)]);
      const isThere = after.some(({ text }) => text.includes(alarm));
      expect(isThere, `before line ${at + 1}`).toBe(true);
    }
  });

  it("stands for no line twice, however the command ended", () => {
    for (const exitCode of [one.about.exitCode, 0, 124]) {
      const { before, after, harmless } = apply({ ...one, about: { ...one.about, exitCode } }, one.lines);
      expect(sumOf(after).covers).toBeLessThanOrEqual(sumOf(before).covers);
      expect(sumOf(after).errors + harmless).toBeLessThanOrEqual(sumOf(before).errors);
    }
  });

  it("is not read twice", () => {
    const { after } = apply(one, one.lines);
    const again = one.rule.apply({ lines: after, ...one.about });
    expect(again === null || again.lines === after).toBe(true);
  });
});

/** What is told of failing tests, their names and what went wrong, and the lines of those that passed. */
function partsOf(one: Case) {
  const all = [...runners().values()].map((runner) => readRunnerLines(runner, one.lines.map(printedLine)));
  const told = all.find((lines) => lines.some(({ deed }) => deed === "totals") && lines.some(({ deed }) => deed === "title")) ?? [];
  const titles = told.filter(({ deed }) => deed === "title" || deed === "named").map(({ key }) => key);
  const reasons = told.filter(({ deed, block, line }) => block > 0 && deed === "keep" && line.errors > 0).map(({ text }) => text);
  const shown = textOf(apply(one, one.lines).after);
  return {
    facts: [...titles, ...reasons].map(words).filter((fact) => fact !== "" && shown.includes(fact)),
    passed: new Set(told.filter(({ deed }) => deed === "pass").map(({ line }) => line.text)),
  };
}

const failing = cases.map((one) => ({ ...one, ...partsOf(one) })).filter(({ facts, passed }) => facts.length > 0 && passed.size > 0);

describe("passing tests among the failing ones", () => {
  it("are no reason to lose a name or a reason", () => {
    expect(failing.length).toBeGreaterThan(40);
    fc.assert(
      fc.property(fc.nat(failing.length - 1), fc.infiniteStream(fc.nat()), (n, places) => {
        const one = failing[n]!;
        const shown = textOf(apply(one, shuffled(one.lines, one.passed, places)).after);
        for (const fact of one.facts) expect(shown, one.name).toContain(fact);
      }),
      { numRuns: 50 },
    );
  });
});

/** The same lines, but those of passing tests stand anywhere. */
function shuffled(lines: readonly string[], passed: ReadonlySet<string>, places: Iterator<number>): string[] {
  const mixed = lines.filter((line) => !passed.has(line));
  for (const line of [...passed].slice(0, 40)) mixed.splice(places.next().value % (mixed.length + 1), 0, line);
  return mixed;
}
