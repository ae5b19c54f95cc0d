import { type CheerioAPI, load } from "cheerio/slim";
import { type BoundedPage, boundPage } from "./bound-page.ts";
import { isHidden } from "./visibility.ts";

/** The parser's nodes, as far as they are looked at here. */
export interface HtmlNode {
  readonly type: string;
  readonly name?: string;
  readonly data?: string;
  readonly attribs?: Record<string, string>;
  readonly children?: readonly HtmlNode[];
  readonly parent?: HtmlNode | null;
}
export interface HtmlElement extends HtmlNode {
  readonly name: string;
  readonly attribs: Record<string, string>;
  readonly children: readonly HtmlNode[];
}

export interface ParsedPage extends Omit<BoundedPage, "html"> {
  readonly $: CheerioAPI;
  readonly root: HtmlNode;
  readonly mode: "html" | "xml";
}

export function parsePage(source: string, mode: "html" | "xml"): ParsedPage {
  const { html, elements, cut } = boundPage(source, mode);
  const $ = mode === "xml" ? load(html, { xml: true }) : load(html);
  return { $, root: $.root()[0] as unknown as HtmlNode, mode, elements, cut };
}

export const isElement = (node: HtmlNode): node is HtmlElement => node.attribs !== undefined;

/** The first element with this name that a walk finds. */
export function firstElement(node: HtmlNode, name: string): HtmlElement | null {
  for (const child of node.children ?? []) {
    if (!isElement(child)) continue;
    const found = child.name === name ? child : firstElement(child, name);
    if (found) return found;
  }
  return null;
}

/** All text below a node that can be seen, as written. What stands on lines or in cells of its own stands between blanks. */
export function visibleText(node: HtmlNode): string {
  let text = "";
  for (const child of node.children ?? []) {
    if (child.type === "text") text += child.data ?? "";
    else if (!isElement(child)) text += visibleText(child);
    else if (APART.has(child.name)) text += UNSEEN.has(child.name) || isHidden(child) ? " " : ` ${visibleText(child)} `;
    else if (!UNSEEN.has(child.name) && !isHidden(child)) text += visibleText(child);
  }
  return text;
}

/** All text below a node of XML, where names mean nothing here. Elements that follow one another are fields: a blank parts them. */
export function xmlText(node: HtmlNode): string {
  let text = "";
  let afterElement = false;
  for (const child of node.children ?? []) {
    if (child.type === "comment" || child.type === "directive") continue;
    if (isElement(child) && afterElement) text += " ";
    text += child.type === "text" ? (child.data ?? "") : xmlText(child);
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

export const squeezeBlanks = (text: string): string => text.replace(/\s+/g, " ").trim();

const LONGEST_TITLE = 300;
export function pageTitle(root: HtmlNode): string | null {
  const head = firstElement(root, "head") ?? root;
  const named = firstElement(head, "title");
  const written = named ? squeezeBlanks((named.children[0]?.data ?? "").slice(0, 4 * LONGEST_TITLE)) : "";
  if (written !== "") return written.slice(0, LONGEST_TITLE);
  const heading = firstElement(root, "h1");
  const title = heading && !isHidden(heading) ? squeezeBlanks(visibleText(heading).slice(0, 4 * LONGEST_TITLE)) : "";
  return title === "" ? null : title.slice(0, LONGEST_TITLE);
}
