import { describe, expect, it } from "vitest";
import { withoutStyles } from "../../../../../text/width/columns.ts";
import { chooseTheme } from "../../theme.ts";
import { createHighlighter } from "./highlight.ts";

const theme = chooseTheme({ LANG: "C.UTF-8" }, "dark");
const { accent, good, code, dim, add, del } = theme;
const drawn = (info: string, ...lines: string[]) => {
  const { line } = createHighlighter(info, theme);
  return lines.map(line);
};

describe("Highlighted code", () => {
  it("tells keywords, strings, numbers and comments apart", () => {
    expect(drawn("ts", "const a = 'b' + 12; // c")).toEqual([`${accent("const")} a = ${good("'b'")} + ${code("12")}; ${dim("// c")}`]);
    expect(drawn("python", "def f(): # c")).toEqual([`${accent("def")} f(): ${dim("# c")}`]);
    expect(drawn("sql", "SELECT a FROM t -- c")).toEqual([`${accent("SELECT")} a ${accent("FROM")} t ${dim("-- c")}`]);
    expect(drawn("sh", "echo $# 'x'")).toEqual([`echo $# ${good("'x'")}`]);
    expect(drawn("json", '{"a": true}')).toEqual([`{${good('"a"')}: ${accent("true")}}`]);
    expect(drawn("diff", "+a", "-b", " c")).toEqual([add("+a"), del("-b"), " c"]);
  });

  it("remembers a comment and a string over several lines", () => {
    expect(drawn("ts", "a /* b", "c", "d */ const")).toEqual([`a ${dim("/*")}${dim(" b")}`, dim("c"), `${dim("d */")} ${accent("const")}`]);
    expect(drawn("py", '"""a', 'b"""')).toEqual([good('"""') + good("a"), good('b"""')]);
  });

  it("looks at a line that is not complete without going on", () => {
    const { line, peek } = createHighlighter("ts", theme);
    expect(peek("/* a")).toBe(dim("/*") + dim(" a"));
    expect(line("if")).toBe(accent("if"));
  });

  it("leaves a language alone that it does not know, and an apostrophe without a second one", () => {
    expect(drawn("klingon", "if 'x' 1")).toEqual(["if 'x' 1"]);
    expect(drawn("", "if 'x' 1")).toEqual(["if 'x' 1"]);
    expect(drawn("rust", "fn f<'a>(x: &'a str)").map(withoutStyles)).toEqual(["fn f<'a>(x: &'a str)"]);
  });

  it("changes no character, whatever the language", () => {
    const lines = [
      "const x = `a ${b} \\` c` /* d */ 'e\\'f' // g",
      '"open',
      "# x",
      "-- y",
      '<a b="c"><!-- d',
      "-->",
      "\\",
      "\u0000é長👩‍👧",
    ];
    for (const info of ["js", "go", "py", "bash", "sql", "json", "yaml", "html", "css", "diff", "other"])
      expect(drawn(info, ...lines).map(withoutStyles)).toEqual(lines);
  });
});
