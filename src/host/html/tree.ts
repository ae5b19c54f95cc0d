import { type CheerioAPI, load } from "cheerio/slim";
import { type Tamed, tame } from "./bound-page.ts";
import { isHidden } from "./visibility.ts";

/** The parser's nodes, as far as they are looked at here. */
export interface Node {
  readonly type: string;
  readonly name?: string;
  readonly data?: string;
  readonly attribs?: Record<string, string>;
  readonly children?: readonly Node[];
  readonly parent?: Node | null;
}
export interface Element extends Node {
  readonly name: string;
  readonly attribs: Record<string, string>;
  readonly children: readonly Node[];
}

export interface Parsed extends Omit<Tamed, "html"> {
  readonly $: CheerioAPI;
  readonly root: Node;
  readonly mode: "html" | "xml";
}

export function parse(source: string, mode: "html" | "xml"): Parsed {
  const { html, elements, cut } = tame(source, mode);
  const $ = mode === "xml" ? load(html, { xml: true }) : load(html);
  return { $, root: $.root()[0] as unknown as Node, mode, elements, cut };
}

export const isElement = (node: Node): node is Element => node.attribs !== undefined;

/** The first element with this name that a walk finds. */
export function first(node: Node, name: string): Element | null {
  for (const child of node.children ?? []) {
    if (!isElement(child)) continue;
    const found = child.name === name ? child : first(child, name);
    if (found) return found;
  }
  return null;
}

/** All text below a node that can be seen, as written. What stands on lines or in cells of its own stands between blanks. */
export function textOf(node: Node): string {
  let text = "";
  for (const child of node.children ?? []) {
    if (child.type === "text") text += child.data ?? "";
    else if (!isElement(child)) text += textOf(child);
    else if (APART.has(child.name)) text += UNSEEN.has(child.name) || isHidden(child) ? " " : ` ${textOf(child)} `;
    else if (!UNSEEN.has(child.name) && !isHidden(child)) text += textOf(child);
  }
  return text;
}

/** All text below a node of XML, where names mean nothing here. Elements that follow one another are fields: a blank parts them. */
export function dataOf(node: Node): string {
  let text = "";
  let afterElement = false;
  for (const child of node.children ?? []) {
    if (child.type === "comment" || child.type === "directive") continue;
    if (isElement(child) && afterElement) text += " ";
    text += child.type === "text" ? (child.data ?? "") : dataOf(child);
    afterElement = isElement(child);
  }
  return text;
}

/** Blocks, cells and line breaks. */
const APART: ReadonlySet<string> = new Set(
  "address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol optgroup option p pre search section select summary table tbody td tfoot th thead tr ul".split(
    " ",
  ),
);

/** Elements whose content is never shown as text. */
export const UNSEEN: ReadonlySet<string> = new Set(
  "title script style template noscript iframe object embed svg canvas video audio map datalist head input select button textarea dialog progress meter portal".split(
    " ",
  ),
);

export const squeezed = (text: string): string => text.replace(/\s+/g, " ").trim();

const LONGEST_TITLE = 300;
export function titleOf(root: Node): string | null {
  const head = first(root, "head") ?? root;
  const named = first(head, "title");
  const written = named ? squeezed((named.children[0]?.data ?? "").slice(0, 4 * LONGEST_TITLE)) : "";
  if (written !== "") return written.slice(0, LONGEST_TITLE);
  const heading = first(root, "h1");
  const title = heading && !isHidden(heading) ? squeezed(textOf(heading).slice(0, 4 * LONGEST_TITLE)) : "";
  return title === "" ? null : title.slice(0, LONGEST_TITLE);
}
