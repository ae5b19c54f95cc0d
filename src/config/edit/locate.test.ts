import * as fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { describe, expect, test } from "vitest";
import { valueAtPath } from "../shape.ts";
import { locator } from "./locate.ts";
import { scanToml, type TomlPath } from "./scan.ts";

const TEXT = `# a = 1
top = 1 # top = 2
"quoted.key" = 2
'lit"eral' = 3
"esc\\u0061ped" = 4
dotted . "with space".'x' = 5

[table] # [other]
long = """
key = 1
[header]
\\""" still
"""
raw = '''
raw2 = 1'''
after = 6
empty = ""
list = [ # one
  "a", "]", # , "x"
  [1, [2]],
  { p = 1, q.r = "}" },
]
inline = { a = { b = [ { c = 1 } ] }, "d" = 1979-05-27 07:32:00 }
    indented = 7

[ table . "sub table" ]
x = 1

[[many]]
n = 1
[[many]]
n = 2
[many.below]
m = 3
[[many.inner]]
k = 4
[[many.inner]]
k = 5
[[many]]
[[many.inner]]
k = 6
`;

test.each<[TomlPath, number, number]>([
  [["top"], 2, 1],
  [["quoted.key"], 3, 1],
  [['lit"eral'], 4, 1],
  [["escaped"], 5, 1],
  [["dotted", "with space", "x"], 6, 1],
  [["dotted", "with space"], 6, 1],
  [["dotted"], 6, 1],
  [["table"], 8, 1],
  [["table", "long"], 9, 1],
  [["table", "raw"], 14, 1],
  [["table", "after"], 16, 1],
  [["table", "empty"], 17, 1],
  [["table", "list"], 18, 1],
  [["table", "list", 0], 19, 3],
  [["table", "list", 1], 19, 8],
  [["table", "list", 2], 20, 3],
  [["table", "list", 2, 1, 0], 20, 8],
  [["table", "list", 3, "p"], 21, 5],
  [["table", "list", 3, "q", "r"], 21, 12],
  [["table", "inline", "a", "b", 0, "c"], 23, 26],
  [["table", "inline", "d"], 23, 39],
  [["table", "indented"], 24, 5],
  [["table", "sub table"], 26, 1],
  [["table", "sub table", "x"], 27, 1],
  [["many", 0, "n"], 30, 1],
  [["many", 1], 31, 1],
  [["many", 1, "n"], 32, 1],
  [["many", 1, "below", "m"], 34, 1],
  [["many", 1, "inner", 0, "k"], 36, 1],
  [["many", 1, "inner", 1, "k"], 38, 1],
  [["many", 2, "inner", 0, "k"], 41, 1],
  // Not there: the nearest thing around it.
  [["table", "list", 9], 18, 1],
  [["table", "none"], 8, 1],
  [["many", 0, "none"], 29, 1],
])("%j", (path, line, column) => {
  expect(locator(TEXT)(path)).toEqual({ line, column });
  expect(locator(TEXT.replaceAll("\n", "\r\n"))(path)).toEqual({ line, column });
  expect(locator(`\ufeff${TEXT}`)(path)).toEqual({ line, column });
});

test("nothing of it is written", () => {
  expect(locator(TEXT)(["nowhere"])).toBeUndefined();
  expect(locator("")(["a"])).toBeUndefined();
  expect(locator(TEXT)([])).toBeUndefined();
});

describe("every value stands where the scan says", () => {
  const agrees = (text: string) => {
    const data = parse(text);
    const seen = new Set<string>();
    for (const { kind, path, value, end } of scanToml(text)) {
      if (kind === "pair" || kind === "element") expect(parse(`v = ${text.slice(value, end)}`).v).toEqual(valueAtPath(data, path));
      else expect(valueAtPath(data, path)).toBeTypeOf("object");
      for (let n = 1; n <= path.length; n++) seen.add(JSON.stringify(path.slice(0, n)));
    }
    for (const path of pathsOf(data)) expect(seen).toContain(JSON.stringify(path));
  };

  test("in the sample", () => agrees(TEXT));

  const key = fc
    .oneof(fc.constantFrom("a", "b-c", "x.y", "", "q'", 'd"', "#"), fc.string({ maxLength: 4 }))
    .filter((name) => name !== "__proto__");
  const scalar = fc.oneof(
    fc.string(),
    fc.constantFrom("\n#", "'''", '"""', "]", "}", "a = 1\n[b]"),
    fc.boolean(),
    fc.integer(),
    fc.constant(new Date(0)),
  );
  const { table } = fc.letrec<{ value: unknown; table: Record<string, unknown> }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(scalar, { maxLength: 3 }), fc.array(tie("table"), { maxLength: 3 }), tie("table")),
    table: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  }));

  test("in whatever a writer of TOML makes", () => {
    fc.assert(
      fc.property(table, (data) => agrees(stringify(data))),
      { numRuns: 50 },
    );
  });

  test("on one line, with comments and odd spacing in between", () => {
    fc.assert(
      fc.property(table, fc.constantFrom(" ", "\t", "  "), (data, space) => {
        const pairs = Object.entries(data).map(
          ([name, value]) => `${space}${string(name)}${space}=${space}${inline(value, space)}${space}# z = ["\n`,
        );
        agrees(pairs.join("\n# '''\n"));
      }),
      { numRuns: 50 },
    );
  });
});

test("text that is no TOML does not make it hang", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."[]{}=\"'#,.\n \\ab") }), (text) => void scanToml(text)),
    { numRuns: 200 },
  );
});

const string = (text: string) => JSON.stringify(text).replaceAll("\u007f", "\\u007f");

function inline(value: unknown, space: string): string {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${space}${value.map((entry) => `${inline(entry, space)}${space}`).join(`,# ]\n${space}`)}]`;
  if (typeof value !== "object" || value === null) return typeof value === "string" ? string(value) : String(value);
  return `{${Object.entries(value)
    .map(([name, entry]) => `${space}${string(name)}${space}=${space}${inline(entry, space)}`)
    .join(",")}${space}}`;
}

function pathsOf(value: unknown, path: TomlPath = []): TomlPath[] {
  if (typeof value !== "object" || value === null || value instanceof Date) return path.length > 0 ? [path] : [];
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.flatMap(([name, inner]) => pathsOf(inner, [...path, name]));
}
