import type { CheerioAPI } from "cheerio/slim";
import { ToolError } from "../../core/error.ts";
import type { Selection } from "../../core/web.ts";
import { type Addresses, addresses } from "./address.ts";
import { flawOf } from "./selector.ts";
import { type Element, isElement, type Node, type Parsed, squeezed, textOf, titleOf } from "./tree.ts";

export interface SelectedItems {
  readonly items: readonly string[];
  readonly more: boolean;
  /** For the one who finds nothing: what page it was, and whether there was anything to find. */
  readonly title: string | null;
  readonly elements: number;
  /** A cap on elements left something out. */
  readonly truncated?: true;
}

/** All values together. The inner HTML of nested elements repeats itself. */
const MOST_CHARACTERS = 1_000_000;

export function select({ $, root, elements, cut }: Parsed, { select: selector, extract, limit }: Selection, url: string): SelectedItems {
  const found = matching($, selector);
  const value = valuesBy($, extract, addresses(root, url));
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
  return { items, more, title: titleOf(root), elements, ...(cut && { truncated: true }) };
}

function valuesBy($: CheerioAPI, extract: Selection["extract"], links: Addresses): (node: Element) => string {
  if (extract === "text") return (node) => squeezed(textOf(node));
  if (extract === "html")
    return (node) => {
      resolveBelow(node, links);
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

/** Elements whose links are already absolute; a nested match would walk them again. */
const resolved = new WeakSet<Node>();
function resolveBelow(node: Node, links: Addresses): void {
  if (resolved.has(node)) return;
  resolved.add(node);
  for (const child of node.children ?? []) {
    if (!isElement(child)) continue;
    for (const name of ADDRESSES) {
      const written = child.attribs[name];
      if (written !== undefined && written.trim() !== "") child.attribs[name] = links.resolve(written);
    }
    resolveBelow(child, links);
  }
}

function matching($: CheerioAPI, selector: string): readonly Element[] {
  const flaw = flawOf(selector);
  if (flaw !== null) throw bad(selector, `${flaw}.`);
  try {
    return $.root().find(selector).toArray() as unknown as Element[];
  } catch (error) {
    if (error instanceof RangeError) throw bad(selector, "it asks for too much at once.");
    const message = error instanceof Error ? error.message.slice(0, 200) : String(error);
    const pseudo = /pseudo-class :?([\w-]{1,50})/i.exec(message)?.[1];
    const at = pseudo === undefined ? -1 : selector.toLowerCase().indexOf(`:${pseudo.toLowerCase()}`);
    throw bad(selector, at === -1 ? `${message.replace(/\.$/, "")}.` : `":${pseudo}" is not known, at character ${at + 1}.`);
  }
}

const bad = (selector: string, why: string) =>
  new ToolError(
    "invalid_parameters",
    `${JSON.stringify(selector.length > 100 ? `${selector.slice(0, 100)}…` : selector)} is no CSS selector: ${why}`,
  );
