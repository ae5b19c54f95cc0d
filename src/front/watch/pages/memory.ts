import type { Memory } from "../../../core/ports/store.ts";
import { oneLine } from "../../../text/visible.ts";
import { momentTag } from "../amounts.ts";
import { html } from "../html.ts";
import { addressPart } from "../parts/address-part.ts";
import { shortId } from "../parts/call-words.ts";
import { removalLink, removalRoutes } from "../parts/confirm-page.ts";
import { pageLinks, pageOf, ROWS_OF_EXPORT } from "../parts/paging.ts";
import { searchForm } from "../parts/search-form.ts";
import { type Column, createTable, exportLinks } from "../tables.ts";
import type { WatchRequest, WatchRoute } from "../watch-route.ts";
import type { StoredSource } from "../watch-sources.ts";

export const memoryRoute: WatchRoute = {
  method: "GET",
  path: "/memory",
  title: "Memory",
  async render({ stored }, request) {
    const { path, query } = request;
    const text = (query.get("q") ?? "").trim();
    const all = (await stored.memories(ROWS_OF_EXPORT)).filter(({ content }) => content.toLowerCase().includes(text.toLowerCase()));
    const { rows, from } = pageOf(all, query);
    const table = createTable({
      name: "memories",
      caption: "Memories, the newest first",
      columns: columnsFor(request),
      rows,
      empty:
        text === ""
          ? html`Nothing is remembered. A model saves a memory when it is told to, and so does <code>zeph memory save</code>.`
          : html`No memory has “${text}” in it. <a href="${path}">All of them</a>`,
    });
    return {
      lead: "What models were told to remember, here and everywhere.",
      table,
      body: html`${searchForm(path, text, "Search in memories")}${table.html()}${pageLinks(path, query, { from, total: all.length })}${rows.length > 0 && exportLinks(path, query)}`,
    };
  },
};

const columnsFor = (request: WatchRequest): readonly Column<Memory>[] => [
  {
    head: "when",
    key: "created_at",
    value: ({ createdAt }) => new Date(createdAt).toISOString(),
    cell: ({ createdAt }) => momentTag(createdAt),
    look: "when",
  },
  { head: "id", key: "id", value: ({ id }) => id, isExportOnly: true },
  {
    head: "what",
    key: "content",
    value: ({ content }) => content,
    cell: ({ content, untrusted }) =>
      html`<div class="words">${content}</div>${untrusted && html`<span class="tag ask" title="It was saved after a stranger's text had been read">maybe a stranger's</span>`}`,
  },
  { head: "stranger's", key: "untrusted", value: ({ untrusted }) => untrusted, isExportOnly: true },
  {
    head: "for",
    key: "workspace",
    value: ({ workspace }) => workspace,
    cell: ({ workspace }) => (workspace === null ? "everywhere" : html`<span title="${workspace}">${workspace}</span>`),
    look: "by",
    isExtra: true,
  },
  ...(request.rights.manage
    ? [
        {
          head: "",
          key: "forget",
          value: () => null,
          cell: ({ id }: Memory) => removalLink(request, `/memory/${addressPart(id)}/forget`, "forget"),
        },
      ]
    : []),
];

export const memoryRemovalRoutes = removalRoutes({
  path: "/memory/*/forget",
  title: "Forget a memory",
  back: "/memory",
  async find({ stored }, [id = ""]) {
    const memory = await memoryOf(stored, id);
    return (
      memory && {
        question: "Forget this memory?",
        what: html`<blockquote class="words">${memory.content}</blockquote>`,
        after: "No model will be reminded of it, and it does not come back.",
        label: "Forget it",
        note: `forgets the memory ${shortId(id)} ("${oneLine(memory.content, 80)}")`,
      }
    );
  },
  remove: ({ stored }, [id = ""]) => stored.forgetMemory(id),
});

const memoryOf = async (stored: StoredSource, id: string): Promise<Memory | null> =>
  (await stored.memories(ROWS_OF_EXPORT)).find((memory) => memory.id === id) ?? null;
