import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cpuMs } from "../../test/cpu.ts";
import { complexity, takesNothing, withThought } from "./think-fields.ts";

type Schema = Record<string, any>;

const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", maxDepth: 4 },
    fc.constant({ type: "string" }),
    fc.array(fc.string(), { maxLength: 6 }).map((values) => ({ enum: values })),
    fc.array(tie("schema"), { maxLength: 4 }).map((branches) => ({ anyOf: branches })),
    tie("schema").map((items) => ({ type: "array", items })),
    fc
      .dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie("schema"), { maxKeys: 5 })
      .chain((properties) =>
        fc.subarray(Object.keys(properties)).map((required) => ({ type: "object", properties, required, additionalProperties: false })),
      ),
  ),
}));

/** Every schema inside one, so that a change can be made anywhere. */
function placesIn(root: Schema): Schema[] {
  const inner = [...Object.values(root.properties ?? {}), ...(root.anyOf ?? []), ...(root.items ? [root.items] : [])] as Schema[];
  return [root, ...inner.flatMap(placesIn)];
}

const CHANGES: Readonly<Record<string, (place: Schema) => void>> = {
  "a required parameter": (place) => {
    place.properties = { ...place.properties, brandnew1: { type: "string" } };
    place.required = [...(place.required ?? []), "brandnew1"];
  },
  "a level": (place) => {
    const inner = { ...place };
    for (const key of Object.keys(place)) delete place[key];
    Object.assign(place, { type: "object", properties: { inner1: inner } });
  },
  "a choice": (place) => {
    place.enum = [...(place.enum ?? []), "one more"];
  },
  "a branch": (place) => {
    place.anyOf = [...(place.anyOf ?? []), { type: "null" }];
  },
  "another kind of branch": (place) => {
    place.oneOf = [...(place.oneOf ?? []), { type: "null" }];
  },
};

describe("complexity", () => {
  it.each(Object.keys(CHANGES))("never falls by %s", (what) => {
    fc.assert(
      fc.property(schema, fc.nat(), (before, at) => {
        const after = structuredClone(before);
        const places = placesIn(after);
        CHANGES[what]!(places[at % places.length]!);
        const [was, is] = [complexity(before), complexity(after)];
        expect(was).toBeGreaterThanOrEqual(0);
        expect(is).toBeLessThanOrEqual(1);
        expect(is).toBeGreaterThanOrEqual(was);
      }),
      { numRuns: 100 },
    );
  });

  const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n));
  const nested = (levels: number): Schema =>
    levels === 0 ? { type: "string" } : { type: "object", properties: { a: nested(levels - 1) } };
  it.each<[string, Schema]>([
    ["required parameters", { properties: Object.fromEntries(many(13, (n) => [`p${n}`, {}])), required: many(13, (n) => `p${n}`) }],
    ["nesting", nested(6)],
    ["an enum", { properties: { a: { enum: many(46, String) } } }],
    ["combinators", { properties: { a: { oneOf: many(8, () => ({ type: "string" })) } } }],
  ])("passes 0.6 by %s alone, and not when there is little of it", (what, large) => {
    expect(complexity(large)).toBeGreaterThan(0.6);
    const small: Record<string, Schema> = {
      "required parameters": { properties: { a: {} }, required: ["a"] },
      nesting: nested(2),
      "an enum": { properties: { a: { enum: ["a", "b"] } } },
      combinators: { properties: { a: { anyOf: [{}, { type: "null" }] } } },
    };
    const little = complexity(small[what]);
    expect(little).toBeGreaterThan(0);
    expect(little).toBeLessThan(0.6);
  });

  it("is what the page says of its examples", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/catalogue.md"), "utf8");
    const examples = [...page.matchAll(/^\| .* \| `(\{.*\})` \| (\d\.\d\d) \|$/gm)];
    expect(examples.length).toBeGreaterThanOrEqual(6);
    for (const [, text, said] of examples) expect(`${text} ${complexity(JSON.parse(text!)).toFixed(2)}`).toBe(`${text} ${said}`);
  });

  it("follows references, and takes what has no end for as complex as can be", () => {
    const inner = { type: "object", properties: { x: { enum: many(46, String) } } };
    expect(complexity({ properties: { a: { $ref: "#/$defs/inner" } }, $defs: { inner } })).toBeGreaterThan(0.6);
    expect(complexity({ properties: { a: { type: "string" } }, $defs: { inner } })).toBe(0);
    expect(complexity({ properties: { a: { $ref: "#" } } })).toBe(1);
    expect(complexity({ properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { anyOf: [{ $ref: "#/$defs/a" }] } } })).toBe(1);
    expect(complexity({ properties: { a: { $ref: "https://example.com/x" } } })).toBe(0);
    expect(complexity({ properties: { a: { $ref: "#/__proto__/constructor" } } })).toBe(0);
  });

  it.each<[string, () => unknown]>([
    [
      "a circle",
      () => {
        const circle: Schema = { properties: {} };
        circle.properties.again = circle;
        return circle;
      },
    ],
    [
      "a deep one",
      () => {
        let deep: Schema = {};
        for (let n = 0; n < 100_000; n++) deep = { items: deep };
        return deep;
      },
    ],
    ["a wide one", () => ({ properties: Object.fromEntries(many(100_000, (n) => [`p${n}`, {}])) })],
    ["many branches", () => ({ anyOf: many(1_000_000, () => ({})) })],
    [
      "one that doubles with each level",
      () => {
        let wide: Schema = {};
        for (let n = 0; n < 40; n++) wide = { anyOf: [wide, wide] };
        return wide;
      },
    ],
  ])("gives up on %s, soon", (_what, make) => {
    const hostile = make();
    const started = cpuMs();
    expect(complexity(hostile)).toBe(1);
    expect(cpuMs() - started).toBeLessThan(4000);
  });

  it("is nothing for what is no schema", () => {
    for (const odd of [null, undefined, 7, "x", [], {}, { properties: null, required: "x", enum: {}, anyOf: 3, items: [null, 7] }])
      expect(complexity(odd)).toBe(0);
  });
});

describe("the field for thinking", () => {
  const parameters = {
    type: "object",
    properties: { path: { type: "string" }, text: { type: "string" } },
    required: ["path", "text"],
    additionalProperties: false,
  };
  const spec = { name: "write", description: "Write.", parameters };

  it("comes first, is not required, and leaves the rest as it is", () => {
    const before = structuredClone(spec);
    Object.freeze(parameters.properties);
    const { parameters: shown, ...rest } = withThought(spec, 0.1) as any;
    expect(Object.keys(shown.properties)).toEqual(["_tafc_think", "path", "text"]);
    expect(shown.properties._tafc_think.type).toBe("string");
    expect({ ...shown, properties: { path: shown.properties.path, text: shown.properties.text } }).toEqual(parameters);
    expect(rest).toEqual({ name: "write", description: "Write." });
    expect(spec).toEqual(before);
  });
  it("is given from the threshold on", () => {
    const score = complexity(parameters);
    expect(withThought(spec, score)).not.toBe(spec);
    expect(withThought(spec, score + 0.001)).toBe(spec);
  });
  it("is not given where there is one of that name, or nothing to think about", () => {
    const own = { ...spec, parameters: { ...parameters, properties: { ...parameters.properties, _TAFC_think_b: {} } } };
    expect(withThought(own, 0)).toBe(own);
    const none = { ...spec, parameters: { type: "object", properties: {} } };
    expect(withThought(none, 0)).toBe(none);
    expect(withThought({ ...spec, parameters: null }, 0).parameters).toBe(null);
  });
});

describe("takesNothing", () => {
  it.each<[Schema | null, boolean]>([
    [{ type: "object", properties: {}, additionalProperties: false }, true],
    [{ type: "object" }, true],
    [{}, true],
    [null, true],
    [{ type: "object", properties: { a: {} } }, false],
    [{ type: "object", required: ["a"] }, false],
    [{ type: "object", patternProperties: { "^x": { type: "string" } } }, false],
    [{ type: "object", additionalProperties: { type: "string" } }, false],
    [{ anyOf: [{ properties: { a: {} } }] }, false],
    [{ $ref: "#/$defs/a", $defs: { a: { properties: { b: {} } } } }, false],
    [{ $ref: "https://example.com/x" }, false],
  ])("%j: %s", (parameters, expected) => expect(takesNothing(parameters)).toBe(expected));
});
