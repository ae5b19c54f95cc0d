import { groupBy } from "../../text/group-by.ts";
import { heading, type Line, standFor } from "../line.ts";
import { type FileDiff, isPlainChange } from "./file.ts";
import { changedAt, type Hunk, markOf, shownHunk } from "./hunk.ts";
import { listPaths } from "./names.ts";

/** Larger changes are hardly ever the same by chance or by script, and costly to compare. */
const LARGEST = 40;
const FEWEST = 3;

/** Files that were changed in the same way: the very same lines came and went. By the first of them. */
export function groupSameChanges(files: readonly FileDiff[]): Map<FileDiff, readonly FileDiff[]> {
  const small = files.filter(
    (file) => isPlainChange(file) && file.strays.length === 0 && file.added + file.removed <= LARGEST && file.hunks.length > 0,
  );
  const groups = groupBy(small, ({ hunks }) => hunks.map(changeOf).join("\n@@\n"));
  return new Map([...groups.values()].filter(({ length }) => length >= FEWEST).map((group) => [group[0]!, group]));
}

const changed = ({ lines, columns }: Hunk): Line[] => lines.filter((line) => markOf(line, columns) !== "same");

const changeOf = (hunk: Hunk): string =>
  changed(hunk)
    .map(({ text }) => text)
    .join("\n");

/** Their names with the lines where it was done. What was done is shown once, by the first of them. */
export function sharedHead(group: readonly FileDiff[]): Line[] {
  const named = group.map((file) => ({
    path: file.path,
    note: `:${file.hunks.map((hunk) => changedAt(hunk) ?? "?").join(",")}`,
    line: standFor("", [file.head, ...file.hunks.flatMap((hunk) => [hunk.head, ...(file === group[0] ? [] : changed(hunk))])]),
  }));
  return listPaths(`diff, the same in ${group.length} files:`, named);
}

/** The change without its surroundings, which differ from file to file. */
export const sharedHunks = ({ hunks }: FileDiff): Line[][] =>
  hunks.map((hunk, n) => [...(n === 0 ? [] : [heading("@@")]), ...shownHunk(hunk, 0).slice(1)]);

/** A reference takes as much room as this. */
const SHORT = 60;

/** Hunks of one commit: a change that was shown before is told by its place, and by where it was shown. */
export function createHunkMemory(): (path: string, hunk: readonly Line[]) => readonly Line[] {
  const first = new Map<string, string>();
  return (path, hunk) => {
    const [head, ...rest] = hunk;
    const [, line, section = ""] = /^@@ (\d+)( .*)?$/.exec(head?.text ?? "") ?? [];
    const changes = rest.filter(({ text }) => /^[+-]/.test(text));
    const change = changes.map(({ text }) => text).join("\n");
    if (!head || line === undefined || change.length < SHORT || !rest.every(({ text }) => /^(?:[ +-]|$)/.test(text))) return hunk;
    const before = first.get(change);
    if (before === undefined) {
      first.set(change, `${path}:${line}`);
      return hunk;
    }
    return [standFor(`@@ ${line}${section} (the same change as ${before})`, [head, ...changes])];
  };
}
