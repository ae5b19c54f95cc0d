import { groupBy, splitRuns } from "../../text/group-by.ts";
import { heading, type Line, standFor } from "../line.ts";
import { quoteListedName } from "./quote-names.ts";

/** A path of a list. */
export interface PathInList {
  readonly line: Line;
  readonly path: string;
  /** What stands before it, and before others: `M`, `[warn]`. */
  readonly label?: string;
  /** How it is told, by its name or by its whole path; if not set, the name alone. */
  readonly told?: (name: string) => string;
}

interface Path extends PathInList {
  readonly folder: string;
  /** What follows the folder. */
  readonly name: string;
}

/** So many paths make it worth to say their folder on its own. */
const FAMILY = 3;
const MOST_LEVELS = 8;

/** A list of paths with each folder said once: `src/a: x.ts y.ts`. Messages between them stay where they are. */
export function groupedPaths(lines: readonly Line[]): readonly Line[] {
  const isPath = (line: Line) => line.text !== "" && !isMessage(line);
  return splitRuns(lines, (a, b) => isPath(a) === isPath(b)).flatMap((run) =>
    isPath(run[0]!) ? pathFamilies(run.map((line) => ({ line, path: line.text }))) : run,
  );
}

/** `find: '/root': Permission denied`. */
export const isMessage = ({ text, errors }: Line): boolean => errors > 0 && /^[\w./-]+: |^\[/.test(text);

/** First by the folder a path is in; what is nearly alone there, by the folder above, and so on. */
export function pathFamilies(list: readonly PathInList[], between: " " | "\n" = " "): Line[] {
  const order = new Map(list.map(({ line }, at) => [line, at]));
  const said: { readonly at: number; readonly lines: readonly Line[] }[] = [];
  let strays: Path[] = list.map((one) => moveUp({ ...one, folder: one.path, name: "" }));
  for (let level = 0; strays.length > 0; level++) {
    const isLast = level === MOST_LEVELS || strays.every(isAtTop);
    const next: Path[] = [];
    for (const members of groupBy(strays, ({ label = "", folder }) => `${label}\n${folder}`).values()) {
      const { label, folder } = members[0]!;
      const isFamily = folder !== "" && members.length >= FAMILY && (isLast || !members.every(isAtTop));
      const tell = (head: string, entries: readonly string[], lines: readonly Line[]) =>
        said.push({ at: order.get(lines[0]!)!, lines: toldAs([label ?? "", head], entries, { lines, between }) });
      const lines = members.map(({ line }) => line);
      if (isFamily) tell(`${quoteListedName(folder)}:`, members.map(entryOf), lines);
      else if (isLast && folder === "" && members.length >= FAMILY) tell("", members.map(entryOf), lines);
      else if (isLast) for (const one of members) tell("", [entryOf({ ...one, name: one.path })], [one.line]);
      else for (const member of members) next.push(isAtTop(member) ? member : moveUp(member));
    }
    strays = next;
  }
  return said.sort((a, b) => a.at - b.at).flatMap(({ lines }) => lines);
}

function toldAs(
  head: readonly string[],
  entries: readonly string[],
  { lines, between }: { readonly lines: readonly Line[]; readonly between: " " | "\n" },
): readonly Line[] {
  const before = head.filter((word) => word !== "");
  if (between === " ") return [standFor([...before, ...entries].join(" "), lines)];
  return [...(before.length > 0 ? [heading(before.join(" "))] : []), ...entries.map((entry, n) => standFor(entry, [lines[n]!]))];
}

const entryOf = ({ name, told = quoteListedName }: Path): string => told(name);

/** No folder above this one is left. It waits for others to come up. */
const isAtTop = ({ folder }: Path): boolean => !folder.includes("/", 1);

/** Moves the last part of the folder to the name: `a/b` + `c` is `a` + `b/c`. A slash at the end belongs to the name. */
function moveUp(path: Path): Path {
  const { folder, name } = path;
  // `src/{a => b}/x.ts`: what is in braces belongs together.
  const brace = folder.includes(" => ") ? Math.max(folder.indexOf("{"), 0) : folder.length;
  const slash = folder.lastIndexOf("/", Math.min(folder.length - 2, brace));
  const last = folder.slice(slash + 1);
  const above = slash > 0 ? folder.slice(0, slash) : slash === 0 && folder !== "/" ? "/" : "";
  return { ...path, folder: above, name: name === "" ? last : `${last}/${name}` };
}
