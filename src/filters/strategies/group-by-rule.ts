import * as z from "zod";
import { DIAGNOSTIC_FORMATS, type FormatName } from "../diagnostics/formats/index.ts";
import { groupDiagnostics } from "../diagnostics/group.ts";
import { readDiagnosticParts } from "../diagnostics/read.ts";
import type { Line } from "../line.ts";
import { defineStrategy } from "../strategy.ts";

const NAMES = Object.keys(DIAGNOSTIC_FORMATS) as FormatName[];
/** Without a severity a line of a search looks the same. */
const PROVEN = NAMES.filter((name) => name !== "bare");

/** Lines of ours: what was grouped is not read again. */
const TOLD = new WeakSet<Line>();

/** Diagnostics by message or by file, with every place; frames and repetitions are left out. They are recognised by their form, whichever program wrote them. */
export const groupByRule = defineStrategy({
  options: () =>
    z.strictObject({
      formats: z.array(z.enum(NAMES)).min(1).optional().describe("The forms to look for; all that cannot be mistaken if left out"),
      at_least: z.int().min(1).default(1).describe("How many of one form there must be"),
    }),
  build({ formats = PROVEN, at_least }) {
    return ({ lines }) => {
      if (lines.some((line) => TOLD.has(line))) return null;
      const read = readDiagnosticParts(lines, formats, at_least);
      if (!read) return null;
      const shown = read.parts.flatMap((part) => ("found" in part ? ours(groupDiagnostics(part.found)) : [part.line]));
      return { lines: shown, confidence: "Full", harmless: read.harmless };
    };
  },
});

function ours(lines: Line[]): Line[] {
  for (const line of lines) TOLD.add(line);
  return lines;
}
