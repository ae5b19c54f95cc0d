import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../../src/core/call.ts";
import { ToolError } from "../../src/core/error.ts";
import { ToolRequest } from "../../src/core/request.ts";
import { compileSchema } from "../../src/mcp/client/schema/compile.ts";
import { inputOf, parametersOf, schemaProblem } from "../../src/mcp/client/schema/input-schema.ts";
import { outputMisfit } from "../../src/mcp/client/schema/output-schema.ts";
import { compileProblem, toolOf } from "../../src/mcp/client/tools.ts";
import { createDefinition } from "../../src/mcp/client/trust/definitions.ts";
import { cpuMs } from "../cpu.ts";

const TAG = String.fromCodePoint(0xe0041);

const toolWith = (inputSchema: Record<string, unknown>) =>
  toolOf("s", createDefinition("t", { name: "t", inputSchema }), async () => ({ text: "" }));

function parse(inputSchema: Record<string, unknown>, args: unknown): string {
  const tool = toolWith(inputSchema);
  const call = ToolCall.parse(ToolRequest.from({ id: "1", name: tool.name, args }, () => true)!, new Map([[tool.name, tool]]));
  return call instanceof ToolError ? `${call.category}: ${call.message}` : "fits";
}

const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({ type: "object", properties, ...more });

describe("arguments are held against the server's schema", () => {
  const schema = object(
    { n: { type: "integer" }, kind: { enum: ["a", "b"] }, inner: object({ s: { type: "string" } }) },
    { required: ["n"], additionalProperties: false },
  );

  it.each([
    [{ n: 1 }, "fits"],
    [{ n: 1, inner: { s: "x" } }, "fits"],
    [{ n: "1" }, 'type_mismatch: mcp__s__t: "n" must be an integer, not a string.'],
    [{ n: 1, inner: { s: 5 } }, 'type_mismatch: mcp__s__t: "inner.s" must be a string, not a number.'],
    [{}, 'invalid_parameters: mcp__s__t: "n" is missing.'],
    [{ n: 1, kinds: "a" }, 'invalid_parameters: mcp__s__t: "kinds" is not an argument. Did you mean "kind" or "n"?'],
    [{ n: 1, kind: "c" }, 'invalid_parameters: mcp__s__t: "kind": must be one of ["a","b"].'],
  ])("%j", (args, told) => {
    expect(parse(schema, args)).toBe(told);
  });

  it("drafts 7 and 2020-12 are told apart", () => {
    const items = [{ type: "string" }];
    expect(parse(object({ a: { type: "array", prefixItems: items } }), { a: [1] })).toContain("type_mismatch");
    expect(parse({ $schema: "http://json-schema.org/draft-07/schema#", ...object({ a: { type: "array", items } }) }, { a: [1] })).toContain(
      "type_mismatch",
    );
  });

  it("bounds as draft 4 wrote them are read, and written anew for providers", () => {
    const old = { $schema: "http://json-schema.org/draft-04/schema#" };
    const bounds = { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false };
    for (const schema of [{ ...old, ...object({ n: bounds }) }, object({ n: bounds })]) {
      expect(compileProblem(createDefinition("t", { name: "t", inputSchema: schema }))).toBeNull();
      expect([1, 1.5, 9, 9.5].map((n) => parse(schema, { n }) === "fits")).toEqual([false, true, true, false]);
      expect(parametersOf(schema).properties).toEqual({ n: { type: "number", exclusiveMinimum: 1, maximum: 9 } });
    }
  });

  it("takes what zod takes, and refuses what it refuses, for schemas that zod writes", () => {
    const shape = z.strictObject({
      s: z.string().min(2),
      n: z.int().optional(),
      list: z.array(z.boolean()),
      one: z.enum(["a", "b"]).optional(),
    });
    const check = compileSchema(z.toJSONSchema(shape) as Record<string, unknown>);
    const values = fc.record(
      {
        s: fc.oneof(fc.string(), fc.integer()),
        n: fc.oneof(fc.integer(), fc.string()),
        list: fc.array(fc.oneof(fc.boolean(), fc.string())),
        one: fc.constantFrom("a", "b", "c"),
        more: fc.integer(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(values, (value) => {
        expect(check(value).length === 0).toBe(shape.safeParse(value).success);
      }),
    );
  });
});

describe("a schema that means harm", () => {
  it("cannot make the check run for ever: patterns", () => {
    const begun = cpuMs();
    expect(parse(object({ a: { type: "string", pattern: "^(a+)+$" } }), { a: `${"a".repeat(5000)}!` })).toContain("invalid_parameters");
    expect(cpuMs() - begun).toBeLessThan(2000);
  });

  it("cannot make the check run for ever: choices of choices", () => {
    const $defs: Record<string, unknown> = { d40: { type: "number" } };
    for (let n = 0; n < 40; n++) $defs[`d${n}`] = { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] };
    const begun = cpuMs();
    expect(parse({ ...object({ a: { $ref: "#/$defs/d0" } }), $defs }, { a: "x" })).toContain("takes too long");
    expect(cpuMs() - begun).toBeLessThan(6000);
  });

  it("cannot make the check run for ever: unique items, and long lists of choices", () => {
    const many = Array.from({ length: 30_000 }, (_, n) => ({ n }));
    const begun = cpuMs();
    parse(object({ a: { type: "array", uniqueItems: true } }), { a: many });
    parse(object({ a: { type: "array", items: { enum: Array.from({ length: 5000 }, (_, n) => n) } } }), { a: many });
    expect(cpuMs() - begun).toBeLessThan(6000);
  });

  it("with look-around is left to the server", () => {
    expect(parse(object({ a: { type: "string", pattern: "^(?=x)" } }), { a: "y" })).toBe("fits");
  });

  it.each([
    ["refers elsewhere", object({ a: { $ref: "https://evil.example/s" } })],
    ["refers to a file", object({ a: { $ref: "other.json#/a" } })],
    ["refers to the schema of schemas", object({ a: { $ref: "https://json-schema.org/draft/2020-12/schema" } })],
    ["is huge", object({ a: { description: "x".repeat(70_000) } })],
    ["is no object", { type: "string" }],
    ["hides characters in a name", object({ [`a${TAG}`]: {} })],
    ["hides characters in a choice", object({ a: { enum: [`x${TAG}`] } })],
    ["hides characters in a preset", object({ a: { default: `x${TAG}` } })],
    ["has names models do not take", object({ "a b": {} })],
    ["has a name that objects treat in their own way", JSON.parse('{"type":"object","properties":{"a":{"properties":{"__proto__":{}}}}}')],
    ["refers to itself without end", { $ref: "#" }],
    ["refers to nothing", object({ a: { $ref: "#/$defs/none" } })],
    ["has types that are none", object({ a: { type: "thing" } })],
  ])("that %s is refused with a reason", (_, inputSchema) => {
    expect(compileProblem(createDefinition("t", { name: "t", inputSchema }))).toMatch(/\w/);
  });

  it("any JSON at all: it is refused or it works, and nothing is thrown", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "items",
      "anyOf",
      "allOf",
      "not",
      "$ref",
      "$defs",
      "enum",
      "const",
      "pattern",
      "required",
      "minimum",
      "additionalProperties",
      "description",
      "x",
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom("object", "string", "#", "#/$defs/x", true, false, null, 1),
        fc.array(tie("any"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("any"), { maxKeys: 4 }),
      ),
    })).any;
    fc.assert(
      fc.property(fc.dictionary(keyword, value), fc.jsonValue(), (schema, args) => {
        const one = createDefinition("t", { name: "t", inputSchema: schema });
        if (compileProblem(one) === null) expect(parse(schema, args)).toMatch(/^(fits|invalid_parameters|type_mismatch)/);
        if (schemaProblem(schema) !== null) return;
        const parameters = parametersOf(schema);
        expect(parameters).toMatchObject({ type: "object", properties: expect.any(Object) });
        for (const keyword of ["anyOf", "oneOf", "allOf", "not"]) expect(parameters).not.toHaveProperty(keyword);
      }),
      { numRuns: 100 },
    );
  });
});

describe("the schema as providers get it", () => {
  it("keeps what it says, without hidden characters in its words", () => {
    const schema = object(
      { a: { type: "string", description: `Path${TAG} of\u200b it` } },
      { $schema: "https://json-schema.org/draft/2020-12/schema", required: ["a"] },
    );
    expect(parametersOf(schema)).toEqual({
      type: "object",
      properties: { a: { type: "string", description: "Path of it" } },
      required: ["a"],
    });
  });

  it("has the arguments of all choices, and the choice is still checked", () => {
    const schema = {
      type: "object",
      oneOf: [object({ a: { type: "string" } }, { required: ["a"] }), object({ b: { type: "number" } }, { required: ["b"] })],
    };
    expect(parametersOf(schema)).toEqual({ type: "object", properties: { a: { type: "string" }, b: { type: "number" } } });
    expect(parse(schema, { b: 1 })).toBe("fits");
    expect(parse(schema, {})).toContain("invalid_parameters");
  });

  it("is made once for many calls", () => {
    const input = inputOf(object({ a: { type: "string" } }));
    expect(input.safeParse({ a: "x", more: 1 }).data).toEqual({ a: "x", more: 1 });
  });
});

it("a structured answer is held against its schema, and a senseless schema holds nothing back", () => {
  expect(outputMisfit(object({ a: { type: "string" } }), { a: 1 })).toContain("must be string");
  expect(outputMisfit(object({ a: { type: "string" } }), { a: "x" })).toBeNull();
  expect(outputMisfit({ type: "nonsense" }, {})).toBeNull();
  expect(outputMisfit({ $ref: "#" }, {})).toBeNull();
});
