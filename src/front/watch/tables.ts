import { type Html, type HtmlValue, html } from "./html.ts";

/** A column is said once: how a page shows it, and what stands in the exports. */
export interface Column<Row> {
  readonly head: string;
  /** Its name in exports. */
  readonly key: string;
  /** Without markup. */
  value(row: Row): string | number | boolean | null | undefined;
  /** How a page shows it; default: the value. */
  cell?(row: Row): HtmlValue;
  /** `num` numbers, `when` moments, `cmd` one cut line in the font of code that takes the room left, `mono`, `soft`, `by`. */
  readonly look?: "num" | "when" | "cmd" | "mono" | "soft" | "by";
  /** Not shown on a page: for exports alone. */
  readonly isExportOnly?: true;
  /** Left out where there is no room for it. */
  readonly isExtra?: true;
}

export interface PageTableParts<Row> {
  /** Of the exported file, without ending: `calls`. */
  readonly name: string;
  /** For those who hear the page. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Says what would fill it. */
  readonly empty: HtmlValue;
  /** The row that is meant. */
  isOn?(row: Row): boolean;
  readonly id?: string;
  /** For a table that needs no heads to be understood. */
  readonly hidesHead?: true;
}

/** One table in all its forms. */
export interface ShownTable {
  readonly name: string;
  html(): Html;
  csv(): string;
  jsonl(): string;
}

export function createTable<Row>(parts: PageTableParts<Row>): ShownTable {
  const { columns, rows } = parts;
  return {
    name: parts.name,
    html: () => tableHtml(parts),
    csv: () => [columns.map(({ key }) => key), ...rows.map((row) => columns.map((column) => column.value(row)))].map(csvLine).join(""),
    jsonl: () =>
      rows.map((row) => `${JSON.stringify(Object.fromEntries(columns.map((one) => [one.key, one.value(row) ?? null])))}\n`).join(""),
  };
}

function tableHtml<Row>({ columns, rows, caption, empty, isOn, id, hidesHead }: PageTableParts<Row>): Html {
  if (rows.length === 0) return html`<div class="panel"><p class="empty"${idAttribute(id)}>${empty}</p></div>`;
  const shown = columns.filter((one) => !one.isExportOnly);
  return html`<div class="panel scroll" tabindex="0" role="region" aria-label="${caption}"><table${idAttribute(id)}><caption class="hidden">${caption}</caption><thead${hidesHead === true && html` class="hidden"`}><tr>${shown.map((one) => html`<th scope="col" class="${classesOf(one)}">${one.head === "" ? html`<span class="hidden">${one.key.replaceAll("_", " ")}</span>` : one.head}</th>`)}</tr></thead><tbody>${rows.map((row) => tableRow(shown, row, isOn?.(row) ?? false))}</tbody></table></div>`;
}

const idAttribute = (id: string | undefined): HtmlValue => id !== undefined && html` id="${id}"`;

/** One row as it stands in the table: live rows are made of it, too. */
export function tableRow<Row>(columns: readonly Column<Row>[], row: Row, isOn: boolean): Html {
  const shown = columns.filter((one) => !one.isExportOnly);
  return html`<tr${isOn && html` class="on" aria-current="true"`}>${shown.map((one) => html`<td class="${classesOf(one)}">${one.cell ? one.cell(row) : String(one.value(row) ?? "")}</td>`)}</tr>`;
}

const classesOf = <Row>({ look, isExtra }: Column<Row>): string => [look ?? "", isExtra ? "extra" : ""].join(" ").trim();

const csvLine = (cells: readonly (string | number | boolean | null | undefined)[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/** A spreadsheet computes a cell that begins like a formula; behind a quote it stays a text. */
function csvCell(value: string | number | boolean | null | undefined): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = value ?? "";
  const safe = /^[\s\0]*[=+\-@]|^[\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Links that give out what a table shows, with the filters of the address. */
export function exportLinks(path: string, query: URLSearchParams): Html {
  const link = (format: string, name: string) => {
    const all = new URLSearchParams(query);
    all.delete("from");
    all.set("format", format);
    return html`<a href="${`${path}?${all}`}" download>${name}</a>`;
  };
  return html`<p class="exports">Export all that fits, at most 10,000 rows: ${link("csv", "CSV")} ${link("jsonl", "JSON lines")}</p>`;
}
