import type { KeptText } from "../../../core/ports/printed/overflow.ts";
import { groupedPlural } from "../../../text/words.ts";
import { momentTag, sizeAmount } from "../amounts.ts";
import { html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { callPath, shortId } from "../parts/call-words.ts";
import { keptTabs } from "../parts/list-tabs.ts";
import { pageLinks, pageOf, ROWS_OF_EXPORT } from "../parts/paging.ts";
import { searchForm } from "../parts/search-form.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRoute } from "../watch-route.ts";

export const keptRoute: WatchRoute = {
  method: "GET",
  path: "/kept",
  title: "Kept output",
  async render({ kept }, { path, query }) {
    const text = (query.get("q") ?? "").trim();
    const [all, totals] = await Promise.all([kept.list({ ...(text !== "" && { text }), limit: ROWS_OF_EXPORT }), kept.totals()]);
    const { rows, from } = pageOf(all, query);
    const table = createTable({
      name: "kept",
      caption: "Kept outputs, the newest first",
      columns: columnsFor(text),
      rows,
      empty:
        totals.texts === 0
          ? "Nothing is kept. When a tool answers with more than a model is shown, the whole text comes here for a while."
          : html`No kept text has “${text}” in it. <a href="/kept">All of them</a>`,
    });
    return {
      lead: `Whole outputs that were too long to show: ${groupedPlural(totals.texts, "text")}, ${sizeAmount(totals.chars)}. They were stored without secrets.`,
      table,
      body: html`${keptTabs(path)}${searchForm(path, text, "Search in all kept texts")}${table.html()}${pageLinks(path, query, { from, total: all.length })}${rows.length > 0 && exportLinks(path, query)}`,
    };
  },
};

const nameOf = ({ handle, id }: KeptText) => (handle === null ? shortId(id) : `raw#${handle}`);
const keptPath = (id: string, text: string) => `/kept/${addressPart(id)}${text === "" ? "" : `?q=${addressPart(text)}`}`;

const columnsFor = (text: string): readonly Column<KeptText>[] => [
  {
    head: "when",
    key: "created_at",
    value: ({ createdAt }) => new Date(createdAt).toISOString(),
    cell: ({ createdAt }) => momentTag(createdAt),
    look: "when",
  },
  {
    head: "text",
    key: "id",
    value: ({ id }) => id,
    cell: (entry) => html`<a href="${keptPath(entry.id, text)}">${nameOf(entry)}</a>`,
    look: "mono",
  },
  { head: "handle", key: "handle", value: ({ handle }) => handle, isExportOnly: true },
  { head: "length", key: "chars", value: ({ chars }) => chars, cell: ({ chars }) => sizeAmount(chars), look: "num" },
  {
    head: "call",
    key: "call_id",
    value: ({ callId }) => callId,
    cell: ({ callId }) =>
      callId === undefined ? html`<span class="faint">not known</span>` : html`<a href="${callPath(callId)}">${shortId(callId)}</a>`,
    look: "mono",
  },
  {
    head: "conversation",
    key: "conversation",
    value: ({ conversation }) => conversation,
    cell: ({ conversation }) =>
      conversation === undefined ? "" : html`<a href="/conversations/${addressPart(conversation)}">${shortId(conversation)}</a>`,
    look: "mono",
    isExtra: true,
  },
];
