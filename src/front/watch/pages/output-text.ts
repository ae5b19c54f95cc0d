import { grouped, groupedPlural, plural } from "../../../text/words.ts";
import { momentTag, sizeAmount } from "../amounts.ts";
import { type Html, html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { callPath, shortId } from "../parts/call-words.ts";
import { findPlaces, lineAround, markedText } from "../parts/find-text.ts";
import { numberIn } from "../parts/paging.ts";
import { searchForm } from "../parts/search-form.ts";
import type { WatchRoute } from "../watch-route.ts";

/** A browser lays out no more than this at once. The rest is on further pages. */
const PART = 200_000;
const MOST_LISTED = 30;
const EXCERPT = 120;

export const keptTextRoute: WatchRoute = {
  method: "GET",
  path: "/kept/*",
  title: "Kept output",
  async render({ kept }, { path, query, words: [id = ""] }) {
    const found = await kept.text(id);
    if (found === null) return { refused: "This text is not kept any more, or never was.", status: 404 };
    const { entry, text } = found;
    const word = (query.get("q") ?? "").trim().slice(0, 200);
    const parts = Math.max(1, Math.ceil(text.length / PART));
    const places = findPlaces(text, word);
    const partOf = (at: number) => Math.floor(at / PART) + 1;
    const part = numberIn(query, "part", { usual: places[0] ? partOf(places[0].at) : 1, least: 1, most: parts });
    const from = (part - 1) * PART;
    const shown = text.slice(from, from + PART);
    const first = places.findIndex(({ at }) => at >= from) + 1;
    const link = (to: number) => `${path}?${new URLSearchParams({ ...(word !== "" && { q: word }), part: String(to) })}`;
    return {
      title: entry.handle === null ? `Kept output ${shortId(entry.id)}` : `Kept output raw#${entry.handle}`,
      lead: html`${sizeAmount(entry.chars)}, ${groupedPlural(lineCount(text), "line")}, kept ${momentTag(entry.createdAt)}${entry.callId !== undefined && html`, of <a href="${callPath(entry.callId)}">call ${shortId(entry.callId)}</a>`}${entry.conversation !== undefined && html`, in <a href="/conversations/${addressPart(entry.conversation)}">a conversation</a>`}.`,
      body: html`${searchForm(path, word, "Search in this text")}${word !== "" && matches(text, places, (n, at) => `${link(partOf(at))}#m${n}`)}
${parts > 1 && html`<p class="pages"><span>Part ${part} of ${parts}: characters ${grouped(from + 1)} to ${grouped(from + shown.length)} of ${grouped(text.length)}</span>${part > 1 && html`<a rel="prev" href="${link(part - 1)}">the part before</a>`}${part < parts && html`<a rel="next" href="${link(part + 1)}">the part after</a>`}</p>`}
<div class="panel"><pre class="kept" tabindex="0" aria-label="The text">${markedText(shown, word, first)}</pre></div>`,
    };
  },
};

function matches(text: string, places: ReturnType<typeof findPlaces>, link: (n: number, at: number) => string): Html {
  if (places.length === 0) return html`<p class="soft" role="status">It is nowhere in this text.</p>`;
  let line = 1;
  let before = 0;
  const rows = places.slice(0, MOST_LISTED).map(({ at }, n) => {
    for (let next = text.indexOf("\n", before); next !== -1 && next < at; next = text.indexOf("\n", before)) {
      line += 1;
      before = next + 1;
    }
    const found = lineAround(text, at, line, EXCERPT);
    return html`<li><a href="${link(n + 1, at)}">line ${grouped(found.line)}</a> <code>${found.text}</code></li>`;
  });
  return html`<details class="found"><summary role="status">Found at ${plural(places.length, "place")}${places.length > MOST_LISTED && `, the first ${MOST_LISTED} listed`}</summary><ul>${rows}</ul></details>`;
}

const lineCount = (text: string): number => {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
};
