import { heading, type Line, standFor } from "../line.ts";
import { joinNames, quoteListedName } from "./quote-names.ts";

const DATE = [
  String.raw`[A-Z][a-z]{2} +\d{1,2} +[\d:]{4,5}`,
  String.raw`\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d+)?(?: [+-]\d{4})?)?)?`,
  String.raw`\d\d-\d\d \d\d:\d\d`,
  String.raw`\d{1,2} [A-Z][a-z]{2} [\d:]{4,5}`,
].join("|");
const ROW = new RegExp(
  String.raw`^([bcdlps-][rwxsStT-]{9})[.+@]?\s+(?:\d+\s+|(?=\S+/\S))(\S+(?: +\S*[^\s\d.,KMGTP]\S*)?)\s+([\d.]+[KMGTP]?|\d+, +\d+)\s+(${DATE})\s(\S.*)$`,
);
const SECTION = /^\S.*:$/;
const FEWEST = 3;

interface Row {
  readonly line: Line;
  readonly mode: string;
  readonly owner: string;
  readonly size: string;
  readonly date: string;
  readonly name: string;
}

/** What `ls -l` says of nearly every file. */
interface Usual {
  readonly file: string;
  readonly folder: string;
  readonly owner: string;
  readonly date: string;
}

/** Rows of `ls -l` and `tar tv`: what nearly all have in common is said once, at the top. Every name stays, and every size of a file. null: there are none. */
export function shortRows(lines: readonly Line[]): readonly Line[] | null {
  const rows = lines.map(rowOf);
  const found = rows.filter((row) => row !== null).filter(({ name }) => !isDots(name));
  if (found.length < FEWEST) return null;
  const usual = usualOf(found);
  const said = Object.values(usual).filter((value) => value !== "");
  const shown: Line[] = said.length > 0 ? [heading(`(${said.join(", ")} unless said)`)] : [];
  for (const [at, line] of lines.entries()) {
    const row = rows[at];
    if (row && !isDots(row.name)) shown.push(standFor(shortRow(row, usual), [line]));
    else if (!row && line.text !== "" && !/^total \d/.test(line.text)) shown.push(line);
  }
  return shown;
}

const isDots = (name: string): boolean => name === "." || name === "..";
const isFolder = ({ mode }: Row): boolean => mode.startsWith("d");

function rowOf(line: Line): Row | null {
  const [, mode, owner, size, date, name] = ROW.exec(line.text) ?? [];
  if (!mode || !owner || !size || !date || !name) return null;
  return { line, mode, owner: owner.replace(/ +/, ":"), size: size.replace(/ +/g, ""), date: date.replace(/ +/g, " "), name };
}

function usualOf(rows: readonly Row[]): Usual {
  const folders = rows.filter(isFolder);
  const files = rows.filter((row) => !isFolder(row));
  return {
    file: commonest(files.map(({ mode }) => mode)),
    folder: commonest(folders.map(({ mode }) => mode)),
    owner: commonest(rows.map(({ owner }) => owner)),
    date: commonest(rows.map(({ date }) => date)),
  };
}

/** What at least a third of the values are, or nothing. */
function commonest(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const [value, count] = [...counts].reduce((most, next) => (next[1] > most[1] ? next : most), ["", 0] as [string, number]);
  return count > 1 && count >= values.length / 3 ? value : "";
}

/** The name comes last, as in the original; a folder has a slash and no size. */
function shortRow(row: Row, usual: Usual): string {
  const { mode, owner, size, date, name } = row;
  const unusual = [
    isFolder(row) ? "" : size,
    mode === (isFolder(row) ? usual.folder : usual.file) ? "" : mode,
    owner === usual.owner ? "" : owner,
    date === usual.date ? "" : date,
  ];
  return [
    ...unusual.filter((part) => part !== ""),
    isFolder(row) ? `${quoteListedName(name.replace(/\/$/, ""))}/` : name.includes(" -> ") ? name : quoteListedName(name),
  ].join(" ");
}

const WIDTH = 100;

/** Names alone: side by side, below the folder they are in. */
export function namesSideBySide(lines: readonly Line[]): readonly Line[] {
  const shown: Line[] = [];
  let names: Line[] = [];
  const end = () => {
    if (names.length > 0) shown.push(standFor(joinNames(names.map(({ text }) => text)), names));
    names = [];
  };
  for (const [at, line] of lines.entries()) {
    const begins = SECTION.test(line.text) && (at === 0 || lines[at - 1]!.text === "");
    if (begins || line.text === "" || isMessage(line)) end();
    if (begins || isMessage(line)) shown.push(line);
    else if (line.text !== "") names.push(line);
    if (names.reduce((width, { text }) => width + text.length + 1, 0) > WIDTH) end();
  }
  end();
  return shown;
}

const isMessage = ({ text, errors }: Line): boolean => errors > 0 && /^\w+: /.test(text);
