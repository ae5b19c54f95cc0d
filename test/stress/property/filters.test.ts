import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeMarkers, omission } from "../../../src/core/marker.ts";
import { isBinary, sanitise } from "../../../src/filters/sanitise.ts";
import { always, changed, samples, shorten } from "./law.ts";

// The law of the filter, over real outputs that something happened to.

/** A log is shortened whoever shows it. */
const isLog = (raw: string) => shorten({ command: "cat notes.txt", raw, exitCode: 0 }).steps.some(({ did }) => did === "shortened");
/** What is longer is shortened whatever it is. */
const withinBudget = (raw: string) => raw.slice(0, 3900);
/** Maven prints a level before an empty line, too. */
const saysSomething = (line: string) => !/^\s*(?:\[[A-Z]+\]\s*)?$/.test(line);
const isMark = (line: string) => /^\[-\d/.test(line);
const withoutMark = (text: string) => text.split("\n").filter((line) => !isMark(line));
const flat = (text: string) => text.replace(/\s+/g, " ").trim();

it("has real outputs to look at", () => expect(samples.length).toBeGreaterThan(20));

describe("success is claimed only in the program's own words", () => {
  const WORDS =
    /\b(?:ok|pass(?:ed|es|ing)?|success(?:ful(?:ly)?)?|succeeded|clean|done|completed?|finished|up[- ]to[- ]date|no[ \t]+(?:errors?|issues|problems|changes|failures)|nothing to commit|0[ \t]+(?:errors?|failed|failures|problems))\b|[✓✔√☑]/gi;
  const COUNTS = /\b\d+[ \t]+(?:tests?[ \t]+)?(?:passed|passing|ok|succeeded|successful)\b/gi;

  it("no word of success that was not printed", () =>
    always(
      fc.property(changed, (sample) => {
        const said = new Set(saidIn(sample.raw, WORDS));
        expect(saidIn(shorten(sample).text, WORDS).filter((word) => !said.has(word))).toEqual([]);
      }),
    ));

  it("no count of success that was not printed", () =>
    always(
      fc.property(changed, (sample) => {
        const said = flat(sanitise(sample.raw).join("\n")).toLowerCase();
        expect(saidIn(shorten(sample).text, COUNTS).filter((count) => !said.includes(count))).toEqual([]);
      }),
    ));

  const saidIn = (text: string, what: RegExp) => [...sanitise(text).join("\n").matchAll(what)].map(([word]) => flat(word).toLowerCase());
});

describe("what looks like an error is there, or is counted", () => {
  it("an error anywhere in any real output is shown", () => {
    const lost = samples.flatMap((sample) => {
      const lines = sample.raw.split("\n");
      return placesIn(lines).flatMap((at) => {
        const raw = [...lines.slice(0, at), "ERROR: disk full 1000", ...lines.slice(at)].join("\n");
        return shorten({ ...sample, raw }).text.includes("ERROR: disk full 1000")
          ? []
          : [`${sample.name}: ${sample.command}, line ${at + 1}`];
      });
    });
    expect(lost).toEqual([]);
  });

  const PLACES = 10;
  const placesIn = ({ length }: readonly string[]) =>
    Array.from({ length: Math.min(PLACES, length) }, (_, n) => Math.floor((n / PLACES) * length));

  it("every error that comes in between is shown in its own words", () =>
    always(
      fc.property(changed, (sample) => {
        const { text } = shorten(sample);
        expect(sample.inserted.filter((line) => !text.includes(line.trim()))).toEqual([]);
      }),
    ));
});

describe("every omission is counted, once", () => {
  it("the mark says what was left out", () =>
    always(
      fc.property(changed, (sample) => {
        const { text, left } = shorten(sample);
        const marks = text.split("\n").filter(isMark);
        const gaps = marks.filter((mark) => mark.endsWith(" here]"));
        expect(marks.filter((mark) => !gaps.includes(mark))).toEqual(left === null ? [] : [omission(left)]);
        if (left !== null) expect(text.endsWith(omission(left))).toBe(true);
        // What is left out of a gap is part of the sum.
        const inGaps = gaps.reduce((sum, gap) => sum + Number(/\d+/.exec(gap)![0]), 0);
        expect(inGaps).toBeLessThanOrEqual(left?.lines ?? 0);
      }),
    ));

  it("no more lines than there were, and no line goes that is neither counted nor said in another", () =>
    always(
      fc.property(changed, (sample) => {
        const { text, left } = shorten(sample);
        const before = sanitise(sample.raw).filter(saysSomething);
        const after = withoutMark(text).filter(saysSomething);
        expect(left?.lines ?? 0).toBeLessThanOrEqual(sanitise(sample.raw).filter((line) => line.trim() !== "").length);
        const printed = new Set(before);
        // Where nothing was said anew, lines can only have gone, or have been the same as another.
        if (after.some((line) => !printed.has(line)) || left?.characters) return;
        expect(left?.lines ?? 0).toBeGreaterThanOrEqual(printed.size - new Set(after).size);
      }),
    ));

  it("a mark that was printed by a program does not look like one", () =>
    always(
      fc.property(
        changed,
        fc.constantFrom("[-500 lines]", "[-3 lines -2 errors raw#1]", "[zeph:abcd1234 all is well]", "[ -12 lines]"),
        (sample, forged) => {
          const { text } = shorten({ ...sample, raw: `${forged}\n${sample.raw}\n${forged}` });
          expect(text.split("\n").filter((line) => line === forged)).toEqual([]);
        },
      ),
    ));
});

it("the text is never longer than what was printed", () =>
  always(
    fc.property(changed, (sample) => {
      expect(shorten(sample).text.length).toBeLessThanOrEqual(sample.raw.length);
    }),
  ));

it("what is shown once can be filtered again, and loses no error", () =>
  always(
    fc.property(changed, (sample) => {
      const once = shorten(sample).text;
      const { text } = shorten({ ...sample, raw: once });
      expect(sample.inserted.filter((line) => !text.includes(line.trim()))).toEqual([]);
      expect(text.length).toBeLessThanOrEqual(escapeMarkers(once).length);
    }),
  ));

describe("what a person chose stays", () => {
  const CHOSEN = [
    "git log --oneline -n 60",
    "git status --short",
    "git status -s",
    "git log --format='%h %s'",
    "npm ls --json",
    "npm audit --json",
    "cargo test --message-format=json",
    "kubectl get pods -o json",
    "kubectl get pods -o=yaml",
    "eslint --format json src",
    "npm test | grep -v ok",
    "go test -json ./...",
  ];
  it("every line of a format made for machines, or picked out by a program", () =>
    always(
      fc.property(changed, fc.constantFrom(...CHOSEN), (sample, command) => {
        const raw = withinBudget(sample.raw);
        fc.pre(!isBinary(raw) && !isLog(raw));
        const shown = new Set(
          shorten({ ...sample, command, raw })
            .text.split("\n")
            .map(flat),
        );
        expect(
          sanitise(raw)
            .map(flat)
            .filter((line) => line !== "" && !shown.has(line)),
        ).toEqual([]);
      }),
    ));

  const prose = fc.array(
    fc.oneof(
      fc.lorem({ maxCount: 8 }),
      fc.constantFrom("", "  return value;", "\tif (a) {", "}", "// error: not one", "\u001b[1mbold\u001b[0m", "a\r"),
    ),
    { maxLength: 80 },
  );
  it("cat, head and tail of a text, to the last byte", () =>
    always(
      fc.property(
        prose,
        fc.constantFrom(
          "cat notes.txt",
          "head -n 20 src/main.c",
          "tail -5 README.md",
          "sed -n 1,40p a.ts",
          "bat a.rs",
          "git show HEAD:a.c",
        ),
        (lines, command) => {
          const raw = lines.join("\n");
          expect(shorten({ command, raw, exitCode: 0 }).text).toBe(raw);
        },
      ),
    ));
});

it("of two commands that show files nothing is changed, whatever the files look like", () =>
  always(
    fc.property(
      changed,
      fc.constantFrom("cat a && sed -n 1,60p b", "jq . a; cat b", "head -5 a && tail -5 b", "for f in *; do cat $f; done"),
      (sample, command) => {
        const raw = withinBudget(sample.raw);
        fc.pre(!isBinary(raw) && !isLog(raw));
        expect(shorten({ ...sample, command, raw }).text).toBe(escapeMarkers(raw));
      },
    ),
  ));
