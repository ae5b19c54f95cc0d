import { ToolError } from "../../core/error.ts";
import type { Selection } from "../../core/ports/web.ts";
import type { ReadItems, ReadPage } from "../web/reader.ts";
import { findMainContent, wholeBody } from "./main-content.ts";
import { createPageLinks } from "./page-links.ts";
import { type BodySource, decodeSource, readPlainText } from "./read-text.ts";
import { renderContent } from "./render.ts";
import { selectItems } from "./select.ts";
import { firstElement, pageTitle, parsePage } from "./tree.ts";

/** Less than this is no article, and the whole body says more. */
const SHORTEST = 100;

export function readPage(body: Uint8Array, source: BodySource, as: "markdown" | "text"): ReadPage {
  const { kind, url } = source;
  if (kind !== "html") return readPlainText(body, source);
  const { root, cut } = parsePage(decodeSource(body, source), "html");
  const page = firstElement(root, "body") ?? root;
  const links = createPageLinks(root, url);
  const main = renderContent(findMainContent(page), as, links);
  const shown = main.text.length >= SHORTEST ? main : longer(main, renderContent(wholeBody(page), as, links));
  return { title: pageTitle(root), text: shown.text, ...((cut || shown.cut) && { truncated: true }) };
}

export function selectIn(body: Uint8Array, source: BodySource, query: Selection): ReadItems {
  const { kind, url } = source;
  if (kind === "text")
    throw new ToolError("permanent_failure", "The answer is not HTML or XML, so nothing can be selected in it. Use fetch to read it.");
  return selectItems(parsePage(decodeSource(body, source), kind), query, url);
}

const longer = <T extends { readonly text: string }>(a: T, b: T): T => (b.text.length > a.text.length ? b : a);
