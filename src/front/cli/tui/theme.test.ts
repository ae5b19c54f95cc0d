import { describe, expect, it } from "vitest";
import { chooseTheme } from "./theme.ts";

const UTF8 = { LANG: "de_DE.UTF-8" };
const BAD = { dark: "\u001b[91mx\u001b[39m", light: "\u001b[31mx\u001b[39m", none: "x" };

describe("The theme", () => {
  it.each([
    ["dark where nothing is said", {}, "auto", "dark"],
    ["light where the terminal names a light background", { COLORFGBG: "0;15" }, "auto", "light"],
    ["dark where it names a dark one", { COLORFGBG: "15;0" }, "auto", "dark"],
    ["what the setting says, against the terminal", { COLORFGBG: "0;15" }, "dark", "dark"],
    ["without colours under NO_COLOR, against the setting", { NO_COLOR: "1" }, "light", "none"],
    ["coloured where NO_COLOR is empty", { NO_COLOR: "" }, "auto", "dark"],
    ["without colours in a dumb terminal", { TERM: "dumb" }, "dark", "none"],
    ["without colours where the setting says so", {}, "none", "none"],
  ] as const)("is %s", (_, env, setting, kind) => {
    expect(chooseTheme({ ...UTF8, ...env }, setting).bad("x")).toBe(BAD[kind]);
  });

  it.each([
    [{ LANG: "en_US.UTF-8" }, true],
    [{ LC_ALL: "C", LANG: "en_US.UTF-8" }, false],
    [{ LC_ALL: "", LC_CTYPE: "C.utf8" }, true],
    [{ LANG: "en_US.ISO-8859-1" }, false],
    [{}, false],
  ] as const)("has signs of the alphabet of %j", (env, isUtf8) => {
    const theme = chooseTheme(env, "none");
    expect(theme.isUtf8).toBe(isUtf8);
    const all = Object.values(theme.signs).flat().join("");
    expect(/^[\x20-\x7e]*$/.test(all)).toBe(!isUtf8);
  });

  it("makes links only where the terminal is known to draw them", () => {
    const has = (env: Record<string, string>, setting: "dark" | "none" = "dark") => chooseTheme({ ...UTF8, ...env }, setting).link !== null;
    expect([has({}), has({ TERM: "xterm-256color" }), has({ VTE_VERSION: "4800" }), has({ TERM: "xterm-kitty" }, "none")]).toEqual([
      false,
      false,
      false,
      false,
    ]);
    expect([has({ VTE_VERSION: "7402" }), has({ TERM_PROGRAM: "iTerm.app" }), has({ TERM: "xterm-kitty" })]).toEqual([true, true, true]);
    const link = chooseTheme({ ...UTF8, TERM: "xterm-kitty" }, "dark").link!;
    expect(link("t", "https://a.example/\u001b\\ü")).toBe("\u001b]8;;https://a.example/%1B\\%C3%BC\u001b\\t\u001b]8;;\u001b\\");
  });

  it("goes on with a colour after another one inside it", () => {
    const { bad, dim } = chooseTheme(UTF8, "dark");
    expect(bad(`a${dim("b")}c`)).toBe("\u001b[91ma\u001b[90mb\u001b[39m\u001b[91mc\u001b[39m");
  });
});
