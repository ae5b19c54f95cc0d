import { type CheerioAPI, load } from "cheerio/slim";
import { type Tamed, tame } from "./tame.ts";

/** The parser's nodes, as far as they are looked at here. */
export interface Node {
  readonly type: string;
  readonly name?: string;
  readonly data?: string;
  readonly attribs?: Record<string, string>;
  readonly children?: readonly Node[];
}
export interface Element extends Node {
  readonly name: string;
  readonly attribs: Record<string, string>;
  readonly children: readonly Node[];
}

export interface Parsed extends Omit<Tamed, "html"> {
  readonly $: CheerioAPI;
  readonly root: Node;
}

export function parse(source: string, mode: "html" | "xml"): Parsed {
  const { html, elements, cut } = tame(source, mode);
  const $ = mode === "xml" ? load(html, { xml: true }) : load(html);
  return { $, root: $.root()[0] as unknown as Node, elements, cut };
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

/** All text below a node, as written. */
export function textOf(node: Node): string {
  if (node.type === "text") return node.data ?? "";
  let text = "";
  for (const child of node.children ?? [])
    text += child.type === "text" ? (child.data ?? "") : isElement(child) && UNSEEN.has(child.name) ? "" : textOf(child);
  return text;
}

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
  const title = heading ? squeezed(textOf(heading).slice(0, 4 * LONGEST_TITLE)) : "";
  return title === "" ? null : title.slice(0, LONGEST_TITLE);
}
