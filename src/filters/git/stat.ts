import { type Line, standFor } from "../line.ts";
import { listPaths, type NamedPath } from "./names.ts";
import type { Reader } from "./read-passages.ts";

/** ` src/a.ts | 12 +++---`, ` logo.png | Bin 0 -> 123 bytes` */
const AMOUNT = /^ *(?:(\d+)(?: [+-]+)?|(Bin)(?: \d+ -> \d+ bytes)?)$/;
const TOTALS = /^ \d+ files? changed(?:, \d+ insertions?\(\+\))?(?:, \d+ deletions?\(-\))?$/;

/** The table that a merge, a pull or a rebase prints unasked: names and how much changed, without the bars. */
export function statReader(): Reader {
  let looked = 0;
  return (lines, from) => {
    if (from < looked) return null;
    const named: NamedPath[] = [];
    let at = from;
    for (; at < lines.length; at++) {
      const row = rowOf(lines[at]!);
      if (!row) break;
      named.push(row);
    }
    looked = at;
    const totals = lines[at];
    // Only the totals tell this table from any other with bars in it.
    if (named.length === 0 || !totals || !TOTALS.test(totals.text)) return null;
    const { next, marked, others } = marks(lines, at + 1, named);
    return { next, shown: [...listPaths("changed:", marked), standFor(totals.text.trim(), [totals]), ...others] };
  };
}

const MARK = /^ (create|delete) mode 100644 (\S.*)$/;
const OTHER_MARK = /^ (?:mode change|rename|copy|rewrite) /;
const MANY = 10;

/** Below a long table stand the names once more that are new or gone: a word beside them in the table says the same. */
function marks(
  lines: readonly Line[],
  from: number,
  named: readonly NamedPath[],
): { next: number; marked: readonly NamedPath[]; others: Line[] } {
  if (named.length <= MANY) return { next: from, marked: named, others: [] };
  const byPath = new Map(named.map((one) => [one.path, one]));
  const others: Line[] = [];
  let next = from;
  for (; next < lines.length; next++) {
    const line = lines[next]!;
    const [, verb, path = ""] = MARK.exec(line.text) ?? [];
    const row = byPath.get(path);
    if (row)
      byPath.set(path, { ...row, note: `${row.note},${verb === "create" ? "new" : "deleted"}`, line: standFor("", [row.line, line]) });
    else if (OTHER_MARK.test(line.text)) others.push(line);
    else break;
  }
  return { next, marked: [...byPath.values()], others };
}

function rowOf(line: Line): NamedPath | null {
  const { text } = line;
  const bar = text[0] === " " ? text.lastIndexOf(" | ") : -1;
  if (bar < 2) return null;
  const [amount, count, bin] = AMOUNT.exec(text.slice(bar + 3)) ?? [];
  if (amount === undefined) return null;
  return { path: text.slice(1, bar).trim(), note: `|${count ?? bin}`, line };
}
