import { endOfRun } from "../../text/group-by.ts";
import type { RunnerLine } from "./read-lines.ts";

/**
 * Which lines say again what the text below their title says: runs of them, of which every word is there. A diff of two values, or the values
 * alone, after a message that has shown both.
 */
export function findRepeatedWords(told: readonly RunnerLine[]): ReadonlySet<number> {
  const again = new Set<number>();
  const words = new Map<number, ReadonlySet<string>>();
  for (let n = 0; n < told.length; n++) {
    if (told[n]!.deed !== "again") continue;
    const { block } = told[n]!;
    const end = endOfRun(told, n, (one) => one.deed === "again" && one.block === block);
    const said = words.get(block) ?? wordsOfBlock(told, n, block);
    words.set(block, said);
    const isSaid = ({ line }: RunnerLine) => wordsOf(line.text.trimStart().replace(LEGEND, "")).every((word) => said.has(word));
    if (told.slice(n, end).every(isSaid)) for (let at = n; at < end; at++) again.add(at);
    n = end - 1;
  }
  return again;
}

/** The sign of a line in a diff, or the word for a side of it. */
const LEGEND =
  /^(?:[-+] ?(?:Expected|Received|Snapshot|actual|expected)\b[-+\d\s]*(?:(?:expected|actual)$)?|(?:Expected|Received|Actual|expected|actual|got|want):|[-+])/;

function wordsOfBlock(told: readonly RunnerLine[], near: number, block: number): ReadonlySet<string> {
  const words = new Set<string>();
  let from = near;
  while (told[from - 1]?.block === block) from--;
  for (let n = from; told[n]?.block === block; n++) {
    const { deed, line } = told[n]!;
    if (deed === "keep" || deed === "title") for (const word of wordsOf(line.text)) words.add(word);
  }
  return words;
}

/** Words and numbers. One with a colon is a place in a list, or the name of a value. */
const wordsOf = (text: string): string[] =>
  text.split(/[\s,;(){}[\]'"`<>|]+/).flatMap((word) => (HAS_LETTER.test(word) && !/^\d+:$/.test(word) ? [word.replace(/:$/, "")] : []));

const HAS_LETTER = /[\p{L}\p{N}]/u;
