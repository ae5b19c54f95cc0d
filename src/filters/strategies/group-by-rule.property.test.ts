import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isErrorShaped } from "../errors.ts";
import { printedLine, sumOf } from "../line.ts";
import { groupByRule } from "./group-by-rule.ts";

interface Said {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly severity: "error" | "warning";
  readonly rule: string;
  readonly message: string;
}

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/);
const message = fc.oneof(
  name.map((one) => `'${one}' is not defined`),
  name.map((one) => `cannot find name '${one}' in this scope`),
  fc.tuple(name, name).map(([one, other]) => `type '${one}' does not fit '${other}'`),
  fc.tuple(name, name, name).map(([a, b, c]) => `'${a}' of '${b}' hides '${c}'`),
  fc.integer({ min: 81, max: 200 }).map((width) => `line too long (${width} of 80)`),
  fc.constantFrom("empty block", "duplicate case label", "unexpected end of input"),
);
const said: fc.Arbitrary<Said> = fc.record({
  file: fc.constantFrom("src/api/routes", "src/api/users", "src/ui/panel", "lib/store", "main"),
  line: fc.integer({ min: 1, max: 300 }),
  column: fc.integer({ min: 1, max: 80 }),
  severity: fc.constantFrom("error", "warning"),
  rule: fc.constantFrom("no-undef", "max-len", "no-empty"),
  message,
});
const several = fc.array(said, { minLength: 1, maxLength: 40 });

/** How tools would write them, and what is then said of each place. */
const TOOLS: Record<
  string,
  { readonly write: (all: readonly Said[]) => readonly string[]; readonly says: (one: Said) => readonly [string, string] }
> = {
  tsc: {
    write: (all) => all.map((one) => `${one.file}.ts(${one.line},${one.column}): ${one.severity} TS${one.rule.length}00: ${one.message}`),
    says: (one) => [`${one.file}.ts`, `${one.severity} TS${one.rule.length}00: ${one.message}`],
  },
  "tsc --pretty": {
    write: (all) =>
      all.flatMap((one) => [
        `${one.file}.ts:${one.line}:${one.column} - ${one.severity} TS1: ${one.message}`,
        "",
        `${one.line} some source here`,
        `${" ".repeat(String(one.line).length + 1 + one.column)}~~~`,
        "",
      ]),
    says: (one) => [`${one.file}.ts`, `${one.severity} TS1: ${one.message}`],
  },
  gcc: {
    write: (all) =>
      all.flatMap((one) => [
        `${one.file}.c: In function ‘run’:`,
        `${one.file}.c:${one.line}:${one.column}: ${one.severity}: ${one.message} [-W${one.rule}]`,
        `${String(one.line).padStart(5)} |   some(source);`,
        `      |   ${" ".repeat(one.column)}^~~~`,
      ]),
    says: (one) => [`${one.file}.c`, `${one.severity}: ${one.message} [-W${one.rule}]`],
  },
  clang: {
    write: (all) =>
      all.flatMap((one) => [
        `${one.file}.c:${one.line}:${one.column}: ${one.severity}: ${one.message}`,
        "  some(source);",
        `${" ".repeat(one.column)}^~~~`,
      ]),
    says: (one) => [`${one.file}.c`, `${one.severity}: ${one.message}`],
  },
  flake8: {
    write: (all) => all.map((one) => `${one.file}.py:${one.line}:${one.column}: E${one.rule.length}01 ${one.message}`),
    says: (one) => [`${one.file}.py`, `E${one.rule.length}01: ${one.message}`],
  },
  go: {
    write: (all) => ["# example.com/shop", ...all.map((one) => `${one.file}.go:${one.line}:${one.column}: ${one.message}`)],
    says: (one) => [`${one.file}.go`, one.message],
  },
  eslint: {
    write: (all) =>
      all.flatMap((one) => [`/home/dev/${one.file}.js`, `  ${one.line}:${one.column}  ${one.severity}  ${one.message}  ${one.rule}`, ""]),
    says: (one) => [`/home/dev/${one.file}.js`, `${one.severity}: ${one.message} (${one.rule})`],
  },
  rustc: {
    write: (all) =>
      all.flatMap((one) => [
        `${one.severity}: ${one.message}`,
        `  --> ${one.file}.rs:${one.line}:${one.column}`,
        "   |",
        `${String(one.line).padStart(2)} |   some(source);`,
        "   |   ^^^^",
        "",
      ]),
    says: (one) => [`${one.file}.rs`, `${one.severity}: ${one.message}`],
  },
};

const apply = groupByRule.build(groupByRule.options.parse({}), () => () => false);
const group = (texts: readonly string[]) =>
  apply({ lines: texts.map(printedLine), exitCode: 1, subject: { forms: [], words: [], verbatim: null } });
const shown = (texts: readonly string[]) => group(texts)!.lines.map(({ text }) => text);

const ITEM = String.raw`\d+(?: '[^']*')?`;
const PLACES = new RegExp(String.raw`(\S+?)(?: lines |:)(${ITEM}(?:,${ITEM})*)(?::\d+)?`, "g");

/** Reads our own form back: what is said of which line of which file, however often. */
function told(texts: readonly string[]): Set<string> {
  const lines = texts.map((text) => text.replace(/ \(\d+ times(?: each)?\)/g, ""));
  const facts = new Set<string>();
  let folder = "";
  const say = (file: string, items: string, message: string) => {
    for (const [, line, name] of items.matchAll(/(\d+)(?: '([^']*)')?/g))
      facts.add(`${folder}${file}:${line} ${name === undefined ? message : message.replace("…", name)}`);
  };
  let heading = "";
  for (const [n, text] of lines.entries()) {
    const [, both, files] = /^ lines? (.*) of (\S+(?: \S+)*)$/.exec(text) ?? [];
    if (text.startsWith("(in ")) folder = text.slice(4, -1);
    else if (text.startsWith("#") || text.startsWith("  ")) continue;
    else if (text.startsWith(" ") && /^\S+\.\w+$/.test(heading)) {
      const [, at, what] = /^ (?:lines )?([\d,]+) (.*)$/.exec(text)!;
      say(heading, at!, what!);
    } else if (text.startsWith(" ")) {
      for (const file of files?.split(" ") ?? []) say(file, both!, heading);
      if (!files) for (const [, file, items] of text.slice(1).matchAll(PLACES)) say(file!, items!, heading);
    } else if (/^ \S/.test(lines[n + 1] ?? "")) heading = text;
    else {
      const [, file, at, what] = /^(\S+?)(?: lines |:)([\d,]+)(?::\d+)?: (.*)$/.exec(text)!;
      say(file!, at!, what!);
    }
  }
  return facts;
}

describe.each(Object.entries(TOOLS))("%s", (_, { write, says }) => {
  const facts = (all: readonly Said[]) =>
    new Set(
      all.map((one) => {
        const [file, what] = says(one);
        return `${file}:${one.line} ${what}`;
      }),
    );

  it("every place and every message is told, and nothing else", () =>
    fc.assert(
      fc.property(several, (all) => {
        expect(told(shown(write(all)))).toEqual(facts(all));
      }),
    ));

  it("in any order", () =>
    fc.assert(
      fc.property(
        several.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(told(shown(write(shuffled)))).toEqual(facts(all));
        },
      ),
    ));

  const stranger = fc.constantFrom("ERROR: disk full", "fatal: the mirror is gone", "Killed", "  panic: out of memory");
  it("a line that is nobody's stays, wherever it stands", () =>
    fc.assert(
      fc.property(several, stranger, fc.nat(), (all, line, at) => {
        const lines = write(all);
        const read = group(lines.toSpliced(at % (lines.length + 1), 0, line));
        if (read) expect(read.lines.map(({ text }) => text).join("\n")).toContain(line.trim());
      }),
    ));

  it("counts no error as left out, and no line twice", () =>
    fc.assert(
      fc.property(several, (all) => {
        const lines = write(all).map(printedLine);
        const { lines: kept, harmless = 0 } = group(write(all))!;
        expect(sumOf(kept).errors + harmless).toBe(sumOf(lines).errors);
        expect(sumOf(kept).covers).toBeLessThanOrEqual(sumOf(lines).covers);
      }),
    ));
});

it("the strangers above look like errors", () => expect(["ERROR: disk full", "fatal: the mirror is gone"].every(isErrorShaped)).toBe(true));
