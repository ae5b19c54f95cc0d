import { type Line, standFor } from "../line.ts";
import { joinNames, quoteListedName } from "./quote-names.ts";

const ROW = /^\s*([\d.,]+[kKMGTPEZY]?i?B?)\s+(\S.*)$/;
const FAMILY = 3;

interface Row {
  readonly line: Line;
  readonly size: string;
  readonly folder: string;
  readonly name: string;
}

/** Sizes and paths, in their order. Where rows of one folder follow one another, it is said once: `src: 4K a.ts 8K b.ts`. */
export function groupedSizes(lines: readonly Line[]): readonly Line[] {
  const shown: Line[] = [];
  let family: Row[] = [];
  const end = () => {
    shown.push(
      ...(family.length >= FAMILY
        ? [together(family)]
        : family.map(({ line, size, folder, name }) => standFor(`${size} ${folder}${name}`, [line]))),
    );
    family = [];
  };
  for (const line of lines) {
    const row = rowOf(line);
    if (!row || row.folder === "" || row.folder !== family[0]?.folder) end();
    if (row) family.push(row);
    else shown.push(line);
  }
  end();
  return shown;
}

function rowOf(line: Line): Row | null {
  const [, size, path] = ROW.exec(line.text) ?? [];
  if (size === undefined || path === undefined) return null;
  const slash = path.lastIndexOf("/", path.length - 2);
  return { line, size, folder: path.slice(0, slash + 1), name: path.slice(slash + 1) };
}

const together = (family: readonly Row[]): Line =>
  standFor(
    `${quoteListedName(family[0]!.folder)}: ${family.map(({ size, name }) => `${size} ${joinNames([name])}`).join(" ")}`,
    family.map(({ line }) => line),
  );
