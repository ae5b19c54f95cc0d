import { type HtmlElement, type HtmlNode, isElement, squeezeBlanks, UNSEEN, visibleText } from "./tree.ts";

export interface TableRow {
  readonly cells: readonly string[];
  readonly caption?: string;
}

/** A table that holds data. One that only lays out a page holds another, or calls itself so, or has one column. */
export function isDataTable(table: HtmlElement): boolean {
  if (table.attribs.role === "presentation" || table.attribs.role === "none") return false;
  let columns = 0;
  let nested = false;
  const look = (node: HtmlNode): void => {
    for (const child of node.children ?? []) {
      if (!isElement(child) || nested) continue;
      if (child.name === "table") nested = true;
      else {
        if (child.name === "tr") columns = Math.max(columns, child.children.filter(isCell).length);
        look(child);
      }
    }
  };
  look(table);
  return columns > 1 && !nested;
}

const WIDEST = 100;
const MOST_ROWS = 20_000;

/** The rows of a table. A cell that spans several columns or rows leaves empty ones beside and below, so columns stay under their heads. */
export function rowsOf(
  table: HtmlElement,
  skips: (el: HtmlElement) => boolean,
  render: (cell: HtmlElement) => string,
): readonly TableRow[] {
  const rows: TableRow[] = [];
  let below: number[] = [];
  const row = (tr: HtmlElement): void => {
    const cells: string[] = [];
    const next: number[] = [];
    const gap = () => {
      while ((below[cells.length] ?? 0) > 0 && cells.length < WIDEST) {
        next[cells.length] = below[cells.length]! - 1;
        cells.push("");
      }
    };
    for (const cell of tr.children) {
      if (!isCell(cell) || skips(cell)) continue;
      gap();
      const rest = span(cell.attribs.rowspan, 1000) - 1;
      const wide = span(cell.attribs.colspan, WIDEST);
      for (let n = 0; n < wide && cells.length < WIDEST; n++) {
        next[cells.length] = rest;
        cells.push(n === 0 ? render(cell) : "");
      }
    }
    gap();
    below = next;
    rows.push({ cells });
  };
  const look = (node: HtmlNode): void => {
    for (const child of node.children ?? []) {
      if (!isElement(child) || UNSEEN.has(child.name) || skips(child) || rows.length >= MOST_ROWS) continue;
      if (child.name === "tr") row(child);
      else if (child.name === "caption") rows.push({ cells: [], caption: squeezeBlanks(visibleText(child)) });
      else look(child);
    }
  };
  look(table);
  return rows;
}

const isCell = (node: HtmlNode): node is HtmlElement => node.name === "td" || node.name === "th";
const span = (written: string | undefined, most: number): number => Math.min(Math.max(Number.parseInt(written ?? "1", 10) || 1, 1), most);
