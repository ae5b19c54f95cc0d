import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, it } from "vitest";
import { compileSchema } from "../../src/mcp/client/schema/compile.ts";
import { costProblem } from "../../src/mcp/client/schema/cost.ts";
import { patternSize } from "../../src/mcp/client/schema/pattern-size.ts";
import { problemOf } from "../../src/mcp/client/tools.ts";
import { createDefinition } from "../../src/mcp/client/trust/definitions.ts";
import { cpuMs } from "../cpu.ts";

const many = <T>(n: number, one: (n: number) => T): T[] => Array.from({ length: n }, (_, i) => one(i));
const named = (n: number, one: (n: number) => readonly [string, unknown]) => Object.fromEntries(many(n, one));
const object = (more: Record<string, unknown>) => ({ type: "object", ...more });
const problem = (inputSchema: Record<string, unknown>) => problemOf(createDefinition("t", { name: "t", inputSchema }));

const COSTLY: readonly (readonly [string, Record<string, unknown>])[] = [
  ["a choice of thousands", object({ anyOf: many(7000, () => ({})) })],
  ["a choice of thousands that say only yes", object({ anyOf: many(7000, () => true) })],
  ["one of many", object({ oneOf: many(1800, (i) => ({ required: [`a${i}`] })) })],
  ["many choices of a few", object({ properties: named(200, (i) => [`p${i}`, { oneOf: [{ type: "string" }, { type: "null" }] }]) })],
  ["names by patterns", object({ patternProperties: named(2200, (i) => [`x${i}`, {}]) })],
  ["patterns that repeat what repeats", object({ patternProperties: named(50, (i) => [`(?:x{100}){10}${i}`, {}]) })],
  ["one pattern that repeats what is long", object({ properties: { a: { pattern: `(?:${"x".repeat(400)}){1000}` } } })],
  ["thousands of properties", object({ properties: named(2500, (i) => [`p${i}`, { type: "string" }]) })],
  ["a name that needs thousands of others", object({ dependentRequired: { a: many(6000, (i) => `d${i}`) } })],
  ["thousands of values", object({ properties: { a: { enum: many(6000, (i) => `e${i}`) } } })],
  ["a schema where none belongs", object({ "x-more": named(2500, (i) => [`d${i}`, {}]), properties: { a: { $ref: "#/x-more/d0" } } })],
  ["thousands of references", object({ $defs: { a: {} }, properties: named(1500, (i) => [`p${i}`, { $ref: "#/$defs/a" }]) })],
];

describe("a schema that would take seconds to compile", () => {
  it.each(COSTLY)("is refused when it is listed, and is never compiled: %s", (_, schema) => {
    const begun = cpuMs();
    expect(problem(schema)).toMatch(/^its inputSchema (has|lists) /);
    expect(() => compileSchema(schema)).toThrow(/^it (has|lists) /);
    expect(cpuMs() - begun).toBeLessThan(2000);
  });

  it.each([
    ["a choice", object({ oneOf: many(60, (i) => ({ required: [`a${i}`] })) })],
    ["choices", object({ properties: named(11, (n) => [`p${n}`, { oneOf: many(20, (i) => ({ required: [`a${i}`, "b"] })) }]) })],
    ["properties", object({ properties: named(590, (i) => [`p${i}`, { type: "string" }]) })],
    ["one pattern everywhere", object({ properties: named(590, (i) => [`p${i}`, { pattern: "(?:x{100}){10}" }]) })],
  ])("stops short of the limit: %s", (_, schema) => {
    expect(problem(schema)).toBeNull();
    const begun = cpuMs();
    compileSchema(schema);
    // Far more than it takes, for a machine that does other things meanwhile.
    expect(cpuMs() - begun).toBeLessThan(4000);
  });

  it("is none of those that servers have: a hundred optional arguments, long lists of names, dates, and nested objects", () => {
    const optional = named(100, (i) => [
      `p${i}`,
      { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: `P${i}`, description: "What it is for" },
    ]);
    expect(problem(object({ properties: optional, required: many(50, (i) => `p${i}`) }))).toBeNull();
    const date = String.raw`^((\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-((0[13578]|1[02])-(0[1-9]|[12]\d|3[01])))T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?Z$`;
    const nested = object({ properties: named(20, (i) => [`k${i}`, { type: "string", description: "x", pattern: date }]) });
    expect(
      problem(object({ properties: { zone: { enum: many(600, (i) => `Area/City${i}`) }, ...named(5, (i) => [`n${i}`, nested]) } })),
    ).toBeNull();
  });
});

describe("the size of a pattern", () => {
  it.each([
    "^[a-z]{8}-[0-9a-f]{4}$",
    "(?:x{100}){10}",
    "((a|b){3}c){5}",
    "(?:[(]x){20}(?:\\)y){3}",
    "a{2,}b{0}c{0,7}",
    "(?:(?:x{10}){10}){10}",
    "^(?:[0-9]+[:|-]){20}$",
    "[a[:b]{50}",
  ])("is no less than it is: %s", (source) => {
    const real = RE2JS.compile(RE2JS.translateRegExp(source)).programSize();
    expect(patternSize(source)).toBeGreaterThanOrEqual(real / 3);
    expect(patternSize(source)).toBeLessThan(real * 10);
  });

  it("any pattern at all: what is small by this is small", () => {
    const piece = fc.constantFrom(
      "x",
      "(",
      ")",
      "(?:",
      "[",
      "]",
      "[^",
      "{3}",
      "{40}",
      "{2,9}",
      "*",
      "?",
      "|",
      "\\",
      "\\d",
      "\\pL",
      "^",
      "-",
      "[:a:]",
      "[:",
      ":]",
      "\\Q",
      "\\E",
      "{",
      "}",
      ",",
      "5",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const source = pieces.join("");
        const size = patternSize(source);
        let real = 0;
        try {
          real = RE2JS.compile(RE2JS.translateRegExp(source)).programSize();
        } catch {
          return;
        }
        expect(real).toBeLessThanOrEqual(size * 4 + 10);
      }),
      { numRuns: 600 },
    );
  });
});

it("a pattern with a colon behind a bracket is a check like any other", () => {
  const id = object({ properties: { id: { type: "string", pattern: "^I?\\d+[:|-]\\d+$" } } });
  expect(problem(id)).toBeNull();
  expect(["1:2", "I12-3", "1|2", "12", "1;2"].map((value) => compileSchema(id)({ id: value }).length === 0)).toEqual([
    true,
    true,
    true,
    false,
    false,
  ]);
});

describe("compiled checks", () => {
  it("are made once for schemas that say the same", () => {
    const schema = () => object({ properties: named(300, (i) => [`once${i}`, { type: "string", minLength: 1 }]) });
    expect(compileSchema(schema())).toBe(compileSchema(schema()));
  });

  it("that are not in use are forgotten", () => {
    const first = object({ properties: { first: { type: "string" } } });
    const made = compileSchema(first);
    for (let n = 0; n < 100; n++) compileSchema(object({ properties: { [`later${n}`]: { type: "string" } } }));
    expect(compileSchema(first)).not.toBe(made);
  });

  it("are not spoilt by one that fails half-way", () => {
    const ring = object({ properties: { a: { $ref: "#/$defs/none" } } });
    expect(() => compileSchema(ring)).toThrow("none");
    expect(() => compileSchema(ring)).toThrow("none");
    expect(compileSchema(object({ properties: { z: { type: "string" } } }))({ z: 1 })).toHaveLength(1);
  });

  it("cost nothing to refuse, however large what is asked for is", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        costProblem(value);
      }),
    );
  });
});
