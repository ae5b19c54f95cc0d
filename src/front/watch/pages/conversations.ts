import type { Conversation } from "../../../core/ports/store.ts";
import { grouped } from "../../../text/words.ts";
import { momentTag } from "../amounts.ts";
import { html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { keptTabs } from "../parts/list-tabs.ts";
import { pageLinks, pageOf, ROWS_OF_EXPORT } from "../parts/paging.ts";
import { searchForm } from "../parts/search-form.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRoute } from "../watch-route.ts";

export const conversationsRoute: WatchRoute = {
  method: "GET",
  path: "/conversations",
  title: "Conversations",
  async render({ conversations }, { path, query }) {
    const text = (query.get("q") ?? "").trim();
    const wanted = text.toLowerCase();
    const all = (await conversations.list(ROWS_OF_EXPORT)).filter(
      ({ title, id, workspace }) => wanted === "" || `${title}\n${id}\n${workspace}`.toLowerCase().includes(wanted),
    );
    const { rows, from } = pageOf(all, query);
    const table = createTable({
      name: "conversations",
      caption: "Conversations, the newest first",
      columns: COLUMNS,
      rows,
      empty:
        text === ""
          ? html`No conversation is stored. <code>zeph</code> and <code>zeph run</code> begin one, and so does an editor.`
          : html`No conversation has “${text}” in its title, folder or id. <a href="${path}">All of them</a>`,
    });
    return {
      lead: "What was said, by whom, and which calls were made in between.",
      table,
      body: html`${keptTabs(path)}${searchForm(path, text, "Search in titles and folders")}${table.html()}${pageLinks(path, query, { from, total: all.length })}${rows.length > 0 && exportLinks(path, query)}`,
    };
  },
};

const COLUMNS: readonly Column<Conversation>[] = [
  {
    head: "last",
    key: "updated_at",
    value: ({ updatedAt }) => new Date(updatedAt).toISOString(),
    cell: ({ updatedAt }) => momentTag(updatedAt),
    look: "when",
  },
  { head: "id", key: "id", value: ({ id }) => id, isExportOnly: true },
  {
    head: "about",
    key: "title",
    value: ({ title }) => title,
    cell: ({ id, title }) => html`<a href="/conversations/${addressPart(id)}" title="${title}">${title || "without a title"}</a>`,
    look: "cmd",
  },
  {
    head: "folder",
    key: "workspace",
    value: ({ workspace }) => workspace,
    cell: ({ workspace }) => html`<span title="${workspace}">${workspace}</span>`,
    look: "by",
    isExtra: true,
  },
  { head: "messages", key: "messages", value: ({ length }) => length, cell: ({ length }) => grouped(length), look: "num" },
  {
    head: "begun",
    key: "created_at",
    value: ({ createdAt }) => new Date(createdAt).toISOString(),
    cell: ({ createdAt }) => momentTag(createdAt),
    look: "when",
    isExtra: true,
  },
  {
    head: "",
    key: "untrusted",
    value: ({ seen }) => seen.untrusted,
    cell: ({ seen }) => seen.untrusted && html`<span class="tag ask" title="A stranger's text has come into it">stranger's text</span>`,
    isExtra: true,
  },
];
