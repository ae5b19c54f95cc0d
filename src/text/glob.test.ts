import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileGlob, escapeGlob, globProblem } from "./glob.ts";

const path = (pattern: string, text: string) => compileGlob(pattern, { flavour: "path", letters: "exact" })(text);
const text = (pattern: string, subject: string) => compileGlob(pattern, { flavour: "text", letters: "any case" })(subject);

describe("in paths", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "src/a.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "src/deep/a.ts", true],
    ["**/.env", "/w/.env", true],
    ["**/.env", "/w/.envrc", false],
    ["**/.env", "/w/x.env", false],
    ["**/secrets/**", "/w/secrets/k", true],
    ["**/secrets/**", "/w/mysecrets/k", false],
    ["**/secrets/**", "/w/secrets/a/b", true],
    ["/w/docs/**", "/w/docs/r.md", true],
    ["/w/docs/**", "/w/docs2/r.md", false],
    ["/**", "/etc/passwd", true],
    ["**", "/etc/passwd", true],
    ["a?c", "abc", true],
    ["a?c", "a/c", false],
    ["a?c", "a😀c", true],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[!a]x", "/x", false],
    ["[]]x", "]x", true],
    ["{a,b/c}.md", "b/c.md", true],
    ["{a,{b,c}}d", "cd", true],
    ["{a}", "{a}", true],
    ["a\\*", "a*", true],
    ["a\\*", "ab", false],
    ["*", ".hidden", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["src/**/*.ts", "srcx/a.ts", false],
    ["**/a", "//a", true],
  ])("%s on %s is %s", (pattern, subject, expected) => expect(path(pattern, subject)).toBe(expected));
});

describe("in commands", () => {
  it.each([
    ["git *", "git status", true],
    ["GIT *", "git log a/b", true],
    ["git *", "git log\nrm -rf /", true],
    ["git *", "gitx", false],
    ["*", "", true],
    ["*sudo*", "a\nsudo\nb", true],
  ])("%s on %s is %s", (pattern, subject, expected) => expect(text(pattern, subject)).toBe(expected));
});

it.each(["[a", "{a,b", "a\\", "[z-a]", "x".repeat(2000), "{a,b}".repeat(9)])("calls %s malformed", (pattern) =>
  expect(globProblem(pattern)).not.toBeNull(),
);

it("matches an escaped text and nothing else", () =>
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.string({ unit: "grapheme", maxLength: 40 }), (one, other) => {
      expect(path(escapeGlob(one), one)).toBe(true);
      if (one !== other) expect(path(escapeGlob(one), other)).toBe(false);
    }),
  ));

it("agrees with a plain regular expression", () => {
  const pieces = fc.array(fc.constantFrom("a", "b", "/", "*", "?", "**"), { maxLength: 8 });
  const subject = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 10 }).map((list) => list.join(""));
  fc.assert(
    fc.property(pieces, subject, (list, subject) => {
      const pattern = list.join("");
      const source = pattern.replace(/(^|\/)(?:\*\*+\/)+|\*\*+|\*|\?/g, (found, edge: string | undefined) => {
        if (found === "?") return "[^/]";
        if (found === "*") return "[^/]*";
        return found.endsWith("/") ? `${edge ?? ""}(?:[^/]*/)*` : ".*";
      });
      expect(path(pattern, subject), `${pattern} on ${subject}`).toBe(new RegExp(`^${source}$`).test(subject));
    }),
    { numRuns: 400 },
  );
});

it("stays linear where backtracking would not", () => {
  const pattern = `${"*a".repeat(60)}b`;
  expect(path(pattern, "a".repeat(2000))).toBe(false);
});
