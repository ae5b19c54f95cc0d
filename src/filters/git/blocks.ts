import { heading, type Line } from "../line.ts";
import { type FileDiff, fileHead, isPlainChange } from "./file.ts";
import { isHunkHead, isStray, markOf, shownHunk } from "./hunk.ts";
import { readable } from "./locks.ts";
import { createHunkMemory, groupSameChanges, sharedHead, sharedHunks } from "./same-changes.ts";
import { shares } from "./share.ts";

/** What is shown of a file, or of files that changed alike. */
export interface Block {
  readonly file: FileDiff;
  readonly lines: readonly Line[];
  /** Only the head is shown, and this is what could be said of many such files at once. */
  readonly bare: string | null;
}

/** How much is shown. */
export interface Amount {
  /** Lines of changes. */
  readonly room: number;
  /** Lines around each change, if the command asks for so many. */
  readonly context: number | null;
}

/** Lines shown around a change: enough to see where it is. */
const CONTEXT = 1;
/** Lines shown of a file that a program wrote, when not everything fits. */
const MADE = 20;

/**
 * A block for each file of a commit, but one for all that changed alike. Up to so many lines every change is shown; beyond them the files
 * share the room, and each says how much of it is missing.
 */
export function blocksOf(
  commits: readonly (readonly FileDiff[])[],
  { room, context }: Amount,
): { blocks: Map<FileDiff, Block>; isCut: boolean } {
  const all = commits.map(unitsOf);
  const units = all.flat();
  const isCut = units.reduce((sum, { least }) => sum + least, 0) > room;
  if (isCut) return { blocks: cut(units, room), isCut };
  const roomy = units.map((unit) => unit.hunks(context ?? CONTEXT));
  const size = roomy.reduce((sum, hunks) => sum + sizeOf(hunks), 0);
  const shown = size > room && context === null ? units.map((unit) => unit.hunks(0)) : roomy;
  const told = new Map(units.map((unit, n) => [unit, shown[n]!]));
  return { blocks: new Map(all.flatMap((commit) => wholeBlocks(commit, told))), isCut };
}

function wholeBlocks(units: readonly Unit[], shown: ReadonlyMap<Unit, readonly (readonly Line[])[]>): [FileDiff, Block][] {
  const once = createHunkMemory();
  return units.map((unit) => {
    const hunks = shown.get(unit)!;
    const told = unit.kind === "written" ? hunks.map((hunk) => once(unit.file.path, hunk)) : hunks;
    return [unit.file, whole(unit, told)];
  });
}

interface Unit {
  readonly file: FileDiff;
  /** Of a file people wrote, of one a program made, of many that changed in the same way. */
  readonly kind: "written" | "made" | "alike";
  /** So many lines it takes to show every change. */
  readonly least: number;
  readonly head: (said: string) => readonly Line[];
  readonly hunks: (context: number) => readonly (readonly Line[])[];
}

function unitsOf(files: readonly FileDiff[]): Unit[] {
  const groups = groupSameChanges(files);
  const later = new Set([...groups.values()].flatMap((group) => group.slice(1)));
  return files.filter((file) => !later.has(file)).map((file) => unitOf(file, groups.get(file)));
}

function unitOf(file: FileDiff, group: readonly FileDiff[] | undefined): Unit {
  const { hunks, added, removed } = file;
  if (group) return { file, kind: "alike", least: added + removed, head: () => sharedHead(group), hunks: () => sharedHunks(file) };
  const test = readable(file.path);
  // The one hunk of a file that is new or gone begins where files begin.
  const isWhole = hunks.length === 1 && /^(?:new|deleted) file/.test(file.tags[0] ?? "");
  const head = (said: string) => [fileHead(file, said, isWhole ? [hunks[0]!.head] : []), ...file.strays];
  if (!test) {
    const shown = (context: number) => hunks.map((hunk) => shownHunk(hunk, context).slice(isWhole ? 1 : 0));
    return { file, kind: "written", least: added + removed + hunks.length, head, hunks: shown };
  }
  const shown = hunks.map((hunk) => shownHunk(hunk, CONTEXT).filter((line) => !isHunkHead(line) && test(line)));
  return { file, kind: "made", least: sizeOf(shown), head, hunks: () => shown };
}

const sizeOf = (hunks: readonly (readonly Line[])[]): number => hunks.reduce((sum, { length }) => sum + length, 0);

function whole({ file, kind, head }: Unit, hunks: readonly (readonly Line[])[]): Block {
  const bare = kind !== "alike" && file.hunks.length === 0 && file.strays.length === 0 ? bareLabel(file, "") : null;
  return { file, lines: [...head(kind === "made" ? countsOf(file) : ""), ...hunks.flat()], bare };
}

/** Each gets its share. A line long enough for five takes the room of five. */
function cut(units: readonly Unit[], room: number): Map<FileDiff, Block> {
  const shown = units.map((unit) => unit.hunks(0));
  const sizes = shown.map((hunks) => hunks.reduce((sum, hunk) => sum + weightOf(hunk), 0));
  const given = shares(
    sizes.map((size, n) => (units[n]!.kind === "made" ? Math.min(size, MADE) : size)),
    room,
  );
  return new Map(units.map((unit, n) => [unit.file, sizes[n]! <= given[n]! ? whole(unit, shown[n]!) : part(unit, shown[n]!, given[n]!)]));
}

const WIDTH = 200;
const weightOf = (lines: readonly Line[]): number => lines.reduce((sum, { text }) => sum + 1 + Math.floor(text.length / WIDTH), 0);

function part({ file, kind, head }: Unit, hunks: readonly (readonly Line[])[], room: number): Block {
  const rooms = shares(hunks.map(weightOf), room);
  const lines = hunks.flatMap((hunk, n) => beginning(hunk, rooms[n]!));
  const missing = file.added + file.removed - changesIn(lines, file.hunks[0]?.columns ?? 1);
  const bare = lines.length === 0 && file.strays.length === 0 && kind !== "alike" ? bareLabel(file, ", not shown") : null;
  return { file, lines: [...head(countsOf(file)), ...lines, ...(lines.length > 0 ? [heading(`… ${missing} more lines`)] : [])], bare };
}

const changesIn = (lines: readonly Line[], columns: number): number =>
  lines.filter((line) => !isHunkHead(line) && /added|removed/.test(markOf(line, columns))).length;

/** As many lines as there is room for. Lines from elsewhere stay, wherever they are. */
function beginning(hunk: readonly Line[], room: number): Line[] {
  let left = room;
  return hunk.filter((line) => {
    const fits = left >= weightOf([line]);
    left = fits ? left - weightOf([line]) : 0;
    return fits || isStray(line);
  });
}

export const countsOf = ({ added, removed }: FileDiff): string => ` +${added} -${removed}`;

/** Moved files say where from, each for itself, unless nothing else happened to them. */
function bareLabel(file: FileDiff, said: string): string | null {
  if (/^rename from .*, 100%$/.test(file.tags.join(", "))) return RENAMED;
  if (file.from !== null || (isPlainChange(file) && said === "")) return null;
  return `diff${file.tags.length > 0 ? ` (${file.tags.join(", ")})` : ""}${said}:`;
}

export const RENAMED = "diff (renamed, 100%):";
