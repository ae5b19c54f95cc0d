import { groupBy } from "../../text/group-by.ts";
import type { Line } from "../line.ts";
import { type Amount, type Block, blocksOf, countsOf, RENAMED } from "./blocks.ts";
import type { FileDiff } from "./file.ts";
import { shownCommits } from "./messages.ts";
import { listPaths, listRenames } from "./names.ts";
import type { GitPart } from "./parts.ts";

/** What is shown of commits and diffs, in their order, and whether messages or changes had to be cut. */
export function shownParts(parts: readonly GitPart[], amount: Amount): { lines: Line[]; isCut: boolean } {
  const byCommit = filesByCommit(parts);
  const { blocks, isCut } = blocksOf(byCommit, amount);
  const lists = new Map(byCommit.flatMap((files) => [...listsOf(files, blocks)]));
  const { commits, areCut } = shownCommits(parts.flatMap((part) => (part.kind === "commit" ? [part.commit] : [])));
  const lines: Line[] = [];
  for (const part of parts) {
    const shown =
      part.kind === "text"
        ? [part.line]
        : part.kind === "commit"
          ? commits.get(part.commit)!
          : (lists.get(part.file) ?? blocks.get(part.file)?.lines ?? []);
    for (const line of shown) lines.push(line);
  }
  return { lines, isCut: isCut || areCut };
}

function filesByCommit(parts: readonly GitPart[]): FileDiff[][] {
  const groups: FileDiff[][] = [[]];
  for (const part of parts) {
    if (part.kind === "commit") groups.push([]);
    else if (part.kind === "file") groups.at(-1)!.push(part.file);
  }
  return groups;
}

const FEWEST = 3;

/** Files of which nothing but the head is shown: many of a kind are a list, in the place of the first. */
function listsOf(files: readonly FileDiff[], blocks: ReadonlyMap<FileDiff, Block>): Map<FileDiff, readonly Line[]> {
  const lists = new Map<FileDiff, readonly Line[]>();
  for (const [label, [first, ...others]] of groupBy(files, (file) => blocks.get(file)?.bare ?? null)) {
    if (label === null || !first || others.length + 1 < FEWEST) continue;
    lists.set(first, listOf(label, [first, ...others]));
    for (const other of others) lists.set(other, []);
  }
  return lists;
}

function listOf(label: string, files: readonly FileDiff[]): readonly Line[] {
  const named = files.map((file) => ({
    path: file.path,
    from: file.from ?? "",
    line: file.head,
    note: file.hunks.length > 0 ? `|${countsOf(file).trim().replace(" ", "")}` : "",
  }));
  return label === RENAMED ? listRenames(label, named) : listPaths(label, named);
}
