import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { speakersOf } from "../../../src/filters/command.ts";
import { isErrorShaped } from "../../../src/filters/errors.ts";
import { sanitise } from "../../../src/filters/sanitise.ts";
import { always, samples, shorten } from "./law.ts";
import { errorLine, type Sample } from "./outputs.ts";

// What holds for the output of two commands, one after the other: real outputs, put together.

const short = samples.filter(({ raw, command }) => raw.length < 20_000 && !command.includes("\n"));
const joint = fc.constantFrom(" && ", "; ", " || ");
/** The same program twice may say of a test or a file what it said before. */
const programOf = ({ command }: Sample) => speakersOf(command)[0]?.words[0];
const pair = fc
  .tuple(fc.constantFrom(...short), fc.constantFrom(...short), joint)
  .filter(([one, other]) => programOf(one) !== programOf(other));
const ended = (raw: string) => (raw === "" || raw.endsWith("\n") ? raw : `${raw}\n`);

function chained([one, other, by]: [Sample, Sample, string], between = ""): Omit<Sample, "name"> {
  return { command: `${one.command}${by}${other.command}`, raw: `${ended(one.raw)}${between}${other.raw}`, exitCode: other.exitCode };
}

describe("two commands that printed one after the other", () => {
  it("keep every error that is shown of either alone", () =>
    always(
      fc.property(pair, (two) => {
        const { text, left } = shorten(chained(two));
        const errors = [two[0], two[1]].flatMap((sample) => shownErrors(sample));
        const missing = errors.filter((line) => !text.includes(line) && !isTold(line, text));
        expect(missing.length === 0 || missing.length <= (left?.errors ?? 0) ? [] : [chained(two).command, ...missing]).toEqual([]);
      }),
    ));

  /** A block may be told in another way than its command alone would be: below its file, without a level. Each of its other words is there. */
  const isTold = (line: string, text: string): boolean => {
    const words = line.match(/[\p{L}\d_]{4,}/gu) ?? [line];
    return words.every((word) => LEVEL.test(word) || text.includes(word));
  };
  const LEVEL = /^(?:info|warn(?:ing)?|error|note)$/i;

  /** Errors that stand in what is shown as they were printed. */
  function shownErrors(sample: Sample): string[] {
    const shown = new Set(
      shorten(sample)
        .text.split("\n")
        .map((line) => line.trim()),
    );
    return sanitise(sample.raw)
      .map((line) => line.trim())
      .filter((line) => isErrorShaped(line) && shown.has(line));
  }

  it("lose no error because the other went well", () =>
    always(
      fc.property(pair, errorLine, (two, line) => {
        expect(shorten(chained(two, `${line}\n`)).text).toContain(line);
      }),
    ));

  it("leave what stands between them as it is", () =>
    always(
      fc.property(
        pair,
        fc.array(fc.stringMatching(/^[a-z]{3,8} [a-z]{4,9} of [a-z]{5}$/), { minLength: 1, maxLength: 5 }),
        (two, lines) => {
          const { text } = shorten(chained(two, `${lines.join("\n")}\n`));
          const seen = text.replace(/\s+/g, " ");
          expect(lines.filter((line) => !seen.includes(line))).toEqual([]);
        },
      ),
    ));

  it("are never longer together than what they printed", () =>
    always(
      fc.property(pair, (two) => {
        const { raw, ...about } = chained(two);
        expect(shorten({ raw, ...about }).text.length).toBeLessThanOrEqual(raw.length);
      }),
    ));

  it("claim nothing that only one of them said", () => {
    const raw = ["On branch main", "Changes not staged for commit:", "\tmodified:   a.c", "", "> app@1.0.0 test", "> node --test", ""];
    const { text } = shorten({
      command: "git status && npm test",
      raw: [...raw, "nothing to commit, working tree clean", "✖ saves (1.2ms)", "ℹ tests 1", "ℹ pass 0", "ℹ fail 1"].join("\n"),
      exitCode: 1,
    });
    expect(text).toMatch(/modified: +a\.c/);
    expect(text.match(/nothing to commit/g)).toHaveLength(1);
    expect(text.indexOf("nothing to commit")).toBeGreaterThan(text.indexOf("> app@1.0.0 test"));
  });
});
