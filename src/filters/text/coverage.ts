import { type Line, standFor } from "../line.ts";

/** A table of what tests reach: how its head looks, its rows, and rows of which nothing is missed. */
interface Table {
  readonly head: RegExp;
  readonly row: RegExp;
  readonly whole: RegExp;
  readonly gap: RegExp;
  readonly between: string;
}

const RULE = /^-{3,}(?:\|-+)*\|?$/;
const TOTAL = /^\s*(?:All files|TOTAL|total:)/;

const TABLES: readonly Table[] = [
  // istanbul, nyc, c8, jest, vitest
  {
    head: /^\s*File +\| +% Stmts +\| +% Branch +\| +% Funcs +\| +% Lines +\|/,
    row: /^\s*\S.*?(?:\|\s+[\d.]+\s+){4}\|/,
    whole: /(?:\|\s+100\s+){4}\|\s*$/,
    gap: / *\| */g,
    between: " | ",
  },
  // coverage.py
  {
    head: /^Name +Stmts +Miss(?: +Branch +BrPart)? +Cover(?: +Missing)?\s*$/,
    row: /^\S.* +\d+ +\d+(?: +\d+ +\d+)? +[\d.]+%(?: +\S.*)?$/,
    whole: / 100(?:\.0+)?%\s*$/,
    gap: / {2,}/g,
    between: " ",
  },
  // go tool cover -func
  {
    head: /^\S+\.go:\d+:\s+\S+\s+[\d.]+%$/,
    row: /^(?:\S+\.go:\d+:\s+\S+|total:\s+\(statements\))\s+[\d.]+%$/,
    whole: /\s100\.0%$/,
    gap: /\s+/g,
    between: " ",
  },
];

/** Tables of coverage without rows of which nothing is missed, and without padding. Sums stay. */
export function shortCoverage(lines: readonly Line[]): readonly Line[] {
  if (!lines.some(mayBegin)) return lines;
  const kept: Line[] = [];
  let table: Table | undefined;
  for (const line of lines) {
    const { text } = line;
    const begun = mayBegin(line) ? TABLES.find(({ head }) => head.test(text)) : undefined;
    if (begun) {
      // A rule above the head is drawn for the eye, as those below are.
      if (RULE.test(kept.at(-1)?.text ?? "")) kept.pop();
      table = begun;
    }
    if (!table) kept.push(line);
    else if (RULE.test(text)) continue;
    else if (begun && !begun.row.test(text)) kept.push(squeezed(line, table));
    else if (!table.row.test(text)) {
      table = undefined;
      kept.push(line);
    } else if (!table.whole.test(text) || TOTAL.test(text)) kept.push(squeezed(line, table));
  }
  return kept;
}

const LONG = 1000;
const MAY_BEGIN = /^\s*(?:File |Name )|\.go:\d/;
const mayBegin = ({ text }: Line): boolean => text.length <= LONG && MAY_BEGIN.test(text);

function squeezed(line: Line, { gap, between }: Table): Line {
  const indent = /^\s*/.exec(line.text)![0];
  const text = `${indent}${line.text.trim().replace(gap, between)}`.replace(/[ |]+$/, "");
  return text.length < line.text.length ? standFor(text, [line]) : line;
}
