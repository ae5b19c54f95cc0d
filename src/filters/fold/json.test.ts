import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { accountFor } from "../account.ts";
import { filterText } from "../filter.ts";
import { printedLine } from "../line.ts";
import { builtInRules } from "../rules.ts";
import { foldJson } from "./json.ts";

const fold = (text: string): string | null =>
  foldJson(text.split("\n").map(printedLine))
    ?.map((line) => line.text)
    .join("\n") ?? null;
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const filter = (command: string, raw: string): string =>
  filterText({ command, raw: `${raw}\n`, exitCode: 0 }, builtInRules()).text.trimEnd();

describe("JSON that was written for the eye", () => {
  it("loses its blanks, and each key of the whole has a line", () => {
    expect(fold(pretty({ name: "shop", tags: ["a", "b c"], build: { ok: true, took: null } }))).toBe(
      '(JSON without the blanks)\n{"name":"shop",\n"tags":["a","b c"],\n"build":{"ok":true,"took":null}}',
    );
  });

  it("keeps numbers, escapes and keys as they were written", () => {
    const raw = '{\n  "a" : 1.0,\n  "a": 1e5,\n  "big": 12345678901234567890,\n  "t": "\\u00e9 \\" }"\n}';
    expect(fold(raw)).toBe('(JSON without the blanks)\n{"a":1.0,\n"a":1e5,\n"big":12345678901234567890,\n"t":"\\u00e9 \\" }"}');
  });

  it("has a line for each part of the whole, and objects that are alike stand below each other", () => {
    const all = [1, 2, 3, 4].map((line) => ({ line, rule: "eqeqeq", "to fix": line > 2 }));
    expect(fold(pretty(all))).toBe(
      [
        "(JSON without the blanks)",
        '[{"line":1,"rule":"eqeqeq","to fix":false},',
        '{"line":2,"rule":"eqeqeq","to fix":false},',
        '{"line":3,"rule":"eqeqeq","to fix":true},',
        '{"line":4,"rule":"eqeqeq","to fix":true}]',
      ].join("\n"),
    );
  });

  it("stands between other lines, one document or several", () => {
    const raw = `npm warn old lockfile\n${pretty({ a: 1, b: 2 })}\n${pretty({ a: 3, b: 4 })}\ndone`;
    expect(fold(raw)).toBe('npm warn old lockfile\n(JSON without the blanks)\n{"a":1,\n"b":2}\n{"a":3,\n"b":4}\ndone');
  });

  it("has no line that is too long", () => {
    const deep = { list: Array.from({ length: 400 }, (_, n) => [n, { deep: [`word ${n}`] }]) };
    const lines = fold(pretty(deep))!.split("\n");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(800);
    expect(lines.length).toBeLessThan(40);
  });

  it.each(["{\n  a: 1,\n  b: 2,\n  c: 3\n}", '{\n  "a": 1,\n  "b": 2,\n}', "[\n  1,\n  2,\n  3\n", '{\n  "a": 1,\n  "b": 2\n} and more'])(
    "is left alone when it is none: %j",
    (raw) => {
      expect(fold(raw)).toBeNull();
    },
  );

  it.each(["npm view x --json", "docker inspect x", "kubectl get pods -o json", "npx eslint -f json src", "npm view x --json | jq ."])(
    "is shortened: %s",
    (command) => {
      expect(filter(command, pretty({ name: "shop", version: "1.0.0", tags: ["a", "b", "c", "d", "e", "f"] }))).toContain('"name":"shop"');
    },
  );

  it.each(["cat x.json", "jq . x.json", "cat x.json | jq .", "python3 -m json.tool x.json", "sed -n 1,9p x.json"])(
    "stays as it is for who reads or formats it: %s",
    (command) => {
      const raw = pretty({ name: "shop", version: "1.0.0", tags: ["a", "b", "c", "d", "e", "f"] });
      expect(filter(command, raw)).toBe(raw);
    },
  );

  it("can be read back and loses no value, whatever it says", () => {
    fc.assert(
      fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
        const lines = pretty(value).split("\n").map(printedLine);
        const told = foldJson(lines);
        if (!told) return;
        const { left, values } = accountFor(lines, told);
        expect({ left, values }).toEqual({ left: 0, values: 0 });
        const [head, ...rest] = told.map(({ text }) => text);
        expect(head).toBe("(JSON without the blanks)");
        expect(JSON.parse(rest.join("\n"))).toEqual(JSON.parse(pretty(value)));
      }),
      { numRuns: 100 },
    );
  });
});
