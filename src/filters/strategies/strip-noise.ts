import * as z from "zod";
import { makeOnce } from "../../text/make-once.ts";
import { squeezeTables } from "../fold/tables.ts";
import { isBlank, type Line, sumOf } from "../line.ts";
import { createAnyTest } from "../noise/any-pattern.ts";
import { blocksIn } from "../noise/blocks.ts";
import { createReplacer } from "../noise/replace.ts";
import { defineStrategy, type Test } from "../strategy.ts";

const pattern = makeOnce(() => z.string().max(512));

export const stripNoise = defineStrategy({
  options: () =>
    z.strictObject({
      patterns: z.array(pattern()).describe("Lines that match any of these are left out"),
      blocks: z
        .array(z.array(pattern()).min(2))
        .default([])
        .describe("Neighbouring lines left out together: for each pattern in turn one line or more, or none of them"),
      harmless: z.boolean().default(false).describe("What is left out is no error, whatever words it holds, and is not counted as one"),
      replace: z
        .array(z.strictObject({ pattern: pattern(), with: z.string().max(512), label: z.string().max(80).optional() }))
        .default([])
        .describe("Lines said more shortly: the first pattern that matches, $1 for its group. With a label, neighbours become one line"),
      heads: z
        .array(pattern())
        .default([])
        .describe(
          "Of the lines left out, those that name what is being done: one stays where the line below it stays and does not say whose it is",
        ),
      squeeze: z.boolean().default(false).describe("Columns move together; empty ones go, and what all rows share is said once"),
    }),
  isBlind: ({ squeeze, replace }) => squeeze || replace.some(({ pattern }) => !pattern.startsWith("^")),
  build({ patterns, blocks, harmless, heads, replace, squeeze }, compile) {
    const isNoise = createAnyTest(patterns, compile);
    const sequences = blocks.map((tests) => tests.map(compile));
    const isHead = createAnyTest(heads, compile);
    const edited = createReplacer(replace, compile);
    const isKnown = createAnyTest([...patterns, ...blocks.flat(), ...replace.map(({ pattern }) => pattern)], compile);
    return ({ lines }) => {
      if (!squeeze && isStrange(lines, isKnown)) return { lines, confidence: "Fallback" };
      const kept = withoutNoise(lines, { isNoise, isHead, sequences });
      const shown = squeeze ? squeezeTables(edited(kept)) : edited(kept);
      const left = sumOf(lines).errors - sumOf(kept).errors;
      return { lines: shown, confidence: shown === lines ? "Fallback" : "Full", harmless: harmless ? left : 0 };
    };
  },
});

const MANY = 5000;
const LOOKED_AT = 1000;

/** A very long output of which the beginning, the end and many lines between hold nothing known: looking at the rest would only take time. */
function isStrange(lines: readonly Line[], isKnown: Test): boolean {
  if (lines.length < MANY) return false;
  const step = Math.floor(lines.length / LOOKED_AT);
  for (let at = 0; at < lines.length; at += at < LOOKED_AT || at >= lines.length - LOOKED_AT ? 1 : step)
    if (isKnown(lines[at]!.text)) return false;
  return true;
}

interface Noise {
  readonly isNoise: Test;
  readonly isHead: Test;
  readonly sequences: readonly (readonly Test[])[];
}

function withoutNoise(lines: readonly Line[], { isNoise, isHead, sequences }: Noise): readonly Line[] {
  const blocks = blocksIn(lines, sequences);
  const goes = lines.map((line, n) => blocks.has(n) || isNoise(line.text));
  const isOwnerless = (line: Line): boolean => !isBlank(line) && !isHead(line.text) && !NAMES_ITS_OWN.test(line.text);
  const isAbove = (n: number): boolean => isHead(lines[n]!.text) && goes[n + 1] === false && isOwnerless(lines[n + 1]!);
  const kept = lines.filter((_, n) => !goes[n] || isAbove(n));
  if (kept.length === lines.length) return lines;
  // When all of it is noise, the last of it says how far it came.
  return kept.every(isBlank) ? lines.filter((line) => !isBlank(line)).slice(-1) : kept;
}

/** `src/a.c: In function`, `FAILED: a.o`, `In file included from a.h`: it is clear without the line above whose it is. */
const NAMES_ITS_OWN = /^(?!(?:[Ww]arning|[Ee]rror|[Nn]ote|[Ii]nfo):)[^\s:]{1,300}[:(]|^In file included from /;
