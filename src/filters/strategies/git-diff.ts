import * as z from "zod";
import { shownParts } from "../git/diff.ts";
import { readGitParts } from "../git/parts.ts";
import { sumOf } from "../line.ts";
import { defineStrategy } from "../strategy.ts";

/** Words are marked inside their lines, or by colours that are gone: nothing tells what changed from what did not. */
const BY_WORD = /^--(?:word-diff|color-words)/;

/**
 * Diffs and logs: `diff`, `show`, `log`. Each file has one line for its head and loses hashes and far context; beyond `max_diff_lines` the files
 * share the room. Each commit keeps its hash, refs, author, day and subject, and its message as far as there is room.
 */
export const gitDiff = defineStrategy({
  options: () =>
    z.strictObject({
      max_diff_lines: z
        .int()
        .min(1)
        .max(1_000_000)
        .default(500)
        .describe("Changed lines that are shown before files are cut to a fair share"),
    }),
  build:
    ({ max_diff_lines }) =>
    ({ lines, subject }) => {
      if (subject.words.some((word) => BY_WORD.test(word))) return null;
      const parts = readGitParts(lines);
      if (!parts) return null;
      const { lines: kept, isCut } = shownParts(parts, { room: max_diff_lines, context: askedContext(subject.words) });
      // What is left out is content of files and messages, whatever it looks like.
      return { lines: kept, confidence: isCut ? "Partial" : "Full", harmless: Math.max(sumOf(lines).errors - sumOf(kept).errors, 0) };
    },
});

/** The lines of context that the command asks for; null when it does not. */
function askedContext(words: readonly string[]): number | null {
  if (words.some((word) => /^(?:-W|--function-context)$/.test(word))) return Number.POSITIVE_INFINITY;
  const asked = words.map((word) => /^(?:-U|--unified=)(\d{1,6})$/.exec(word)?.[1]).findLast((number) => number !== undefined);
  return asked === undefined ? null : Number(asked);
}
