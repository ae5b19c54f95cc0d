import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ToolCall } from "../call.ts";
import { ToolError } from "../error.ts";
import { ToolRequest } from "../request.ts";
import { type AnyTool, defineTool } from "../tool.ts";
import { toolsOf } from "../toolset.ts";
import type { StandardProps, StandardSchema } from "./schema.ts";
import { jsonSchemaOf } from "./schema-json.ts";

interface Named {
  readonly name: string;
}

/** A library of the standard that is not zod. It hands back the very value it was given. */
const standard = (besides: object = {}, validate: StandardProps<Named>["validate"] = checkName): StandardSchema<Named> => ({
  "~standard": { version: 1, vendor: "other", validate, ...besides },
});
const checkName: StandardProps<Named>["validate"] = (value) =>
  typeof (value as Named).name === "string"
    ? { value: value as Named }
    : { issues: [{ message: "must be a text", path: [{ key: "name" }] }] };

const JSON_SCHEMA = { type: "object", properties: { name: { type: "string", description: "Whom to greet" } }, required: ["name"] } as const;
const rest = { name: "greet", description: "Greets.", effect: "reads", touches: () => [], run: async () => ({ text: "" }) } as const;
const greet = (input: StandardSchema<Named>, more: Partial<AnyTool> = {}) => defineTool({ ...rest, input, ...more });

const parse = (tool: AnyTool, args: unknown) =>
  ToolCall.parse(ToolRequest.from({ id: "1", name: tool.name, args })!, new Map([[tool.name, tool]]));

describe("A tool's input", () => {
  it("is checked by the schema's own library, and a refusal names the argument", () => {
    const tool = greet(standard(), { jsonSchema: JSON_SCHEMA });
    expect((parse(tool, { name: "Ada" }) as ToolCall).input).toEqual({ name: "Ada" });
    expect(parse(tool, { name: 1 })).toMatchObject({ category: "invalid_parameters", message: 'greet: "name": must be a text.' });
    expect(parse(tool, [])).toMatchObject({ category: "invalid_parameters" });
  });

  it("is a copy: what the program handed over is neither frozen nor able to change what was judged", () => {
    const tool = greet(standard(), { jsonSchema: JSON_SCHEMA });
    const args = { name: "Ada", inner: { list: [1] } };
    const call = parse(tool, args) as ToolCall;
    expect(Object.isFrozen(args.inner)).toBe(false);
    args.inner.list.push(2);
    expect(call.input.inner.list).toEqual([1]);
    expect(Object.isFrozen(call.input.inner.list)).toBe(true);
  });

  it("is data: a function among the arguments is refused", () =>
    expect(parse(greet(standard(), { jsonSchema: JSON_SCHEMA }), { name: "Ada", inner: () => 1 })).toMatchObject({
      category: "invalid_parameters",
      message: "The arguments hold something that is no data.",
    }));

  it.each([
    ["answers later", async () => ({ value: { name: "Ada" } }), /answers later/],
    ["answers later and fails", () => Promise.reject(new Error("late")), /answers later/],
    [
      "throws",
      () => {
        throw new Error("out of order");
      },
      /its schema failed: out of order/,
    ],
  ])("lets no call in when its schema %s", (_name, validate, words) => {
    const refused = parse(greet(standard({}, validate), { jsonSchema: JSON_SCHEMA }), { name: "Ada" });
    expect(refused).toBeInstanceOf(ToolError);
    expect(refused).toMatchObject({ category: "permanent_failure", message: expect.stringMatching(words) });
  });
});

describe("The JSON Schema of a tool's input", () => {
  it("comes from the standard's own conversion", () => {
    const asked: unknown[] = [];
    const jsonSchema = {
      input(options: unknown) {
        asked.push(options);
        return { $schema: "https://json-schema.org/draft/2020-12/schema", ...JSON_SCHEMA };
      },
    };
    expect(jsonSchemaOf(greet(standard({ jsonSchema })))).toEqual(JSON_SCHEMA);
    expect(asked).toEqual([{ target: "draft-2020-12" }]);
  });

  it("comes from toJsonSchema of a schema that is a function", () => {
    const schema = Object.assign(() => null, standard(), { toJsonSchema: () => JSON_SCHEMA });
    expect(jsonSchemaOf(greet(schema))).toEqual(JSON_SCHEMA);
  });

  it("keeps descriptions, also of a zod that cannot write it by itself", () => {
    const schema = z.strictObject({ name: z.string().describe("Whom to greet") });
    expect(jsonSchemaOf(greet(schema))).toMatchObject(JSON_SCHEMA);
    const early = new Proxy(schema, { get: (own, key) => (key === "toJSONSchema" ? undefined : Reflect.get(own, key)) });
    expect(jsonSchemaOf(greet(early))).toMatchObject(JSON_SCHEMA);
  });

  it("is the one that is given, where there is one", () =>
    expect(jsonSchemaOf(greet(z.strictObject({ name: z.string() }), { jsonSchema: JSON_SCHEMA }))).toBe(JSON_SCHEMA));

  it("is asked for when the library cannot write it", () =>
    expect(() => greet(standard())).toThrow(
      'The tool "greet" has an input that cannot be written as JSON Schema by other itself. Give its JSON Schema as jsonSchema, too.',
    ));

  it("describes an object, or the toolset is refused", () => {
    const list = () => [defineTool({ ...rest, input: z.array(z.string()) })];
    expect(() => toolsOf({ id: "mine", list })).toThrow(/does not describe an object with named arguments/);
  });
});

describe("An input that is no schema Zeph takes", () => {
  const zod3 = { ...standard({ vendor: "zod" }), _def: { typeName: "ZodObject" }, safeParse(): void {} };
  it.each([
    ["zod 3", zod3, /of zod 3\. Zeph takes zod 4: install zod \^4, or import it from "zod\/v4"/],
    ["an older zod 3", { _def: { typeName: "ZodObject" }, safeParse(): void {} }, /of zod 3/],
    ["nothing", undefined, /no schema of zod 4/],
    ["plain JSON Schema", { type: "object" }, /no schema of zod 4/],
    ["a later version of the standard", { "~standard": { version: 2, vendor: "x", validate: checkName } }, /no schema of zod 4/],
  ])("is refused in words, with a JSON Schema beside it or not: %s", (_name, input, words) => {
    for (const jsonSchema of [{}, { jsonSchema: JSON_SCHEMA }]) {
      const tool = { ...rest, input, ...jsonSchema } as unknown as AnyTool;
      expect(() => defineTool(tool)).toThrow(words);
      expect(() => toolsOf({ id: "mine", list: () => [tool] })).toThrow(words);
    }
  });
});
