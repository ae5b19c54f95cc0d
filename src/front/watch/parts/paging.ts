import { grouped } from "../../../text/words.ts";
import { type Html, html } from "../html.ts";

/** Rows of a page, and of an export, which says so where there are more. */
export const ROWS_OF_PAGE = 100;
export const ROWS_OF_EXPORT = 10_000;

/** A whole number in an address; what is none, or too small or large, is the usual one. */
export function numberIn(
  query: URLSearchParams,
  name: string,
  { usual, least, most }: { usual: number; least: number; most: number },
): number {
  const text = query.get(name) ?? "";
  const value = Number(text);
  return /^\d{1,12}$/.test(text) && value >= least && value <= most ? value : usual;
}

/** What is exported: everything that fits, up to a bound. A page shows a part of it. */
export function pageOf<T>(rows: readonly T[], query: URLSearchParams): { readonly rows: readonly T[]; readonly from: number } {
  if (query.has("format")) return { rows: rows.slice(0, ROWS_OF_EXPORT), from: 0 };
  const from = numberIn(query, "from", { usual: 0, least: 0, most: Math.max(0, rows.length - 1) });
  return { rows: rows.slice(from, from + ROWS_OF_PAGE), from };
}

/** `101–200 of 450`, and the addresses of the parts before and after it. `total` may be the bound of what was asked for. */
export function pageLinks(
  path: string,
  query: URLSearchParams,
  { from, total }: { readonly from: number; readonly total: number },
): Html | false {
  if (total <= ROWS_OF_PAGE) return false;
  const to = (next: number) => {
    const all = new URLSearchParams(query);
    all.set("from", String(next));
    return `${path}?${all}`;
  };
  const last = Math.min(from + ROWS_OF_PAGE, total);
  return html`<p class="pages"><span>${grouped(from + 1)}–${grouped(last)} of ${total >= ROWS_OF_EXPORT && "the first "}${grouped(total)}</span>${
    from > 0 && html`<a rel="prev" href="${to(Math.max(0, from - ROWS_OF_PAGE))}">those before</a>`
  }${last < total && html`<a rel="next" href="${to(last)}">those after</a>`}</p>`;
}
