import { isBlank, type Line, standFor } from "../line.ts";

/** Tables without the spaces that only please the eye. A column is known by the gap that all its lines share, so an empty cell stays one. */
export function withoutPadding(lines: readonly Line[]): readonly Line[] {
  const result: Line[] = [];
  let changed = false;
  for (let at = 0; at < lines.length; ) {
    const end = isHeader(lines[at]!.text) ? endOfTable(lines, at) : at + 1;
    const block = lines.slice(at, end);
    const table = block.length > 1 ? squeezed(block) : block;
    changed ||= table !== block;
    result.push(...table);
    at = end;
  }
  return changed ? result : lines;
}

const GAPS = /(?: {2,}| ?\t *)(?=\S)/g;
const gaps = (text: string): number => text.trimStart().match(GAPS)?.length ?? 0;
const isHeader = (text: string): boolean => /^\s*[A-Z]/.test(text) && gaps(text) >= 2;

function endOfTable(lines: readonly Line[], from: number): number {
  let end = from;
  while (end < lines.length && !isBlank(lines[end]!)) end++;
  return end;
}

interface Row {
  readonly line: Line;
  readonly cells: readonly string[];
}

function squeezed(block: readonly Line[]): readonly Line[] {
  // A message between the rows is no row and stays as it is.
  const rows = rowsOf(block.filter(({ text }) => gaps(text) > 0));
  const [head, ...body] = rows;
  if (!head || body.length === 0 || head.cells.length < 3) return block;
  const columns = [...head.cells.keys()];
  const shared = body.length < 3 ? [] : columns.filter((n) => n > 0 || head.cells.length > 3).filter((n) => isShared(body, n));
  const full = columns.filter((n) => !body.every(({ cells }) => isEmpty(cells[n]!)));
  const said = shared.filter((n) => full.includes(n)).map((n) => [n, body[0]!.cells[n]!] as const);
  const various = full.filter((n) => !shared.includes(n));
  const derived = body.length < 2 ? [] : various.flatMap((n) => derivedFrom(various, n, rows) ?? []);
  const shown = various.filter((n) => !derived.some(([column]) => column === n));
  if (shown.length === 0) return block;
  const name = (n: number) => head.cells[n]!;
  const all = [...said, ...derived].map(([n, cell]) => `${name(n)}=${cell}`).join(", ");
  const empty = columns
    .filter((n) => !full.includes(n))
    .map(name)
    .join(", ");
  const notes = [...(all === "" ? [] : [`all: ${all}`]), ...(empty === "" ? [] : [`empty: ${empty}`])];
  const note = notes.length > 0 ? ` (${notes.join("; ")})` : "";
  const texts = new Map(rows.map(({ line, cells }) => [line, sideBySide(shown.map((n) => (isEmpty(cells[n]!) ? "-" : cells[n]!)))]));
  return block.map((line) => {
    const text = texts.get(line);
    if (text === undefined) return line;
    return standFor(line === head.line ? `${text}${note}` : text, [line]);
  });
}

/** A column that repeats one before it in every row, and what it adds: `Wanted=Current`, `Location=node_modules/<Package>`. */
function derivedFrom(columns: readonly number[], n: number, [head, ...body]: readonly Row[]): [readonly [number, string]] | null {
  for (const from of columns) {
    if (from >= n) break;
    const [first] = body as [Row];
    const at = first.cells[n]!.indexOf(first.cells[from]!);
    if (at === -1 || first.cells[from] === "") continue;
    const before = first.cells[n]!.slice(0, at);
    const behind = first.cells[n]!.slice(at + first.cells[from]!.length);
    if (/\w$/.test(before) || /^\w/.test(behind) || !body.every(({ cells }) => cells[n] === before + cells[from] + behind)) continue;
    const name = head!.cells[from]!;
    return [[n, before + behind === "" ? name : `${before}<${name}>${behind}`]];
  }
  return null;
}

/** A cell of several words stands apart from its neighbours. */
const sideBySide = (cells: readonly string[]): string =>
  cells.reduce((row, cell, n) => `${row}${[cells[n - 1], cell].some((each) => each?.includes(" ")) ? "  " : " "}${cell}`);

const isEmpty = (cell: string): boolean => cell === "" || cell === "<none>";
const isShared = (body: readonly Row[], n: number): boolean => body.every(({ cells }) => cells[n] === body[0]!.cells[n]);

function rowsOf(lines: readonly Line[]): Row[] {
  if (lines.some(({ text }) => text.includes("\t"))) return tabbed(lines);
  const bounds = columnsOf(lines.map(({ text }) => text));
  return lines.map((line) => ({ line, cells: bounds.map(([from, to]) => line.text.slice(from, to).trim()) }));
}

/** With tabs each row has as many cells as the first, or this is no table. */
function tabbed(lines: readonly Line[]): Row[] {
  const rows = lines.map((line) => ({ line, cells: line.text.split("\t").map((cell) => cell.trim()) }));
  return rows.every(({ cells }) => cells.length === rows[0]!.cells.length) ? rows : [];
}

/** Where columns begin and end: between them, two places or more are blank in every line. */
function columnsOf(texts: readonly string[]): [number, number][] {
  const width = texts.reduce((most, { length }) => Math.max(most, length), 0);
  const used = new Uint8Array(width + 2);
  for (const text of texts) for (let n = 0; n < text.length; n++) if (text[n] !== " ") used[n] = 1;
  const columns: [number, number][] = [];
  for (let at = 0; at < width; ) {
    while (at < width && !used[at]) at++;
    const from = at;
    while (at < width && (used[at] || used[at + 1])) at++;
    if (at > from) columns.push([from, at]);
  }
  return columns;
}
