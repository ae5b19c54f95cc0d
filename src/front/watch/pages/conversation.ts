import { grouped, groupedPlural } from "../../../text/words.ts";
import { momentTag } from "../amounts.ts";
import { html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { numberIn } from "../parts/paging.ts";
import { transcriptHtml } from "../parts/transcript.ts";
import type { WatchRoute } from "../watch-route.ts";

const PER_PAGE = 100;
/** Answers of the last calls of a page come after it. */
const AHEAD = 40;

export const conversationRoute: WatchRoute = {
  method: "GET",
  path: "/conversations/*",
  title: "Conversation",
  async render({ conversations }, { path, query, words: [id = ""] }) {
    const found = await conversations.get(id);
    if (found === null) return { refused: "There is no such conversation.", status: 404 };
    const { title, workspace, createdAt, updatedAt, length, windowStart, elidedUntil } = found;
    const after = numberIn(query, "after", { usual: 0, least: 0, most: length });
    const read = await conversations.messages(id, { after, limit: PER_PAGE + AHEAD });
    const ends = after + PER_PAGE;
    const asked = new Set(
      read.flatMap(({ position, message }) =>
        position <= ends && message.role === "assistant" ? message.parts.flatMap((part) => (part.type === "request" ? [part.id] : [])) : [],
      ),
    );
    const messages = read.filter(({ position, message }) => position <= ends || (message.role === "tool" && asked.has(message.id)));
    const links =
      length > PER_PAGE &&
      html`<p class="pages"><span>Messages ${grouped(after + 1)}–${grouped(Math.min(ends, length))} of ${grouped(length)}</span>${
        after > 0 && html`<a rel="prev" href="${path}?after=${Math.max(0, after - PER_PAGE)}">those before</a>`
      }${ends < length && html`<a rel="next" href="${path}?after=${ends}">those after</a>`}</p>`;
    return {
      title: title || "Conversation",
      lead: html`${groupedPlural(length, "message")}, begun ${momentTag(createdAt)}, last ${momentTag(updatedAt)}, in <code>${workspace}</code>. Messages have no times of their own; each call has.`,
      body: html`<p class="choices"><a href="/report/${addressPart(id)}">A report to print or hand on</a></p>
${(windowStart > 0 || elidedUntil > 0) && html`<p class="banner">${windowStart > 0 && `Messages up to ${grouped(windowStart)} are kept, and a summary stands for them in what the model is sent. `}${elidedUntil > 0 && `Answers of calls up to ${grouped(elidedUntil)} are kept, and no longer sent.`}</p>`}
${found.seen.untrusted && html`<p class="banner warn"><b>A stranger's text has come into it.</b> <span>Rules that ask about such text apply to all that follows.</span></p>`}
${links}${length === 0 ? html`<div class="panel"><p class="empty">Nothing was said yet.</p></div>` : transcriptHtml(messages, { windowStart, elidedUntil })}${links}`,
    };
  },
};
