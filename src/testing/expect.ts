import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { isRecord } from "../text/json.ts";
import type { TestFunctions } from "./model-contract.ts";

/** What the suites need of an assertion library, so that they need none: they run under every test runner. */
export const expect = Object.assign(
  (actual: any) => ({ ...checks(actual, true), not: checks(actual, false), rejects: rejection(actual) }),
  {
    any: (type: NumberConstructor | StringConstructor): any =>
      new Like((value) => typeof value === type.name.toLowerCase(), `any ${type.name}`),
    stringContaining: (part: string): any => new Like((value) => typeof value === "string" && value.includes(part), `… ${part} …`),
    stringMatching: (pattern: RegExp): any => new Like((value) => typeof value === "string" && pattern.test(value), String(pattern)),
  },
);

/** One test for each row. The first place for a value in the name is the row's first value. */
export const eachRow =
  (it: TestFunctions["it"]) =>
  <T extends [unknown, ...unknown[]] | string | number>(rows: readonly T[]) =>
  (name: string, body: (...row: T extends unknown[] ? T : [T]) => Promise<void>): void => {
    for (const one of rows) {
      const row = (Array.isArray(one) ? one : [one]) as unknown as T extends unknown[] ? T : [T];
      it(
        name.replace(/%[sdj]/, (sign) => (sign === "%j" ? JSON.stringify(row[0]) : String(row[0]))),
        () => body(...row),
      );
    }
  };

/** Stands for every value of a kind. */
class Like {
  readonly fits: (value: unknown) => boolean;
  readonly words: string;
  constructor(fits: (value: unknown) => boolean, words: string) {
    this.fits = fits;
    this.words = words;
  }
  toString(): string {
    return this.words;
  }
}

function checks(actual: any, wanted: boolean) {
  const check = (holds: boolean, expected: unknown, operator: string) => {
    if (holds !== wanted) throw new assert.AssertionError({ actual, expected, operator: `${wanted ? "" : "not "}${operator}` });
  };
  return {
    toBe: (expected: unknown) => check(Object.is(actual, expected), expected, "toBe"),
    toBeNull: () => check(actual === null, null, "toBeNull"),
    toEqual: (expected: unknown) => check(equals(actual, expected, "whole"), expected, "toEqual"),
    toMatchObject: (expected: unknown) => check(equals(actual, expected, "part"), expected, "toMatchObject"),
    toContain: (expected: unknown) => check(actual.includes(expected), expected, "toContain"),
    toHaveLength: (expected: number) => check(actual.length === expected, expected, "toHaveLength"),
    toMatch: (expected: RegExp) => check(expected.test(actual), expected, "toMatch"),
    toBeGreaterThan: (expected: number) => check(actual > expected, expected, "toBeGreaterThan"),
    toBeLessThan: (expected: number) => check(actual < expected, expected, "toBeLessThan"),
    toThrow: (expected = "") => check(thrownBy(actual)?.includes(expected) === true, expected, "toThrow"),
  };
}

const rejection = (actual: any) => ({
  async toThrow(expected = "") {
    const thrown = await Promise.resolve(actual).then(() => null, messageOf);
    if (!thrown?.includes(expected)) throw new assert.AssertionError({ actual: thrown, expected, operator: "rejects.toThrow" });
  },
});

function thrownBy(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What is undefined counts as absent. Of a part, an object may hold more than is expected. */
function equals(actual: unknown, expected: unknown, how: "whole" | "part"): boolean {
  if (expected instanceof Like) return expected.fits(actual);
  if (Array.isArray(expected))
    return Array.isArray(actual) && actual.length === expected.length && expected.every((one, n) => equals(actual[n], one, how));
  if (!isRecord(expected) || !isRecord(actual)) return isDeepStrictEqual(actual, expected);
  const names = how === "part" ? Object.keys(expected) : [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  return names.every((name) => equals(actual[name], expected[name], how));
}
