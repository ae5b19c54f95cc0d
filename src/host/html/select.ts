import type { CheerioAPI } from "cheerio/slim";
import { ToolError } from "../../core/error.ts";
import type { Selection } from "../../core/ports/web.ts";
import { bounded } from "../../text/visible.ts";
import type { ReadItems } from "../web/reader.ts";
import { createPageLinks, type PageLinks } from "./page-links.ts";
import { selectorFlaw } from "./selector.ts";
import { type HtmlElement, type HtmlNode, isElement, type ParsedPage, pageTitle, squeezeBlanks, visibleText, xmlText } from "./tree.ts";
import { isHidden } from "./visibility.ts";

/** All values together. The inner HTML of nested elements repeats itself. */
const MOST_CHARACTERS = 1_000_000;

export function selectItems(
  { $, root, mode, elements, cut }: ParsedPage,
  { select: selector, extract, limit }: Selection,
  url: string,
): ReadItems {
  const found = matching($, selector);
  const value = valuesBy($, mode, extract, createPageLinks(root, url));
  const items: string[] = [];
  let characters = 0;
  let more = false;
  for (const node of found) {
    const text = value(node);
    if (text.trim() === "") continue;
    more = items.length >= limit || characters + text.length > MOST_CHARACTERS;
    if (more && items.length > 0) break;
    items.push(text.slice(0, MOST_CHARACTERS));
    characters += text.length;
  }
  return { items, more, title: pageTitle(root), elements, ...(cut && { truncated: true }) };
}

function valuesBy($: CheerioAPI, mode: ParsedPage["mode"], extract: Selection["extract"], links: PageLinks): (node: HtmlElement) => string {
  if (extract === "text" && mode === "xml") return (node) => squeezeBlanks(xmlText(node));
  if (extract === "text") {
    const isUnseen = unseen();
    return (node) => (isUnseen(node) ? "" : squeezeBlanks(visibleText(node)));
  }
  if (extract === "html")
    return (node) => {
      if (isLeftOut(node, mode) && isCode(node)) return "";
      prepareBelow(node, mode, links);
      return ($(node as never).html() ?? "").trim();
    };
  const { attribute } = extract;
  return ({ attribs }) => {
    const name = Object.hasOwn(attribs, attribute) ? attribute : attribute.toLowerCase();
    const written = Object.hasOwn(attribs, name) ? attribs[name]!.trim() : "";
    return written !== "" && ADDRESSES.has(attribute.toLowerCase()) ? links.resolve(written) : written;
  };
}

const ADDRESSES = new Set(["href", "src", "action", "formaction", "poster", "cite", "data", "background", "longdesc"]);

/** Whether an element, or one around it, is not shown. Each is looked at once, however many matches stand in it. */
function unseen(): (node: HtmlNode) => boolean {
  const known = new Map<HtmlNode, boolean>();
  const isUnseen = (node: HtmlNode): boolean => {
    const before = known.get(node);
    if (before !== undefined) return before;
    const found = (isElement(node) && (isCode(node) || isHidden(node))) || (!!node.parent && isUnseen(node.parent));
    known.set(node, found);
    return found;
  };
  return isUnseen;
}

/** What only programs read. Data in JSON is put there for others to take, so it can be selected. */
const isCode = ({ name, attribs: { type = "" } }: HtmlElement): boolean =>
  CODE.has(name) && !(name === "script" && /^application\/(?:ld\+)?json$/i.test(type.slice(0, 50).trim()));
const CODE = new Set(["script", "style", "template", "noscript"]);
/** Not for reading, and places to hide instructions in. */
const isLeftOut = (node: HtmlNode, mode: ParsedPage["mode"]): boolean =>
  node.type === "comment" || node.type === "directive" || (mode === "html" && (node.name === "script" || node.name === "style"));

/** Elements that are ready to be written; a nested match would walk them again. */
const prepared = new WeakSet<HtmlNode>();
/** Takes out what is no content, and makes links absolute. */
function prepareBelow(node: HtmlNode, mode: ParsedPage["mode"], links: PageLinks): void {
  if (prepared.has(node)) return;
  prepared.add(node);
  if (node.children?.some((child) => isLeftOut(child, mode)))
    (node as { children: readonly HtmlNode[] }).children = node.children.filter((child) => !isLeftOut(child, mode));
  for (const child of node.children ?? []) {
    if (!isElement(child)) continue;
    for (const name of ADDRESSES) {
      const written = child.attribs[name];
      if (written !== undefined && written.trim() !== "") child.attribs[name] = links.resolve(written);
    }
    prepareBelow(child, mode, links);
  }
}

function matching($: CheerioAPI, selector: string): readonly HtmlElement[] {
  const flaw = selectorFlaw(selector);
  if (flaw !== null) throw bad(selector, `${flaw}.`);
  try {
    return $.root().find(selector).toArray() as unknown as HtmlElement[];
  } catch (error) {
    if (error instanceof RangeError) throw bad(selector, "it asks for too much at once.");
    const message = error instanceof Error ? error.message.slice(0, 200) : String(error);
    const pseudo = /pseudo-class :?([\w-]{1,50})/i.exec(message)?.[1];
    const at = pseudo === undefined ? -1 : selector.toLowerCase().indexOf(`:${pseudo.toLowerCase()}`);
    throw bad(selector, at === -1 ? `${message.replace(/\.$/, "")}.` : `":${pseudo}" is not known, at character ${at + 1}.`);
  }
}

const bad = (selector: string, why: string) =>
  new ToolError("invalid_parameters", `${JSON.stringify(bounded(selector, 100))} is not a CSS selector: ${why}`);
