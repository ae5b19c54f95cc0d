import { splitRuns } from "../../text/group-by.ts";
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
  const families = splitRuns(
    lines.map((line) => ({ line, row: rowOf(line) })),
    (a, b) => !!a.row?.folder && a.row.folder === b.row?.folder,
  );
  return families.flatMap((family) => {
    const rows = family.flatMap(({ row }) => row ?? []);
    return rows.length >= FAMILY ? [together(rows)] : family.map(({ line, row }) => (row ? alone(row) : line));
  });
}

function rowOf(line: Line): Row | null {
  const [, size, path] = ROW.exec(line.text) ?? [];
  if (size === undefined || path === undefined) return null;
  const short = path.replace(/^\.\/(?=.)/, "");
  const slash = short.lastIndexOf("/", short.length - 2);
  return { line, size, folder: short.slice(0, slash + 1), name: short.slice(slash + 1) };
}

const alone = ({ line, size, folder, name }: Row): Line => standFor(`${size} ${folder}${name}`, [line]);

const together = (family: readonly Row[]): Line =>
  standFor(
    `${quoteListedName(family[0]!.folder)}: ${family.map(({ size, name }) => `${size} ${joinNames([name])}`).join(" ")}`,
    family.map(({ line }) => line),
  );
