import { ToolError } from "../../core/error.ts";
import type { Selection } from "../../core/ports/web.ts";
import { mainContent, wholeBody } from "./main-content.ts";
import { addresses } from "./page-links.ts";
import { decoded, type PageText, readText, type Source } from "./read-text.ts";
import { render } from "./render.ts";
import { type SelectedItems, select } from "./select.ts";
import { first, parse, titleOf } from "./tree.ts";

/** Less than this is no article, and the whole body says more. */
const SHORTEST = 100;

export function readPage(body: Uint8Array, source: Source, as: "markdown" | "text"): PageText {
  const { kind, url } = source;
  if (kind !== "html") return readText(body, source);
  const { root, cut } = parse(decoded(body, source), "html");
  const page = first(root, "body") ?? root;
  const links = addresses(root, url);
  const main = render(mainContent(page), as, links);
  const shown = main.text.length >= SHORTEST ? main : longer(main, render(wholeBody(page), as, links));
  return { title: titleOf(root), text: shown.text, ...((cut || shown.cut) && { truncated: true }) };
}

export function selectIn(body: Uint8Array, source: Source, query: Selection): SelectedItems {
  const { kind, url } = source;
  if (kind === "text")
    throw new ToolError("permanent_failure", "The answer is no HTML or XML, so nothing can be selected in it. Use fetch to read it.");
  return select(parse(decoded(body, source), kind), query, url);
}

const longer = <T extends { readonly text: string }>(a: T, b: T): T => (b.text.length > a.text.length ? b : a);
