import * as z from "zod";
import { squeezeTables } from "../fold/tables.ts";
import { type Line, sumOf } from "../line.ts";
import { mayNarrate } from "../purpose.ts";
import { defineStrategy, type Source } from "../strategy.ts";
import { blamedCommits } from "../text/blame.ts";
import { withoutCounters } from "../text/counters.ts";
import { shortCoverage } from "../text/coverage.ts";
import { failedEvents } from "../text/events.ts";
import { namesSideBySide, shortRows } from "../text/listing.ts";
import { groupedLog } from "../text/log.ts";
import { isLog, showsLog } from "../text/log-shape.ts";
import { groupedMatches } from "../text/matches.ts";
import { withoutAdvice } from "../text/narration.ts";
import { groupedPaths } from "../text/paths.ts";
import { withoutProgress } from "../text/progress.ts";
import { withoutRepeats } from "../text/repeats.ts";
import { searchOf } from "../text/search.ts";
import { groupedSizes } from "../text/sizes.ts";
import { withoutSteps } from "../text/steps.ts";
import { shortTraces } from "../text/traces.ts";
import { indentedTree, packageTree } from "../text/tree.ts";
import { printsOwnRows } from "../verbatim.ts";

interface Said {
  readonly lines: readonly Line[];
  readonly harmless?: number;
}

/** What may be said again and again, and how it is said once. null: the text is not built so. */
const KINDS = {
  lines: repeats,
  log,
  traces: ({ lines }) => shortTraces(lines),
  coverage: ({ lines }) => ({ lines: shortCoverage(lines) }),
  events: ({ lines, subject }) => (subject.verbatim === "text" ? null : failedEvents(lines)),
  progress: ({ lines }) => ({ lines: withoutProgress(lines) }),
  narration,
  paths: ({ lines, subject }) => of(printsOwnRows(subject.words) ? sizesOf(lines) : groupedPaths(lines)),
  sizes: ({ lines }) => ({ lines: groupedSizes(lines) }),
  matches: ({ lines, subject }) => of(groupedMatches(lines, searchOf(subject.words))),
  names: ({ lines, subject }) => of(shortRows(lines) ?? (keepsItsLines(subject.words) ? null : namesSideBySide(lines))),
  tree: ({ lines }) => of(indentedTree(lines)),
  packages,
  blame: ({ lines }) => of(blamedCommits(lines)),
  columns: ({ lines }) => ({ lines: squeezeTables(lines) }),
} as const satisfies Record<string, (source: Source) => Said | null>;

const of = (lines: readonly Line[] | null): Said | null => lines && { lines };

/** Says once what is said again and again. */
export const dedup = defineStrategy({
  options: () =>
    z.strictObject({
      of: z
        .enum(Object.keys(KINDS) as [keyof typeof KINDS, ...(keyof typeof KINDS)[]])
        .default("lines")
        .describe(
          "What is said again and again: lines (the same line several times in a row, times and UUIDs aside), log (records of a log that differ in numbers, ids and names only), traces (frames of libraries), narration (steps on the way), coverage (files of which nothing is missed), events (of tests that passed, told as JSON), progress, paths and sizes (folders of `find` and `du`), matches (files of `grep`), names (columns of `ls -l`), tree (drawn branches), packages (branches as `npm ls` draws them), blame (the commit of neighbouring lines), columns (the blanks between them)",
        ),
    }),
  isBlind: ({ of }) => !["lines", "log", "traces", "coverage", "events", "progress", "narration"].includes(of),
  build: ({ of }) => {
    const once: (source: Source) => Said | null = KINDS[of];
    return (source) => {
      const said = once(source);
      return said && { ...said, confidence: "Full" };
    };
  },
});

/** What `find -exec wc -l` and `-exec du` print. */
const sizesOf = (lines: readonly Line[]): readonly Line[] | null =>
  lines.filter(({ text }) => text === "" || /^\s*\d[\d.]*[kKMGT]?\s+\S*(?:\/\S+|total)$/.test(text)).length === lines.length
    ? groupedSizes(lines)
    : null;

/** `ls -1` was asked for one name on each line; a tree is no list of names. */
const keepsItsLines = (words: readonly string[]): boolean => words.some((word) => /^(?:-[a-zA-Z]*[1T]|--tree)/.test(word));

/** A package may be called `http-errors`. */
function packages({ lines, subject }: Source): Said | null {
  const shown = packageTree(lines, subject.words.slice(2).some((word) => !word.startsWith("-")) ? "some" : "all");
  return shown && { lines: shown, harmless: sumOf(lines).errors - sumOf(shown).errors };
}

function repeats({ lines, subject }: Source): Said | null {
  if (lines.slice(0, 200).some(({ text }) => /^(?:@@ |diff --git )/.test(text))) return null;
  const numbered = showsLog(subject) === "no" ? null : withoutCounters(lines);
  return { lines: numbered ?? withoutRepeats(lines) };
}

function log({ lines, subject }: Source): Said | null {
  const shows = showsLog(subject);
  if (shows === "no" || (shows === "perhaps" && !isLog(lines, subject.verbatim === "text" ? "file" : "output"))) return null;
  const { lines: short, harmless } = shortTraces(lines);
  return { lines: groupedLog(short) ?? short, harmless };
}

function narration({ lines, subject }: Source): Said | null {
  return mayNarrate(subject.words) ? { lines: withoutAdvice(withoutSteps(lines)) } : null;
}
