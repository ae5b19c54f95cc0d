import { splitRuns } from "../../text/group-by.ts";
import { heading, type Line, standFor } from "../line.ts";

/** `^5c2615a6 src/a.ts (Ada Lo 2026-03-02 10:11:12 +0100 12) text` */
const ROW = /^(\^?[\da-f]{7,40}) (?:(\S+) +)?\((.{1,100}?) +(\d{4}-\d\d-\d\d) [\d:]{8} [+-]\d{4} +(\d+)\)(?: (.*))?$/;
const SHOWN = 10;

/** Lines of a file below the commit, author and day of each run of them: a line of code keeps its number and every blank. null: not built so. */
export function blamedCommits(lines: readonly Line[]): readonly Line[] | null {
  const rows = lines.filter(({ text }) => text !== "").map((line) => ({ line, found: ROW.exec(line.text) }));
  if (rows.length === 0 || rows.some(({ found }) => found === null)) return null;
  const commitOf = (found: RegExpExecArray | null) => found!.slice(1, 5).join(" ");
  return splitRuns(rows, (a, b) => commitOf(a.found) === commitOf(b.found)).flatMap((run) => {
    const [, hash = "", file, author, day] = run[0]!.found!;
    const head = heading([hash.slice(0, SHOWN), file, author, day].filter(Boolean).join(" "));
    return [head, ...run.map(({ line, found }) => standFor(` ${found![5]} ${found![6] ?? ""}`.trimEnd(), [line]))];
  });
}
