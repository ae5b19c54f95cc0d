import * as z from "zod";
import { detachedReader, hintReader, mergeReader, progressReader, remoteReader } from "../git/progress.ts";
import { readPassages } from "../git/read-passages.ts";
import { runReader } from "../git/runs.ts";
import { statReader } from "../git/stat.ts";
import { statusReader } from "../git/status.ts";
import { isBlank, sumOf } from "../line.ts";
import { defineStrategy } from "../strategy.ts";

/**
 * What git says of the state of a repository, and of what it just did to it: `status`, and what `pull`, `commit`, `rebase` and the like print.
 * Every name, state and refusal stays; hints, progress and bars go. What is not known by its form stays as it came.
 */
export const gitStatus = defineStrategy({
  options: () => z.strictObject({}),
  build:
    () =>
    ({ lines, exitCode }) => {
      const readers = [
        statusReader(),
        progressReader(exitCode),
        hintReader,
        remoteReader,
        detachedReader,
        mergeReader(lines),
        statReader(),
        runReader,
      ];
      const read = readPassages(lines, readers);
      if (!read) return null;
      const kept = read.filter((line) => !isBlank(line));
      return { lines: kept, confidence: "Full", harmless: sumOf(lines).errors - sumOf(kept).errors };
    },
});
